/**
 * Contrail grids: time per surviving plume step versus pycontrails on the same weather in the same run; how time and memory
 * grow with cells, lifetime and threads; all 18 levels of a global hour at a quarter of a degree, which docs/scale-out.md
 * takes its figures from; a level of it, and how quickly stored products are served.
 *
 * BENCH_PARTS=peer,growth,hour,products takes some of them, BENCH_PEER=off leaves the peer out, and BENCH_WEATHER_DEG is the
 * resolution of the weather of the global hour (1).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readTools, repositoryRoot } from '../test/support/tools.ts';
import { type DemoServer, startDemoServer } from './support/demo-server.ts';
import { ask, clientAborted } from './support/plain-client.ts';
import { worldTable } from './support/world.ts';

const WEATHER_DEG = 2;
const LEVELS = '330,340,350,360,370,380';
/** The quickest counts, as on the side of the peer. */
const RUNS = 5;
const REQUESTS = 300;
const ALL_LEVELS = Array.from({ length: 18 }, (_, i) => 270 + 10 * i).join(',');
const QUARTER_DEGREE_CELLS = 18 * 1440 * 721;
const WHOLE_LIFE_H = 12;
const STEPS_PER_HOUR = 12;
const weather = join(repositoryRoot, '.cache', 'bench', 'cocip-grid', `met-${WEATHER_DEG}.nc`);
const folder = mkdtempSync(join(tmpdir(), 'contrails-bench-cocip-'));
const python = process.env.BENCH_PEER === 'off' ? null : readTools().python;
const program = (name: string) => fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url));

interface Grid {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly cells: number;
  readonly bytes: number;
  readonly peakBytes: number;
  readonly weatherBytes: number;
  readonly contrails: number;
  readonly plumeSteps: number;
}

interface Peer {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly flips: number;
  readonly median: number;
  readonly worst: number;
}

const rows: Record<string, number | string>[] = [];
try {
  if (!existsSync(weather)) {
    console.log('making the weather of the benchmark once');
    mkdirSync(join(weather, '..'), { recursive: true });
    execFileSync(process.execPath, [program('cocip-grid-met'), weather, String(WEATHER_DEG)]);
  }
  const parts: Readonly<Record<string, () => void | Promise<void>>> = {
    peer: besidePeer,
    growth,
    hour: globalHour,
    products: quarterDegree,
  };
  for (const part of (process.env.BENCH_PARTS ?? Object.keys(parts).join(',')).split(','))
    await parts[part]?.();
} finally {
  rmSync(folder, { recursive: true });
}
if (rows.length > 0) console.table(rows);

function besidePeer(): void {
  const output = join(folder, 'ours.nc');
  const two = runGrid({ threads: 2, runs: RUNS });
  const one = runGrid({ runs: RUNS, output });
  const peer = python === null ? undefined : runPeer(python, output);
  console.log(`${one.cells} cells, ${one.contrails} contrails, ${one.plumeSteps} plume steps`);
  const theirs = peer && (1e6 * peer.seconds) / one.plumeSteps;
  addRow('one thread: µs per plume step', perStep(one), theirs, '≥ 5');
  addRow('two threads: µs per plume step', perStep(two), theirs, '≥ 9');
  addRow(
    'processor: µs per plume step',
    (1e6 * one.cpuSeconds) / one.plumeSteps,
    peer && (1e6 * peer.cpuSeconds) / one.plumeSteps,
  );
  addRow('peak memory, MB', one.peakBytes / 1e6, peer && peer.peakBytes / 1e6);
  addRow('peak memory beyond the weather, MB', beyondWeather(one));
}

/** Each differs in one thing from cells of 2°, lives of 12 hours at most and one thread. */
function growth(): void {
  const runs: readonly [string, Partial<GridRun>][] = [
    ['a quarter of the cells', { cellsPerDegree: 0.25 }],
    ['cells of 2°, lives of 12 h at most, one thread', {}],
    ['four times the cells', { cellsPerDegree: 1 }],
    ['lives of 3 h at most', { hours: 3 }],
    ['lives of 6 h at most', { hours: 6 }],
    ['two threads', { threads: 2 }],
  ];
  const measured = runs.map(([what, run]) => ({ what, ...runGrid({ ...run, runs: 3 }) }));
  const round = (value: number) => Number(value.toPrecision(3));
  console.table(
    measured.map((run) => ({
      what: run.what,
      cells: run.cells,
      'plume steps': run.plumeSteps,
      seconds: round(run.seconds),
      'processor s': round(run.cpuSeconds),
      'processor µs per plume step': round((1e6 * run.cpuSeconds) / run.plumeSteps),
      'peak memory, MB': round(run.peakBytes / 1e6),
      'beyond the weather, MB': round(beyondWeather(run)),
    })),
  );
}

interface GridRun {
  readonly threads: number;
  readonly cellsPerDegree: number;
  readonly hours: number;
  readonly runs: number;
  readonly output: string;
}

