/**
 * A route versus the open optimiser opentop: the same wind, contrail costs and prices for both. Each optimises with
 * its own model of the aircraft; both tracks are then judged by the full models of this service.
 *
 * `OPENTOP_PYTHON=/path/to/python node bench/routes-peer.ts`, where that Python has opentop 2.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCompute } from '@contrails/engine/compute';
import { computeLevels } from '@contrails/engine/grid/compute-levels';
import { gridCells } from '@contrails/engine/grid/layout';
import { valueIn } from '@contrails/engine/grid/treatment';
import type { StoredGrids } from '@contrails/engine/planning/prepare';
import { computeRoute } from '@contrails/engine/routes/compute';
import { readRouteBody, routeOptionsOf, routeParameters } from '@contrails/engine/routes/request';
import { openMet, weatherOf } from '@contrails/met';
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import { HOUR_MS, makeTemporaryFolder, sharedFloat32 } from '@contrails/runtime';
import { readFlags } from '@contrails/runtime/options/flags';
import { Rejected } from '@contrails/runtime/options/rejected';
import { openSynthetic } from '@contrails/testbed/weather';

const LEVELS = [300, 320, 340, 360, 380, 400];
const BOX = { minLon: -66, maxLon: -17, minLat: 34, maxLat: 57, crossesAntimeridian: false };
/** The ends and the time of `docs/examples/long-flight.json`, which leaves contrails on most of its way. */
const ENDS = { origin: { longitude: -58, latitude: 40 }, destination: { longitude: -25, latitude: 51 } };
const DEPARTURE_MS = Date.UTC(2024, 1, 29, 6);
const HOURS = 8;
const TYPE = 'A320';
const SCALING = 'exponential_boost_latitude_customization';
const ROUNDS = 3;

const python = process.env.OPENTOP_PYTHON;
const met = openMet({
  sources: [openSynthetic({ name: 'bench' })],
  memoryBytes: 3 * 2 ** 30,
});
const compute = openCompute({ threads: 2, maxQueue: 10_000 });
const hours = Array.from({ length: HOURS }, (_, k) => DEPARTURE_MS + k * HOUR_MS);
const cells = gridCells(BOX, LEVELS, 1);
const efPerM = new Map<number, readonly Float32Array[]>();
for (const timeMs of hours) {
  const request = {
    timeMs,
    cells,
    partial: true,
    humidityScaling: SCALING,
    aircraft: { type: TYPE },
  } as const;
  efPerM.set(timeMs, (await computeLevels({ met, compute }, request, {})).efPerM);
}
const services = { met: { open: async () => met }, compute, memoryBytes: 2 ** 28, grids: grids() };

interface Answer {
  readonly working: { readonly takeoff_mass: number };
  readonly routes: readonly { readonly name: string; readonly path: Record<string, number[]> }[];
  readonly baseline: Figures;
  readonly chosen: Figures;
}
interface Figures {
  readonly cost: number;
  readonly fuel_kg: number;
  readonly flight_time_s: number;
  readonly paid_j: number;
}

const route = routeOptionsOf(
  readFlags(routeParameters, { contrails: 'grid', flight_levels: LEVELS.join(',') }),
  SCALING,
);
const search = async (raw: object) => {
  const body = readRouteBody(raw);
  if (body instanceof Rejected) throw new Error(JSON.stringify(body.errors));
  return (await computeRoute(services, { body, route }, {})) as unknown as Answer;
};
const asked = {
  ...{ ...ENDS, aircraft_type: TYPE },
  departure_time: new Date(DEPARTURE_MS).toISOString(),
};
let ours = await search(asked);
let [seconds, cpuSeconds] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
for (let round = 0; round < ROUNDS; round++) {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  ours = await search(asked);
  const { user, system } = process.cpuUsage(cpu);
  seconds = Math.min(seconds, (performance.now() - began) / 1000);
  cpuSeconds = Math.min(cpuSeconds, (user + system) / 1e6);
}
const rows = [
  rowOf('as filed: wind-optimal, contrails do not count', ours.baseline),
  { ...rowOf('this service', ours.chosen), 'time, s': round(seconds), 'processor, s': round(cpuSeconds) },
];
if (python === undefined) console.log('no peer: set OPENTOP_PYTHON to a Python that has opentop');
else {
  const theirs = await peer(python);
  const { track, ...timings } = theirs;
  const flown = await search({
    flight: { ...track, aircraft_type: TYPE, takeoff_mass: ours.working.takeoff_mass },
  });
  rows.push({ ...rowOf('opentop', flown.baseline), ...timings });
}
console.table(rows);
await Promise.all([compute.close(), met.close()]);

