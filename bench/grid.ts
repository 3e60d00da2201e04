/**
 * Grids of sac, issr and pcr: seconds and memory from weather files to a global netCDF file, and polygons of its levels,
 * versus pycontrails on the same files in the same run; and how quickly a server responds to small requests from weather
 * that it has in memory. `BENCH_MODELS=sac` measures one model, `BENCH_MODELS=` the server alone; `BENCH_TIME` is the time
 * of the grids: at a full hour, the default, one hour of weather does, which is best for the peer.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readTools, repositoryRoot } from '../test/support/tools.ts';
import { type DemoServer, startDemoServer } from './support/demo-server.ts';

const MODELS = (process.env.BENCH_MODELS ?? 'sac,issr,pcr').split(',').filter((model) => model !== '');
const TIME = process.env.BENCH_TIME ?? '2024-04-01T00:00';
const REQUESTS = 40;
const PARALLEL = 10;
const weather = join(repositoryRoot, '.cache', 'bench', 'grid', 'era5.nc');
const folder = mkdtempSync(join(tmpdir(), 'contrails-bench-grid-'));
const { python } = readTools();

interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly weatherBytes?: number;
  readonly polygonSeconds?: number;
  readonly polygonBytes?: number;
}

const rows: Record<string, number | string>[] = [];
try {
  if (python === null) console.log('global grids are skipped: there is no Python with pycontrails');
  else await globalGrids(python);
  await smallRequests();
} finally {
  rmSync(folder, { recursive: true });
}
console.table(rows);

async function globalGrids(interpreter: string): Promise<void> {
  const peer = (script: string) => fileURLToPath(new URL(`peer/${script}.py`, import.meta.url));
  if (MODELS.length > 0 && !existsSync(weather)) {
    console.log('making the weather of the benchmark once');
    execFileSync(interpreter, [peer('make_grid_met'), weather], { stdio: 'inherit' });
  }
  const program = fileURLToPath(new URL('programs/grid.ts', import.meta.url));
  for (const model of MODELS) {
    // Both find the file in the system's cache.
    for await (const _ of createReadStream(weather));
    const ours = measure(process.execPath, [program, weather, TIME, model, join(folder, 'ours.nc')]);
    const theirs = measure(interpreter, [peer('grid'), weather, TIME, model, join(folder, 'theirs.nc')]);
    compareFiles(interpreter, model);
    addRow(`${model}: files to global netCDF, s`, ours.seconds, theirs.seconds, '≥ 5');
    addRow(`${model}: processor seconds`, ours.cpuSeconds, theirs.cpuSeconds);
    addRow(`${model}: peak memory, MB`, ours.peakBytes / 1e6, theirs.peakBytes / 1e6);
    const beyond = (ours.peakBytes - (ours.weatherBytes ?? 0)) / 1e6;
    addRow(`${model}: peak memory beyond the weather, MB`, beyond, undefined, '≤ 600 MB');
    if (ours.polygonSeconds !== undefined) {
      addRow(
        'polygons of 18 global levels with JSON, CPU s',
        ours.polygonSeconds,
        theirs.polygonSeconds,
        '≥ 5',
      );
    }
  }
}

/** The two must not differ in a cell more than round-off at the thresholds can explain. */
function compareFiles(interpreter: string, model: string): void {
  const script = `
import xarray as xr
ours, theirs = xr.open_dataarray('${join(folder, 'ours.nc')}'), xr.open_dataarray('${join(folder, 'theirs.nc')}')
a = ours.transpose('longitude', 'latitude', 'flight_level', 'time').values
b = theirs.sortby('level', ascending=False).transpose('longitude', 'latitude', 'level', 'time').values
print(int(((a != b) & ~((a != a) & (b != b))).sum()))`;
  const different = Number(execFileSync(interpreter, ['-c', script], { encoding: 'utf8' }));
  console.log(`${model}: ${different} of 18 688 320 cells differ`);
  if (different > 200) throw new Error('the two did not compute the same');
}

function measure(program: string, args: readonly string[]): Measured {
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8' })) as Measured;
}

/** One level of 20° × 20° as GeoJSON: ever new boxes, so nothing but the weather is known beforehand. */
async function smallRequests(): Promise<void> {
  const server = await startDemoServer(folder);
  try {
    const ask = (index: number) => {
      const [west, south] = [-170 + ((index * 37) % 300), -60 + ((index * 23) % 100)];
      const box = [west, south, west + 20, south + 20].join(',');
      return timed(
        `${server.address}/v0/grid/pcr?time=2024-06-12T03:30&flight_level=350&format=geojson&bbox=${box}`,
        server.key,
      );
    };
    for (let index = 0; index < PARALLEL; index++) await ask(index);
    const single: number[] = [];
    for (let index = 0; index < REQUESTS; index++) single.push(await ask(1000 + index));
    const { parallel, health } = await underLoad(ask, server);
    addRow('20° × 20°, one level, GeoJSON: median, ms', quantile(single, 0.5), undefined, '≤ 50 ms');
    addRow('the same: 95 %, ms', quantile(single, 0.95));
    addRow(`${PARALLEL} of them at a time: median, ms`, quantile(parallel, 0.5));
    addRow(`/healthz meanwhile: 99 %, ms`, quantile(health, 0.99));
    addRow(`/healthz meanwhile: longest, ms`, Math.max(...health));
  } finally {
    await server.stop();
  }
}

async function underLoad(ask: (index: number) => Promise<number>, server: DemoServer) {
  const health: number[] = [];
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      health.push(await timed(`${server.address}/healthz`, server.key));
      await sleep(2);
    }
  })();
  const parallel: number[] = [];
  const lane = async (first: number) => {
    for (let index = 0; index < REQUESTS / 4; index++) parallel.push(await ask(5000 + first * 100 + index));
  };
  await Promise.all(Array.from({ length: PARALLEL }, (_, first) => lane(first)));
  isOver = true;
  await watch;
  return { parallel, health };
}

async function timed(url: string, key: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, { headers: { 'x-api-key': key } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return performance.now() - started;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? Number.NaN;
}

function addRow(what: string, ours: number, theirs?: number, wanted = ''): void {
  const round = (value: number) => Number(value.toPrecision(3));
  rows.push({
    what,
    ours: round(ours),
    peer: theirs === undefined ? '' : round(theirs),
    gain: theirs === undefined ? '' : round(theirs / ours),
    wanted,
  });
}