function runGrid(run: Partial<GridRun>): Grid {
  const { threads = 1, cellsPerDegree = 0.5, hours = WHOLE_LIFE_H, runs = 1, output = '' } = run;
  const settings = [threads, cellsPerDegree, LEVELS, hours, runs, output].map(String);
  return JSON.parse(
    execFileSync(process.execPath, [program('cocip-grid'), weather, ...settings], { encoding: 'utf8' }),
  );
}

function perStep({ seconds, plumeSteps }: Grid): number {
  return (1e6 * seconds) / plumeSteps;
}

function beyondWeather({ peakBytes, weatherBytes }: Pick<Grid, 'peakBytes' | 'weatherBytes'>): number {
  return (peakBytes - weatherBytes) / 1e6;
}

function runPeer(interpreter: string, output: string): Peer {
  const script = fileURLToPath(new URL('peer/cocip_grid.py', import.meta.url));
  const peer: Peer = JSON.parse(
    execFileSync(interpreter, [script, weather, '0.5', LEVELS, output], { encoding: 'utf8' }),
  );
  const { flips, median, worst } = peer;
  console.log(`${flips} cells with a contrail on one side only, deviation: median ${median}, worst ${worst}`);
  if (flips > 0 || median > 1e-6 || worst > 1e-3) throw new Error('the two did not compute the same');
  return peer;
}

interface Published extends Omit<Grid, 'cells'> {
  readonly cocipBytes: number;
  readonly threads: number;
  readonly time: string;
}

function publish(data: string, levels: string, weatherDeg: string): Published {
  mkdirSync(data, { recursive: true });
  return JSON.parse(
    execFileSync(process.execPath, [program('forecast-level'), data, levels, weatherDeg], {
      encoding: 'utf8',
    }),
  );
}

function globalHour(): void {
  const weatherDeg = process.env.BENCH_WEATHER_DEG ?? '1';
  const made = publish(join(folder, 'hour'), ALL_LEVELS, weatherDeg);
  const hour = `global hour of 18 levels at 0.25°, weather of ${weatherDeg}°, ${made.threads} threads`;
  addRow(`${hour}: s`, made.seconds);
  addRow('the same: processor seconds', made.cpuSeconds);
  addRow('the same: % of the cells with a contrail', (100 * made.contrails) / QUARTER_DEGREE_CELLS);
  addRow('the same: mean life of a contrail, h', made.plumeSteps / made.contrails / STEPS_PER_HOUR);
  addRow('the same: processor µs per plume step', (1e6 * made.cpuSeconds) / made.plumeSteps);
  addRow('the same: peak memory of the worker, MB', made.peakBytes / 1e6);
  addRow('the same: beyond the weather, MB', beyondWeather(made));
  addRow('the same: bytes of cocip, index and regions, MB', made.bytes / 1e6);
  addRow('the same: bytes of cocip alone, MB', made.cocipBytes / 1e6);
  console.log(worldTable(made));
}

async function quarterDegree(): Promise<void> {
  const made = publish(folder, '350', '1');
  addRow('one level at 0.25° computed, encoded and stored, s', made.seconds);
  addRow('the same: processor seconds', made.cpuSeconds);
  addRow('the same: bytes of cocip, index and regions, MB', made.bytes / 1e6);

  // It caches no responses: every request reads the stored product.
  const environment = { CONTRAILS_GRID__RESULTS_MIB: '0' };
  const { time } = made;
  const grid = `/v1/grids?time=${time}&flight_level=350`;
  const server = await startDemoServer(folder, environment);
  try {
    await measure(server, 'grid of one level', grid, '< 20 ms');
    await measure(
      server,
      'regions of one level',
      `/v1/regions?time=${time}&flight_level=350&threshold=1`,
      '< 20 ms',
    );
    const cocip = `/v0/grid/cocip?time=${time}&aircraft_type=B738&flight_level=350`;
    await measure(server, 'cocip of one level', cocip, '< 20 ms');
    await measure(server, 'cocip of one level, 20° × 20°', `${cocip}&bbox=-40,40,-20,60`);
    await measure(server, 'cocip polygons of one level', `${cocip}&format=geojson`);
  } finally {
    clientAborted();
    await server.stop();
  }
  const busy = await startDemoServer(folder, environment, 'workers');
  try {
    await measure(busy, 'grid of one level while the forecast is computed', grid);
  } finally {
    clientAborted();
    await busy.stop();
  }
}

async function measure(server: DemoServer, what: string, path: string, wanted = ''): Promise<void> {
  const times: number[] = [];
  let bytes = 0;
  for (let k = -20; k < REQUESTS; k++) {
    const started = performance.now();
    bytes = (await ask(server, path)).length;
    if (k >= 0) times.push(performance.now() - started);
    // Below the rate of a key.
    await sleep(60);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const within = (share: number) => sorted[Math.floor(share * REQUESTS)] ?? Number.NaN;
  addRow(`${what} (${Math.round(bytes / 1e3)} kB) from a directory: median, ms`, within(0.5));
  addRow('the same: 95 %, ms', within(0.95));
  addRow('the same: 99 %, ms', within(0.99), undefined, wanted);
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