/** Writes wind and costs as the optimiser reads them, and returns its track. */
async function peer(program: string) {
  const folder = await makeTemporaryFolder('opentop');
  try {
    const path = ours.routes[0]?.path as Record<string, number[]>;
    const end = (k: number) => [path.latitude?.at(k), path.longitude?.at(k)];
    const cost = valueIn({ unit: 'cost_per_nm', carbonPrice: 50, horizon: 100, cooling: 'ignore' });
    const columns = cells.latitude.length;
    const costs = hours.flatMap((timeMs, t) =>
      LEVELS.flatMap((level, l) =>
        Array.from(cells.latitude, (lat, j) =>
          Array.from(cells.longitude, (lon, i) => [
            ...[lon, lat, level * 30.48, (t * HOUR_MS) / 1000],
            cost(efPerM.get(timeMs)?.[l]?.[i * columns + j] || 0),
          ]),
        ).flat(),
      ),
    );
    const document = {
      ...{ origin: end(0), destination: end(-1), type: TYPE, mass_kg: ours.working.takeoff_mass },
      ...{ departure: DEPARTURE_MS / 1000, costs, wind: await winds() },
    };
    writeFileSync(join(folder.path, 'problem.json'), JSON.stringify(document));
    const script = fileURLToPath(new URL('./peer/routes.py', import.meta.url));
    const out = join(folder.path, 'track.json');
    execFileSync(program, [script, join(folder.path, 'problem.json'), out], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return JSON.parse(readFileSync(out, 'utf8')) as {
      track: object;
      'time, s': number;
      'processor, s': number;
    };
  } finally {
    await folder.remove();
  }
}

/** Longitude, latitude, height, seconds, eastward and northward wind. */
async function winds(): Promise<number[][]> {
  const weather = await met.openWeather({
    ...{ for: 'air', time: [hours[0] as number, hours.at(-1) as number], level: [180, 320] },
    ...{ latitude: [BOX.minLat, BOX.maxLat], longitude: [BOX.minLon, BOX.maxLon], partial: true },
  });
  try {
    const points = hours.flatMap((timeMs) =>
      LEVELS.flatMap((level) =>
        Array.from(cells.latitude).flatMap((lat) =>
          Array.from(cells.longitude, (lon) => [lon, lat, level, timeMs]),
        ),
      ),
    );
    const column = (k: number, of = (value: number) => value) =>
      Float64Array.from(points, (point) => of(point[k] as number));
    const out = Array.from({ length: 3 }, () => new Float64Array(points.length));
    const at = {
      ...{ longitude: column(0), latitude: column(1), timeMs: column(3) },
      level: column(2, (level) => levelFromAltitudeFt(100 * level)),
    };
    weatherOf(weather.levels, undefined).sample(out, at, points.length);
    return points.map(([lon, lat, level, timeMs], k) => [
      ...[
        lon as number,
        lat as number,
        (level as number) * 30.48,
        ((timeMs as number) - DEPARTURE_MS) / 1000,
      ],
      ...[out[1]?.[k] ?? 0, out[2]?.[k] ?? 0],
    ]);
  } finally {
    weather.release();
  }
}

/** The computed cells as if they were stored: unknown elsewhere. */
function grids(): StoredGrids {
  const [columns, lines] = [360, 181];
  const kept = new Map<string, Float32Array>();
  const plane = (timeMs: number, level: number) => {
    const key = `${timeMs} ${level}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const values = sharedFloat32(columns * lines).fill(Number.NaN);
    const from = efPerM.get(timeMs)?.[LEVELS.indexOf(level)];
    cells.longitude.forEach((lon, i) => {
      cells.latitude.forEach((lat, j) => {
        values[(lon + 180) * lines + lat + 90] = from?.[i * cells.latitude.length + j] ?? Number.NaN;
      });
    });
    kept.set(key, values);
    return values;
  };
  return {
    requireType: () => {},
    requireLevels: () => {},
    forcing: () => Promise.reject(new Error('routes do not ask for it')),
    planes: async (_, hour, levels) =>
      levels.map((level) => ({ values: plane(hour * HOUR_MS, level), cellsPerDegree: 1 })),
  };
}

function rowOf(what: string, { cost, fuel_kg, flight_time_s, paid_j }: Figures) {
  return {
    ...{ what, cost: Math.round(cost), 'fuel, kg': Math.round(fuel_kg) },
    ...{ 'flight, min': round(flight_time_s / 60), 'paid, TJ': round(paid_j / 1e12) },
    ...{ 'time, s': Number.NaN, 'processor, s': Number.NaN },
  };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
