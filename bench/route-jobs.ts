/**
 * A thousand routes as one job of a service: how long it takes, what the process takes of memory, and what a kill in the middle costs.
 * Half of them are within Europe, the rest across the North Atlantic, with all defaults but contrails in the search, for which the demo
 * has no grids that far ahead; every route is verified by the full models.
 *
 * BENCH_ROUTES makes it shorter, BENCH_QUERY gives other parameters of the search, and BENCH_KILL=1 kills the service once a third is
 * done and starts it again.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { HOUR_MS } from '@contrails/runtime';
import { type DemoServer, startDemoServer } from './support/demo-server.ts';

const ROUTES = Number(process.env.BENCH_ROUTES ?? 1000);
const QUERY = process.env.BENCH_QUERY ?? 'contrails=none';
const KILLED_AT = process.env.BENCH_KILL === '1' ? 1 / 3 : Number.POSITIVE_INFINITY;
const PAIRS = [
  ['EGLL', 'LGAV', 'A320'],
  ['EDDF', 'LEMD', 'A320'],
  ['LFPG', 'ESSA', 'B738'],
  ['EGLL', 'KJFK', 'B789'],
  ['EDDF', 'KORD', 'B77W'],
  ['LEMD', 'EFHK', 'B738'],
  ['LSZH', 'KBOS', 'A333'],
  ['EHAM', 'CYYZ', 'B789'],
] as const;
/** Nothing but the job runs. */
const QUIET = {
  CONTRAILS_FORECAST__SCHEDULE: 'off',
  CONTRAILS_FORECAST__SCORE__SCHEDULE: 'off',
  CONTRAILS_TELEMETRY__SOURCES: '[]',
  CONTRAILS_OBSERVATIONS__SOURCES: '[]',
};
const START_MS = Date.UTC(2026, 0, 15, 6);

const data = mkdtempSync(join(tmpdir(), 'contrails-bench-routes-'));
let server = await startDemoServer(data, QUIET, 'workers');
let [peakMb, cpuS] = [0, 0];
try {
  const routes = Array.from({ length: ROUTES }, (_, k) => {
    const [origin, destination, aircraft_type] = PAIRS[k % PAIRS.length] as (typeof PAIRS)[number];
    const departure = START_MS + (k % 12) * HOUR_MS;
    return { origin, destination, aircraft_type, departure_time: new Date(departure).toISOString() };
  });
  const began = performance.now();
  const accepted = await ask(server, `/v1/planning/route?${QUERY}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ routes }),
  });
  const job = accepted.headers.get('location') ?? '';
  let [hasBeenKilled, steps, last] = [false, 0, -1];
  for (;;) {
    const { state, progress, error } = (await (await ask(server, job)).json()) as JobAnswer;
    note(server);
    // Nothing is reported until the second attempt has begun.
    if (hasBeenKilled && progress === 0) last = -1;
    if (progress < last) throw new Error(`progress fell from ${last} to ${progress}`);
    if (progress > last) steps++;
    last = progress;
    if (state === 'failed' || state === 'cancelled') throw new Error(`the job ${state}: ${error}`);
    if (state === 'done') break;
    if (!hasBeenKilled && progress >= KILLED_AT) {
      hasBeenKilled = true;
      cpuS += cpuOf(server);
      process.kill(server.pid, 'SIGKILL');
      server = await startDemoServer(data, QUIET, 'workers');
      last = -1;
    }
    await pause(1000);
  }
  const seconds = (performance.now() - began) / 1000;
  const result = await (await ask(server, `${job}/result`)).json();
  const answers = (result as { routes: { chosen?: { cost: number } }[] }).routes;
  console.table([
    { what: `${ROUTES} routes as one job${hasBeenKilled ? ', killed once' : ''}, s`, value: round(seconds) },
    { what: 'of the processor, s', value: round(cpuS + cpuOf(server)) },
    { what: 'routes with an answer', value: answers.filter(({ chosen }) => chosen !== undefined).length },
    { what: 'times that progress was seen to rise', value: steps },
    { what: 'peak memory of the service, MB', value: round(peakMb) },
  ]);
} finally {
  await server.stop();
  rmSync(data, { recursive: true, force: true });
}

interface JobAnswer {
  readonly state: string;
  readonly progress: number;
  readonly error?: string;
}

async function ask({ address, key }: DemoServer, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'x-api-key': key, ...(init.headers as Record<string, string>) };
  const response = await fetch(new URL(path, address), { ...init, headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

function note({ pid }: DemoServer): void {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  peakMb = Math.max(peakMb, Number(peak) / 1000);
}

/** Of all threads [s]. */
function cpuOf({ pid }: DemoServer): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
