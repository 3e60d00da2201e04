/**
 * Contrail grids: time per surviving plume step beside pycontrails on the same weather in the same run, how time grows
 * with cells and threads, a flight level at a quarter of a degree, and how quickly stored products are served.
 * `BENCH_PEER=off` leaves the peer out.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readTools, repositoryRoot } from '../test/support/tools.ts';
import { type DemoServer, startDemoServer } from './support/demo-server.ts';

const WEATHER_DEG = 2;
const LEVELS = '330,340,350,360,370,380';
const REQUESTS = 300;
const LEVELS_OF_ALL = 18;
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
  besidePeer();
  await quarterDegree();
} finally {
  rmSync(folder, { recursive: true });
}
console.table(rows);

function besidePeer(): void {
  const output = join(folder, 'ours.nc');
  const run = (threads: number, cellsPerDegree: number): Grid =>
    JSON.parse(
      execFileSync(
        process.execPath,
        [program('cocip-grid'), weather, String(threads), String(cellsPerDegree), LEVELS, output],
        { encoding: 'utf8' },
      ),
    );
  const perStep = ({ seconds }: { seconds: number }, { plumeSteps }: Grid) => (1e6 * seconds) / plumeSteps;
  const small = run(1, 0.25);
  const large = run(1, 1);
  const two = run(2, 0.5);
  const one = run(1, 0.5);
  const peer = python === null ? undefined : runPeer(python, output);
  console.log(`${one.cells} cells, ${one.contrails} contrails, ${one.plumeSteps} plume steps`);
  addRow('one thread: µs per plume step', perStep(one, one), peer && perStep(peer, one), '≥ 5');
  addRow('two threads: µs per plume step', perStep(two, one), peer && perStep(peer, one), '≥ 9');
  addRow(
    'processor: µs per plume step',
    (1e6 * one.cpuSeconds) / one.plumeSteps,
    peer && (1e6 * peer.cpuSeconds) / one.plumeSteps,
  );
  addRow('peak memory, MB', one.peakBytes / 1e6, peer && peer.peakBytes / 1e6);
  addRow('peak memory beyond the weather, MB', (one.peakBytes - one.weatherBytes) / 1e6);
  addRow('a quarter of the cells: µs per plume step', perStep(small, small));
  addRow('four times the cells: µs per plume step', perStep(large, large));
  addRow('four times the cells: peak memory, MB', large.peakBytes / 1e6);
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

async function quarterDegree(): Promise<void> {
  const made = JSON.parse(
    execFileSync(process.execPath, [program('forecast-level'), folder], { encoding: 'utf8' }),
  ) as {
    seconds: number;
    cpuSeconds: number;
    bytes: number;
    plumeSteps: number;
    peakBytes: number;
    time: string;
  };
  addRow('one level at 0.25° computed, encoded and stored, s', made.seconds);
  addRow('18 levels of it, one aircraft, one hour (extrapolated), s', LEVELS_OF_ALL * made.seconds);
  addRow('the same, processor seconds', LEVELS_OF_ALL * made.cpuSeconds);
  addRow('peak memory of the worker, MB', made.peakBytes / 1e6);
  addRow('bytes of the level with index and regions, MB', made.bytes / 1e6);

  // It keeps no answers: every request reads the stored product.
  const server = await startDemoServer(folder, { CONTRAILS_GRID__RESULTS_MIB: '0' });
  try {
    const time = made.time;
    await measure(server, 'grid of one level', `/v1/grids?time=${time}&flight_level=350`, '< 20 ms');
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
    await server.stop();
  }
}

async function measure({ address, key }: DemoServer, what: string, path: string, wanted = ''): Promise<void> {
  const times: number[] = [];
  let bytes = 0;
  for (let k = -20; k < REQUESTS; k++) {
    const started = performance.now();
    const response = await fetch(`${address}${path}`, { headers: { 'x-api-key': key } });
    bytes = (await response.arrayBuffer()).byteLength;
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    if (k >= 0) times.push(performance.now() - started);
    // Below the rate of a key.
    await sleep(60);
  }
  const sorted = times.toSorted((a, b) => a - b);
  addRow(`${what} (${Math.round(bytes / 1e3)} kB) from a directory: median, ms`, sorted[REQUESTS >> 1] ?? 0);
  addRow('the same: 99 %, ms', sorted[Math.floor(0.99 * REQUESTS)] ?? 0, undefined, wanted);
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
