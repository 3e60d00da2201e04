/**
 * The demo as people meet it: how long its jobs take, and how long requests take meanwhile. Ends when no job has run for a
 * minute, or after `DEMO_MINUTES`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { greatCirclePoint, haversineM } from '@contrails/physics/geodesy';
import { HOUR_MS, isoHour, MINUTE_MS } from '@contrails/runtime';
import { startDemoServer } from './support/demo-server.ts';
import { ask, clientAborted } from './support/plain-client.ts';

const LIMIT_MS = Number(process.env.DEMO_MINUTES ?? 15) * MINUTE_MS;
/** Between two requests of a person [ms]. */
const REST_MS = 1000;
/** Longest time that a person should wait [s]. */
const WANTED = { flight: 1, plan: 3, layer: 1 } as const;

type Kind = keyof typeof WANTED;

type Place = readonly [latitude: number, longitude: number];

const AIRPORTS = {
  EGLL: [51.47, -0.45],
  KJFK: [40.64, -73.78],
  EDDF: [50.03, 8.57],
  LEMD: [40.49, -3.57],
  KLAX: [33.94, -118.41],
  KATL: [33.64, -84.43],
  WSSS: [1.36, 103.99],
  RJAA: [35.76, 140.39],
  EFHK: [60.32, 24.96],
  LPPT: [38.77, -9.13],
} as const satisfies Record<string, Place>;

const FLIGHTS: readonly {
  readonly from: keyof typeof AIRPORTS;
  readonly to: keyof typeof AIRPORTS;
  readonly aircraftType: string;
}[] = [
  { from: 'EGLL', to: 'KJFK', aircraftType: 'B789' },
  { from: 'EDDF', to: 'LEMD', aircraftType: 'A320' },
  { from: 'KLAX', to: 'KATL', aircraftType: 'B738' },
  { from: 'WSSS', to: 'RJAA', aircraftType: 'A333' },
  { from: 'EFHK', to: 'LPPT', aircraftType: 'A21N' },
];
const FLIGHT_LEVELS = [350, 330, 370, 310, 390, 290, 410, 270];

interface Sample {
  readonly kind: Kind;
  readonly what: string;
  readonly startMs: number;
  readonly ms: number;
}

/** Of `/proc/PID/stat`, in all systems that have it. */
const TICKS_PER_SECOND = 100;

const samples: Sample[] = [];
const errors: string[] = [];
const data = mkdtempSync(join(tmpdir(), 'contrails-bench-demo-'));
const server = await startDemoServer(data, {}, 'workers');
const startMs = performance.now();
let [mapMs, idleSinceMs] = [Number.NaN, Number.NaN];
try {
  for (let k = 0; elapsedMs() < LIMIT_MS && !(elapsedMs() - idleSinceMs > MINUTE_MS); k++) {
    await visit(k);
    await watchJobs();
  }
  report();
} finally {
  clientAborted();
  await server.stop();
  rmSync(data, { recursive: true, force: true });
}

/** What one person asks for: a flight, its levels, then layers of the map. */
async function visit(k: number): Promise<void> {
  const { from, to, aircraftType } = FLIGHTS[k % FLIGHTS.length] as (typeof FLIGHTS)[number];
  const flightLevel = FLIGHT_LEVELS[k % FLIGHT_LEVELS.length] as number;
  const departureMs = (Math.floor(Date.now() / HOUR_MS) + (k % 3)) * HOUR_MS;
  const body = JSON.stringify({
    ...waypoints(AIRPORTS[from], AIRPORTS[to], flightLevel, departureMs),
    aircraft_type: aircraftType,
  });
  const name = `${from}–${to}`;
  await measure(
    'flight',
    name,
    '/v0/trajectory/cocip?resample=60&include=performance,emissions,met,co2e,contrail',
    body,
  );
  await measure('plan', name, '/v1/planning/profile?uncertainty=50&include=waypoints', body);
  const hour = isoHour(Date.now() + (k % 4) * HOUR_MS);
  const cell = `time=${hour}&flight_level=${flightLevel}`;
  for (const layer of ['issr', 'sac', 'pcr'])
    await measure('layer', layer, `/v0/grid/${layer}?${cell}&format=geojson&simplify=4`);
  await measure('layer', 'weather', `/v0/grid/weather?${cell}`);
  if (!(await isServed(hour, flightLevel))) return;
  await measure('layer', 'index', `/v1/grids?${cell}`);
  await measure('layer', 'energy forcing', `/v0/grid/cocip?${cell}&aircraft_type=B738`);
}

