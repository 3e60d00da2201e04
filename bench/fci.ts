/**
 * Reading of FCI: chunks of a full disk with JPEG-LS, as EUMETSAT delivers them, versus their uncompressed twins. Prints
 * processor seconds of both, best of five, and the speed of JPEG-LS as a share of that of its twin.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFrame } from '@contrails/observations/readers';
import { readTools } from '../test/support/tools.ts';

/** Pixels of a row of the disk, and chunks that it is delivered in. */
const SIZE = 5568;
const CHUNKS = 40;
/** In the middle of the disk; BENCH_CHUNKS is how many. */
const COUNT = Number(process.env.BENCH_CHUNKS ?? 12);
const READ_CHUNKS = Array.from({ length: COUNT }, (_, k) => Math.floor((CHUNKS - COUNT) / 2) + 1 + k);
const ROUNDS = 5;
const IMAGERY = join(import.meta.dirname, '../packages/observations/test/support/imagery.py');

const { python, missing } = readTools();
if (python === null)
  throw new Error(`no imagery can be written: ${missing.python ?? 'Python is not set up'}`);

const folder = mkdtempSync(join(tmpdir(), 'contrails-bench-fci-'));
try {
  const layouts = { uncompressed: {}, 'JPEG-LS': { jpeg_ls: {} } };
  const seconds = Object.entries(layouts).map(([name, layout], k) => {
    const files = READ_CHUNKS.map((chunk) => ({
      kind: 'fci',
      path: join(folder, `${k}-${chunk}.nc`),
      start: '2024-03-07T15:00:07',
      bands: ['T8', 'T11', 'T12'],
      size: SIZE,
      chunks: CHUNKS,
      chunk,
      clouds: true,
      ...layout,
    }));
    execFileSync(python, [IMAGERY], { input: JSON.stringify(files), maxBuffer: 2 ** 30 });
    const paths = files.map(({ path }) => path);
    return { name, seconds: Math.min(...Array.from({ length: ROUNDS }, () => cpuSecondsOf(paths))) };
  });
  const megapixels = (READ_CHUNKS.length * SIZE * SIZE) / CHUNKS / 1e6;
  const [twin = { seconds: Number.NaN }] = seconds;
  console.table(
    seconds.map(({ name, seconds: spent }) => ({
      chunks: name,
      'CPU seconds': Number(spent.toPrecision(3)),
      'megapixels/s': Number((megapixels / spent).toPrecision(3)),
      'of uncompressed': Number((twin.seconds / spent).toPrecision(3)),
    })),
  );
} finally {
  rmSync(folder, { recursive: true });
}

function cpuSecondsOf(paths: readonly string[]): number {
  const before = process.cpuUsage();
  readFrame(paths, { now: Date.now(), isPartial: true });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
