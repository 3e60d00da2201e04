/**
 * Weather: seconds and memory to load thirteen hours of a global 0.25° grid from netCDF in both layouts of the Copernicus
 * store and from Zarr like ARCO-ERA5, and nanoseconds to interpolate nine variables at a point, versus xarray and
 * pycontrails on the same files and points in the same run.
 *
 * BENCH_HOURS makes it shorter, BENCH_PARTS=zarr,interpolation takes some of its parts, BENCH_KEEP=1 keeps the files.
 */

import { execFileSync } from 'node:child_process';
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HOUR_MS } from '@contrails/runtime';
import { allocateField } from '../packages/met/src/field/field.ts';
import { type SamplePoints, sampleInto } from '../packages/met/src/interpolate/interpolate.ts';
import { readTools, repositoryRoot } from '../test/support/tools.ts';

const HOURS = Number(process.env.BENCH_HOURS ?? 13);
const VARIABLES = 9;
const LEVELS = [150, 175, 200, 225, 250, 300, 350, 400, 450, 500, 550, 600];
const GIB = 2 ** 30;
const peer = join(import.meta.dirname, 'peer');
const { python } = readTools();

interface Layout {
  readonly name: 'netcdf' | 'packed' | 'zarr';
  readonly what: string;
  /** Of thirteen hours. */
  readonly diskGib: number;
}

const LAYOUTS: readonly Layout[] = [
  { name: 'netcdf', what: 'netCDF-4', diskGib: 4 },
  { name: 'packed', what: 'classic netCDF, packed', diskGib: 3 },
  { name: 'zarr', what: 'Zarr like ARCO-ERA5', diskGib: 11 },
];
const PARTS = (process.env.BENCH_PARTS ?? 'netcdf,packed,zarr,interpolation').split(',');

interface Row {
  readonly what: string;
  readonly ours: number;
  readonly peer: number | string;
  readonly gain: number | string;
}

const rows: Row[] = [];
await loading();
if (PARTS.includes('interpolation')) interpolation();
console.table(rows);

async function loading(): Promise<void> {
  for (const layout of LAYOUTS.filter(({ name }) => PARTS.includes(name))) {
    const reason = cannotLoad(layout);
    if (reason === undefined) await loadingOf(layout);
    else console.log(`loading of ${layout.name} is skipped: ${reason}`);
  }
}

async function loadingOf({ name, what }: Layout): Promise<void> {
  const directory = directoryOf(name);
  if (!existsSync(directory)) {
    console.log(`making ${what} for the benchmark (some minutes)`);
    const making = `${directory}.part`;
    rmSync(making, { recursive: true, force: true });
    execFileSync(python as string, [join(peer, 'make_met.py'), making, name, String(HOURS)], {
      stdio: 'inherit',
    });
    renameSync(making, directory);
  }
  try {
    await warmCache(directory);
    const program = fileURLToPath(new URL('programs/met-load.ts', import.meta.url));
    const ours = measure<Loaded>(process.execPath, [program, directory, name, String(HOURS)]);
    const script = ['-W', 'ignore', join(peer, 'met.py'), 'load', directory, name, String(HOURS)];
    const theirs = measure<Loaded>(python as string, script);
    if (ours.values !== theirs.values) throw new Error('the two did not load the same');
    addRow(`${what}, ${HOURS} h: seconds`, ours.seconds, theirs.seconds);
    addRow(`${what}, ${HOURS} h: processor seconds`, ours.cpuSeconds, theirs.cpuSeconds);
    const gib = ({ peakBytes, values }: Loaded) => ({
      peak: peakBytes / GIB,
      values: (4 * values) / GIB,
      beyond: (peakBytes - 4 * values) / GIB,
    });
    addRow(`${what}, ${HOURS} h: peak memory, GiB`, gib(ours).peak, gib(theirs).peak);
    addRow(`${what}, ${HOURS} h: of which values, GiB`, gib(ours).values, gib(theirs).values);
    addRow(`${what}, ${HOURS} h: beyond the values, GiB`, gib(ours).beyond, gib(theirs).beyond);
  } finally {
    if (process.env.BENCH_KEEP !== '1') rmSync(directory, { recursive: true });
  }
}

/** Both find the files in the system's cache. */
async function warmCache(directory: string): Promise<void> {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    for await (const _ of createReadStream(join(entry.parentPath, entry.name)));
  }
}

