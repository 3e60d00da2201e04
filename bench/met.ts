/**
 * Weather: seconds and memory to load thirteen hours of a global 0.25° grid from netCDF, and nanoseconds to interpolate
 * nine variables at a point, beside xarray and pycontrails on the same files and points in the same run.
 */
import { execFileSync } from 'node:child_process';
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allocateField } from '../packages/met/src/field.ts';
import { type SamplePoints, sampleInto } from '../packages/met/src/interpolate.ts';
import { readTools, repositoryRoot } from '../test/support/tools.ts';

const HOURS = Number(process.env.BENCH_HOURS ?? 13);
const VARIABLES = 9;
const LEVELS = [150, 175, 200, 225, 250, 300, 350, 400, 450, 500, 550, 600];
const HOUR_MS = 3_600_000;
const GIB = 2 ** 30;
const data = join(repositoryRoot, '.cache', 'bench', 'met');
const peer = join(import.meta.dirname, 'peer');
const { python } = readTools();

interface Row {
  readonly what: string;
  readonly ours: number;
  readonly peer: number | string;
  readonly gain: number | string;
}

const rows: Row[] = [];
await loading();
interpolation();
console.table(rows);

async function loading(): Promise<void> {
  const reason = cannotLoad();
  if (reason !== undefined) {
    console.log(`loading is skipped: ${reason}`);
    return;
  }
  if (!existsSync(join(data, 'era5-sl.nc'))) {
    console.log('making the weather files of the benchmark once (about 4 GB, some minutes)');
    execFileSync(python as string, [join(peer, 'make_met.py'), data], { stdio: 'inherit' });
  }
  // Both find the files in the system's cache.
  for (const name of readdirSync(data)) for await (const _ of createReadStream(join(data, name)));
  const program = fileURLToPath(new URL('programs/met-load.ts', import.meta.url));
  const ours = measure<Loaded>(process.execPath, [program, data, String(HOURS)]);
  const theirs = measure<Loaded>(python as string, [
    '-W',
    'ignore',
    join(peer, 'met.py'),
    'load',
    data,
    String(HOURS),
  ]);
  if (ours.values !== theirs.values) throw new Error('the two did not load the same');
  const what = `netCDF, ${HOURS} h, 12 levels × 8 variables and radiation`;
  addRow(`${what}: seconds`, ours.seconds, theirs.seconds);
  addRow(`${what}: processor seconds`, ours.cpuSeconds, theirs.cpuSeconds);
  addRow(`${what}: peak memory, GiB`, ours.peakBytes / GIB, theirs.peakBytes / GIB);
  addRow(`${what}: of which values, GiB`, (ours.values * 4) / GIB, (theirs.values * 4) / GIB);
}

interface Loaded {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly values: number;
}

function cannotLoad(): string | undefined {
  if (python === null) return 'there is no Python with xarray';
  const { bavail, bsize } = statfsSync(repositoryRoot);
  if (!existsSync(join(data, 'era5-sl.nc')) && bavail * bsize < 20 * GIB)
    return 'less than 20 GiB of disk are free';
  if (freemem() < (HOURS / 13) * 10 * GIB)
    return `less than ${Math.ceil((HOURS / 13) * 10)} GiB of memory are free`;
  return undefined;
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
