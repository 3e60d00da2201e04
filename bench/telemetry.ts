/**
 * Reading of telemetry: a million points of traces in a tar archive and as many state vectors in a CSV file, into columns in
 * memory, versus a Python script with json and pandas that does the same on the same files. Rows per second of CPU time, and
 * peak memory of the process. Then the import of the same files into a store, in records per second that pass.
 *
 * BENCH_ROWS makes it shorter.
 */
import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { readTools } from '../test/support/tools.ts';

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000);
const ROWS_PER_TRACE = 2_500;
const START_S = 1_735_689_600;

interface Measured {
  readonly rows: number;
  readonly refused: number;
  readonly seconds: number;
  readonly peakMiB: number;
}

interface Imported {
  readonly records: number;
  readonly importSeconds: number;
  readonly importCpuSeconds: number;
  readonly peakMiB: number;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-telemetry-'));
try {
  const inputs = {
    traces: { file: await writeTraces(join(folder, 'traces.tar')), what: 'traces, tar of gzip' },
    states: { file: await writeStates(join(folder, 'states.csv')), what: 'state vectors, CSV' },
  };
  const { python, missing } = readTools();
  const table = Object.entries(inputs).map(([kind, { file, what }]) => {
    const ours = measure(process.execPath, program('programs/telemetry-read.ts'), file);
    const imported = measure<Imported>(process.execPath, program('programs/telemetry-hours.ts'), file);
    const peer = python === null ? undefined : measure(python, program('peer/telemetry.py'), kind, file);
    return {
      what,
      rows: ours.rows,
      'ours, rows/s': perSecond(ours),
      'peer, rows/s': peer === undefined ? '–' : perSecond(peer),
      'times faster': peer === undefined ? '–' : Number((perSecond(ours) / perSecond(peer)).toPrecision(3)),
      'ours, MiB': Math.round(ours.peakMiB),
      'peer, MiB': peer === undefined ? '–' : Math.round(peer.peakMiB),
      'same rows': peer === undefined ? '–' : peer.rows === ours.rows && peer.refused === ours.refused,
      'import, records/s': Number((imported.records / imported.importSeconds).toPrecision(3)),
      'import, CPU s': Number(imported.importCpuSeconds.toPrecision(3)),
      'import, MiB': Math.round(imported.peakMiB),
    };
  });
  console.table(table);
  if (python === null) console.log(`no peer: ${missing.python ?? 'Python is not set up'}`);
} finally {
  rmSync(folder, { recursive: true });
}

function perSecond({ rows, seconds }: Measured): number {
  return Number((rows / seconds).toPrecision(3));
}

/** A separate process, for its memory; it prints one line of JSON. */
function measure<T = Measured>(command: string, ...args: readonly string[]): T {
  return JSON.parse(execFileSync(command, args, { encoding: 'utf8' })) as T;
}

function program(path: string): string {
  return join(import.meta.dirname, path);
}

/** As an aggregator publishes a day: details in every fourth entry, a start on the ground. */
async function writeTraces(file: string): Promise<string> {
  const archive = pack();
  const written = pipeline(archive, createWriteStream(file));
  for (let aircraft = 0; aircraft < ROWS / ROWS_PER_TRACE; aircraft++) {
    const trace = Array.from({ length: ROWS_PER_TRACE }, (_, i) => [
      i * 10.25,
      Number((40 + i * 0.001).toFixed(6)),
      Number((-3 + i * 0.002).toFixed(6)),
      i < 20 ? 'ground' : 36_000 + (i % 9) * 25,
      447.1,
      45.2,
      i === 20 ? 2 : 0,
      0,
      i % 4 === 0
        ? {
            type: 'adsb_icao',
            flight: `BAW${aircraft}`,
            alt_geom: 36_650,
            nic: 8,
            nac_p: 10,
            rc: 186,
            category: 'A3',
          }
        : null,
      'adsb_icao',
      36_650 + (i % 9) * 25,
      null,
      250,
      0.1,
    ]);
    const icao = (0x400000 + aircraft).toString(16);
    const body = gzipSync(JSON.stringify({ icao, r: `G-${aircraft}`, t: 'A320', timestamp: START_S, trace }));
    await new Promise<void>((resolve) => {
      archive.entry({ name: `traces/${icao.slice(4)}/trace_full_${icao}.json` }, body, () => resolve());
    });
  }
  archive.finalize();
  await written;
  return file;
}

/** One line for each of 500 aircraft and second; every fifth repeats a stale position. */
async function writeStates(file: string): Promise<string> {
  const head =
    'time,icao24,lat,lon,velocity,heading,vertrate,callsign,onground,alert,spi,squawk,baroaltitude,geoaltitude,lastposupdate,lastcontact';
  function* lines(): Generator<string> {
    yield `${head}\n`;
    for (let i = 0; i < ROWS; i++) {
      const second = START_S + Math.floor(i / 500);
      const position = second - (i % 5 === 0 ? 20 : 0.5);
      const address = (0x400000 + (i % 500)).toString(16);
      yield `${second},${address},${(48 + i * 1e-6).toFixed(6)},${(-3.6 + i * 1e-6).toFixed(6)},230.0,45.0,0.0,BAW${i % 500}  ,false,false,false,1000,10980.42,11170.92,${position},${second}\n`;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(file));
  return file;
}