interface Loaded {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly values: number;
}

function cannotLoad({ name, diskGib }: Layout): string | undefined {
  if (python === null) return 'there is no Python with xarray';
  const { bavail, bsize } = statfsSync(repositoryRoot);
  const needed = 1.5 * diskGib * (HOURS / 13);
  if (!existsSync(directoryOf(name)) && bavail * bsize < needed * GIB)
    return `less than ${Math.ceil(needed)} GiB of disk are free`;
  if (freemem() < (HOURS / 13) * 12 * GIB)
    return `less than ${Math.ceil((HOURS / 13) * 12)} GiB of memory are free`;
  return undefined;
}

function directoryOf(layout: string): string {
  return join(repositoryRoot, '.cache', 'bench', `met-${layout}-${HOURS}h`);
}

function interpolation(): void {
  const field = allocateField(
    Array.from({ length: VARIABLES }, (_, v) => `variable ${v}`),
    {
      longitude: Array.from({ length: 1441 }, (_, i) => i / 4 - 180),
      latitude: Array.from({ length: 721 }, (_, j) => j / 4 - 90),
      level: LEVELS,
      time: [0, HOUR_MS],
    },
  );
  for (const slab of field.slabs) for (let i = 0; i < slab.length; i++) slab[i] = (i * 2_654_435_761) % 4096;
  const folder = mkdtempSync(join(tmpdir(), 'contrails-bench-'));
  for (const [name, points] of Object.entries({ 'random points': randomPoints(), flights: flightPoints() })) {
    const count = points.timeMs.length;
    const out = Array.from({ length: VARIABLES }, () => new Float64Array(count));
    let bestMs = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 5; run++) {
      const started = performance.now();
      sampleInto(out, field, 0, points, count);
      bestMs = Math.min(bestMs, performance.now() - started);
    }
    const file = join(folder, 'points.bin');
    const hours = points.timeMs.map((time) => time / HOUR_MS);
    const columns = [points.longitude, points.latitude, points.level, hours];
    writeFileSync(file, Buffer.concat(columns.map((column) => Buffer.from(column.buffer))));
    const theirs =
      python === null
        ? undefined
        : measure<{ plainNs: number; sharedNs: number }>(python, [
            join(peer, 'met.py'),
            'interpolate',
            file,
            String(VARIABLES),
          ]);
    const ours = (bestMs * 1e6) / count;
    const what = `${VARIABLES} variables at ${name}, ns per point`;
    addRow(`${what}; peer as its models do it`, ours, theirs?.plainNs);
    addRow(`${what}; peer with cells found once`, ours, theirs?.sharedNs);
  }
  rmSync(folder, { recursive: true });
}

function randomPoints(): SamplePoints {
  const count = 500_000;
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    longitude: Float64Array.from({ length: count }, () => 360 * random() - 180),
    latitude: Float64Array.from({ length: count }, () => 180 * random() - 90),
    level: Float64Array.from({ length: count }, () => 150 + 450 * random()),
    timeMs: Float64Array.from({ length: count }, () => HOUR_MS * random()),
  };
}

/** Six hundred flights with a waypoint every minute or so, at one level each. */
function flightPoints(): SamplePoints {
  const [flights, waypoints] = [600, 500];
  const along = (value: (flight: number, share: number) => number) =>
    Float64Array.from({ length: flights * waypoints }, (_, i) =>
      value(Math.floor(i / waypoints), (i % waypoints) / (waypoints - 1)),
    );
  return {
    longitude: along((flight, share) => -170 + ((flight * 37) % 270) + 70 * share),
    latitude: along((flight, share) => -60 + ((flight * 53) % 100) + 20 * share),
    level: along((flight) => 180 + ((flight * 29) % 120)),
    timeMs: along((flight, share) => (((flight * 17) % 60) / 120 + 0.5 * share) * HOUR_MS),
  };
}

function measure<Answer>(program: string, args: readonly string[]): Answer {
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8', maxBuffer: GIB })) as Answer;
}

function addRow(what: string, ours: number, theirs: number | undefined): void {
  const round = (value: number) => Number(value.toPrecision(3));
  rows.push({
    what,
    ours: round(ours),
    peer: theirs === undefined ? 'no Python' : round(theirs),
    gain: theirs === undefined ? '' : round(theirs / ours),
  });
}