/** Along the great circle with a plain climb and descent, as the app makes flights of two airports. */
function waypoints(from: Place, to: Place, flightLevel: number, departureMs: number) {
  const minutes = haversineM(from[1], from[0], to[1], to[0]) / 13_900;
  const steps = Math.ceil(minutes / 2);
  const positions = Array.from({ length: steps + 1 }, (_, k) =>
    greatCirclePoint(from[1], from[0], to[1], to[0], k / steps),
  );
  const minute = positions.map((_, k) => (k / steps) * minutes);
  return {
    longitude: positions.map(([longitude]) => longitude),
    latitude: positions.map(([, latitude]) => latitude),
    altitude: minute.map((at) =>
      Math.round(Math.min(100 * flightLevel, 1500 + 1700 * at, 1500 + 1500 * (minutes - at))),
    ),
    time: minute.map((at) => new Date(departureMs + at * MINUTE_MS).toISOString()),
  };
}

async function measure(kind: Kind, what: string, path: string, body?: string): Promise<void> {
  const beganMs = elapsedMs();
  try {
    await ask(server, path, body);
    samples.push({ kind, what, startMs: beganMs, ms: elapsedMs() - beganMs });
  } catch (error) {
    errors.push(`${what} after ${seconds(beganMs)} s: ${String(error).slice(0, 200)}`);
  }
  await pause(REST_MS);
}

async function watchJobs(): Promise<void> {
  const { jobs } = await get<{ jobs: { counts: Record<string, number> } }>('/v0/status');
  const left = ['waiting', 'queued', 'running'].reduce((sum, state) => sum + (jobs.counts[state] ?? 0), 0);
  if (left > 0) idleSinceMs = Number.NaN;
  else if (Number.isNaN(idleSinceMs)) idleSinceMs = elapsedMs();
  if (Number.isNaN(mapMs) && (await isServed(isoHour(Date.now()), 350))) mapMs = elapsedMs();
  console.log(
    `${seconds(elapsedMs())} s: ${left} jobs left, ${jobs.counts.done} done, ${processorSeconds()} s of processors`,
  );
}

async function isServed(hour: string, flightLevel: number): Promise<boolean> {
  const { runs } = await get<{
    runs: {
      aircraft_classes: { aircraft_class: string; hours: { time: string; flight_levels: number[] }[] }[];
    }[];
  }>('/v1/forecast/runs');
  const found = runs[0]?.aircraft_classes.find((one) => one.aircraft_class === 'default');
  return (
    found?.hours.some((one) => one.time.startsWith(hour) && one.flight_levels.includes(flightLevel)) ?? false
  );
}

async function get<T>(path: string): Promise<T> {
  return JSON.parse((await ask(server, path)).toString()) as T;
}

function report(): void {
  console.log(
    `the map has its first level after ${seconds(mapMs)} s, all jobs are done after ${seconds(idleSinceMs)} s, on ${availableParallelism()} cores`,
  );
  console.table(
    Object.entries(WANTED).map(([kind, wanted]) => {
      const own = samples.filter((one) => one.kind === kind);
      const sorted = own.map(({ ms }) => ms).sort((a, b) => a - b);
      const slowest = own.find(({ ms }) => ms === sorted.at(-1));
      return {
        request: kind,
        count: own.length,
        'first, s': seconds(own[0]?.ms ?? Number.NaN),
        'median, s': seconds(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN),
        'max, s': seconds(sorted.at(-1) ?? Number.NaN),
        'of the slowest': slowest && `${slowest.what} after ${seconds(slowest.startMs)} s`,
        'wanted, s': `≤ ${wanted}`,
        'over it': sorted.filter((ms) => ms > 1000 * wanted).length,
      };
    }),
  );
  for (const { kind, what, startMs: at, ms } of samples) {
    if (ms > 1000 * WANTED[kind]) console.log(`${kind} ${what} after ${seconds(at)} s: ${seconds(ms)} s`);
  }
  for (const error of errors) console.log(error);
}

/** What the service has used so far. */
function processorSeconds(): number {
  const [user, system] =
    readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11) ?? [];
  return Math.round((Number(user) + Number(system)) / TICKS_PER_SECOND);
}

function elapsedMs(): number {
  return performance.now() - startMs;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}
