/**
 * Real weather: seconds and memory to index, fetch from a local mirror and read a global run at 0.25°, versus ecmwf-opendata
 * and cfgrib on the same files.
 *
 * BENCH_HOURS and BENCH_ROUNDS make it shorter; BENCH_PYTHON is a Python with ecmwf-opendata and cfgrib where that of the set-up has none.
 */
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readTools, repositoryRoot } from '../test/support/tools.ts';

const BOUNDARY = 'a-part-of-a-file';
const MULTIPART = { 'content-type': `multipart/byteranges; boundary=${BOUNDARY}` };
const HOURS = process.env.BENCH_HOURS ?? '48';
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const python = process.env.BENCH_PYTHON ?? readTools().python ?? 'python3';
const peer = join(import.meta.dirname, 'peer');
const folder = mkdtempSync(join(tmpdir(), 'contrails-bench-'));
const sample = join(
  repositoryRoot,
  'packages/met/test/reference/weather-sync/tree/ecmwf/20260914/00z/ifs/0p25/oper/20260914000000-3h-oper-fc.grib2',
);

interface Measured {
  readonly fetch: number;
  readonly read: number;
  /** Processor seconds of the same, which a busy machine does not change. */
  readonly fetchCpu: number;
  readonly readCpu: number;
  readonly peakMib: number;
}

try {
  execFileSync(python, [join(peer, 'make_forecast.py'), join(folder, 'tree'), sample, HOURS]);
  const server = mirror(join(folder, 'tree'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = async (command: string, args: readonly string[]) => {
    const { stdout } = await promisify(execFile)(command, args, { maxBuffer: 2 ** 26 });
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Measured;
  };
  /** Both in turn: neither has the machine while it is busier; of each the fastest. */
  const rounds: { readonly ours: Measured; readonly theirs: Measured | undefined }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const ownFolder = join(folder, 'ours');
    const ours = await run(process.execPath, [
      join(import.meta.dirname, 'programs/weather-sync.ts'),
      root,
      ownFolder,
      HOURS,
    ]);
    rmSync(ownFolder, { recursive: true });
    const theirs = await run(python, [join(peer, 'weather_sync.py'), root, folder, HOURS]).catch(
      (error: Error) => {
        console.log(`no peer: ${error.message.split('\n').at(-2)}`);
        return undefined;
      },
    );
    rounds.push({ ours, theirs });
  }
  const fastest = (all: readonly Measured[]) =>
    [...all].sort((one, other) => one.fetch + one.read - other.fetch - other.read)[0];
  const ours = fastest(rounds.map((round) => round.ours)) as Measured;
  const theirs = fastest(rounds.flatMap((round) => round.theirs ?? []));
  const row = (what: string, of: (one: Measured) => number) => ({
    what,
    ours: Number(of(ours).toPrecision(3)),
    peer: theirs === undefined ? '–' : Number(of(theirs).toPrecision(3)),
    gain: theirs === undefined ? '–' : Number((of(theirs) / of(ours)).toPrecision(2)),
  });
  console.table([
    row('index and fetch, s', ({ fetch }) => fetch),
    row('read, s', ({ read }) => read),
    row('both, s', ({ fetch, read }) => fetch + read),
    row('index and fetch, processor s', ({ fetchCpu }) => fetchCpu),
    row('read, processor s', ({ readCpu }) => readCpu),
    row('peak memory, MiB', ({ peakMib }) => peakMib),
  ]);
  server.close();
  server.closeAllConnections();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Several ranges of a file in one response, which the peer asks for. */
function parts(path: string, size: number, ranges: readonly RegExpMatchArray[]): Buffer {
  const pieces = ranges.flatMap(([range = '', first, last]) => [
    Buffer.from(
      `\r\n--${BOUNDARY}\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes ${range}/${size}\r\n\r\n`,
    ),
    cut(path, Number(first), Number(last)),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

function cut(path: string, first: number, last: number): Buffer {
  const bytes = Buffer.allocUnsafe(last - first + 1);
  const file = openSync(path, 'r');
  readSync(file, bytes, 0, bytes.length, first);
  closeSync(file);
  return bytes;
}

/** Files with ranges, as fast as memory gives them. */
function mirror(tree: string) {
  return createServer((request, response) => {
    try {
      const path = join(tree, decodeURIComponent(request.url ?? ''));
      const { size, mtimeMs } = statSync(path);
      const several = [...(request.headers.range ?? '').matchAll(/(\d+)-(\d+)/g)];
      if (several.length > 1) return void response.writeHead(206, MULTIPART).end(parts(path, size, several));
      const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
      const [start, end] = [Number(first ?? 0), last ? Number(last) : size - 1];
      response.writeHead(first === undefined ? 200 : 206, {
        'content-length': end - start + 1,
        'accept-ranges': 'bytes',
        etag: `"${size}-${mtimeMs}"`,
        ...(first === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
      });
      response.end(request.method === 'HEAD' ? undefined : cut(path, start, end));
    } catch {
      response.writeHead(404).end();
    }
  });
}
