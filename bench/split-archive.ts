/**
 * A day of traces as a split archive into telemetry, with the command that a user runs, for several sizes: the rate must not depend
 * on the size. Prints records and megabytes per second of processor time, and peak memory.
 *
 * BENCH_MB are the sizes, separated by commas; BENCH_DATA where files go (twice the largest size, in the temporary directory
 * unless it is given).
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runCommand } from './support/run-command.ts';

const SIZES_MB = (process.env.BENCH_MB ?? '128,512,2000').split(',').map(Number);
const TAG = 'v2024.02.29-planes-readsb-prod-0';
const START_S = Date.UTC(2024, 1, 29) / 1000;
const POINTS = 2500;
/** Different tracks; the rest of an archive repeats them with other addresses. */
const TRACKS = 64;
const MAX_PARTS = 4;
const BLOCK = 512;
const FOLDERS = 256;

const directory = process.env.BENCH_DATA ?? mkdtempSync(join(tmpdir(), 'contrails-bench-split-'));
mkdirSync(directory, { recursive: true });
try {
  const tails = Array.from({ length: TRACKS }, (_, k) => gzipSync(trackOf(k)));
  const rows = [];
  for (const mb of SIZES_MB) {
    const folder = join(directory, String(mb));
    mkdirSync(folder);
    const { bytes, records } = writeParts(folder, mb * 1e6, tails);
    const { seconds, cpuSeconds, peakMiB } = await runCommand([
      ...['adsb', 'import', join(folder, `${TAG}.tar.aa`)],
      ...['--data', join(folder, 'data')],
    ]);
    rmSync(folder, { recursive: true });
    rows.push({
      MB: Math.round(bytes / 1e6),
      records,
      seconds: Math.round(seconds),
      'CPU seconds': Math.round(cpuSeconds),
      'records/s of CPU': Number((records / cpuSeconds).toPrecision(3)),
      'MB/s of CPU': Number((bytes / 1e6 / cpuSeconds).toPrecision(3)),
      'peak MiB': Math.round(peakMiB),
    });
  }
  console.table(rows);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** What follows the address in the document of a trace. */
function trackOf(track: number): string {
  const trace = Array.from({ length: POINTS }, (_, i) => [
    i * 10.25 + track / 100,
    Number((40 + track / 10 + i * 0.001 + Math.sin(i * track) * 1e-4).toFixed(6)),
    Number((-3 + i * 0.002 + Math.cos(i * track) * 1e-4).toFixed(6)),
    36_000 + ((i * (track + 1)) % 9) * 25,
    Number((447 + Math.sin(i)).toFixed(1)),
    45.2,
    0,
    0,
    i % 4 === 0 ? { type: 'adsb_icao', flight: `BAW${track}`, nic: 8, nac_p: 10, rc: 186 } : null,
    'adsb_icao',
    36_650,
    null,
    250,
    0.1,
  ]);
  return `,"t":"A320","timestamp":${START_S},"trace":${JSON.stringify(trace)}}`;
}

/** An archive of so many bytes in parts, as `split` cuts it. */
function writeParts(folder: string, wanted: number, tails: readonly Buffer[]) {
  const partBytes = Math.ceil(wanted / MAX_PARTS);
  let [part, inPart, bytes, records] = [0, 0, 0, 0];
  const open = () => openSync(join(folder, `${TAG}.tar.a${String.fromCharCode(97 + part)}`), 'w');
  let file = open();
  const write = (chunk: Buffer) => {
    for (let from = 0; from < chunk.length; ) {
      if (inPart === partBytes) {
        closeSync(file);
        part++;
        inPart = 0;
        file = open();
      }
      const count = Math.min(chunk.length - from, partBytes - inPart);
      writeSync(file, chunk, from, count);
      from += count;
      inPart += count;
      bytes += count;
    }
  };
  for (let k = 0; bytes < wanted; k++) {
    // Folder after folder, as the publisher has them.
    const inFolder = Math.min(FOLDERS - 1, Math.floor((FOLDERS * bytes) / wanted));
    const icao = ((k + 1) * FOLDERS + inFolder).toString(16).padStart(6, '0');
    const head = gzipSync(`{"icao":"${icao}","r":"G-${k}"`);
    // Two members of gzip are one document.
    const body = Buffer.concat([head, tails[k % TRACKS] as Buffer]);
    write(headerOf(`traces/${icao.slice(-2)}/trace_full_${icao}.json`, body.length));
    write(body);
    write(Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK));
    records += POINTS;
  }
  write(Buffer.alloc(2 * BLOCK));
  closeSync(file);
  return { bytes, records };
}

/** The header of an entry of a tar archive. */
function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const put = (text: string, at: number) => header.write(text, at, 'latin1');
  put(name, 0);
  put('0000644\0', 100);
  put('0000000\0', 108);
  put('0000000\0', 116);
  put(`${size.toString(8).padStart(11, '0')}\0`, 124);
  put('00000000000\0', 136);
  put('        0', 148);
  put('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
