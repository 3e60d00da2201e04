/**
 * Our side of the benchmark of trajectories; prints one JSON object.
 *
 * cases <reference> <id>...           processor seconds of each case, the best of many
 * fleet <reference> <file> <threads>  seconds of a fleet, the first time and the best of some more
 * many <threads>                      seconds of 1000 flights of 300 waypoints over the world
 * parameters <reference> <file> <sets>  processor seconds of each set of parameters: of some flights one by one, and of all
 *
 * The weather is in memory before the clock offsets; `fleet` and `many` run what requests run.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openCompute } from '@contrails/engine/compute';
import type { RequestFleet } from '@contrails/engine/flights/fleet';
import { DEFAULT_TRAJECTORY_OPTIONS, type TrajectoryOptions } from '@contrails/engine/flights/options';
import type { GivenParameters } from '@contrails/engine/flights/parameter-table';
import { withParameters } from '@contrails/engine/flights/read-parameters';
import { emptyResult, runFlightsInto, runTrajectories } from '@contrails/engine/flights/run';
import { type MetSource, type OpenWeather, openMet, openSource } from '@contrails/met';
import { HOUR_MS } from '@contrails/runtime';
import { openSynthetic } from '@contrails/testbed/weather';
import { prepareCase, readJson } from '../../packages/met/test/support/cocip-case.ts';
import { sharedFloat64, sharedUint32 } from '../../packages/runtime/src/index.ts';
import { greatCircleFleet } from '../support/great-circle-fleet.ts';
import { bestNanoseconds } from '../support/measure.ts';

/** Enough for the code to be warm in all threads. */
const RUNS = 40;
const CASE_RUNS = 300;
const PARAMETER_RUNS = 4;
const SINGLE_FLIGHTS = 10;
const GIB = 2 ** 30;

const [task, ...args] = process.argv.slice(2);
const tasks: Readonly<Record<string, () => Promise<object>>> = {
  cases: () => measureCases(args),
  fleet: () => measureFleet(args),
  many: () => measureMany(Number(args[0])),
  parameters: () => measureParameters(args),
};
const result = await tasks[String(task)]?.();
console.log(JSON.stringify({ ...result, peakBytes: 1024 * process.resourceUsage().maxRSS }));

async function measureCases([reference = '', ...ids]: readonly string[]) {
  const cases: Record<string, { seconds: number; waypoints: number }> = {};
  for (const id of ids) {
    const folder = pathToFileURL(`${join(reference, 'cases', id)}/`);
    const { performance } = readJson<{ performance: string }>(folder, 'case.json');
    const run = await prepareCase(folder, {
      forcing: 'double',
      performance: performance === 'given' ? 'given' : 'own',
      windows: 'none',
    });
    const waypoints = run().sources.count;
    cases[id] = { seconds: bestNanoseconds(1, () => run(), CASE_RUNS) / 1e9, waypoints };
  }
  return { cases };
}

interface FleetFile {
  readonly met: string;
  readonly rad: string;
  readonly humidity_scaling: { readonly rhi_adj: number };
  readonly flights: readonly {
    readonly attrs: { readonly flight_id: string; readonly aircraft_type: string };
    readonly data: Readonly<Record<'time' | 'longitude' | 'latitude' | 'altitude', readonly number[]>>;
    readonly performance: {
      readonly wingspan: number;
      readonly data: Readonly<Record<string, readonly (number | null)[]>>;
    };
  }[];
}

async function measureFleet([reference = '', file = '', threads]: readonly string[]) {
  const { fleet, weather, options, close } = await openFleet(reference, file);
  const measured = await measure(fleet, weather, Number(threads), options);
  await close();
  return measured;
}

async function measureParameters([reference = '', file = '', json = '{}']: readonly string[]) {
  const { fleet, weather, options, close } = await openFleet(reference, file);
  const sets: Record<string, object> = {};
  const everyone = fleet.attributes.map((_, flight) => flight);
  const some = everyone.slice(0, SINGLE_FLIGHTS);
  for (const [name, parameters] of Object.entries(JSON.parse(json) as Record<string, GivenParameters>)) {
    const chosen = withParameters(options, parameters);
    const result = emptyResult('cocip', fleet, chosen);
    const run = (flights: readonly number[]) =>
      runFlightsInto(result, 'cocip', fleet, flights, chosen, { weather });
    const oneByOne = async () => {
      for (const flight of some) await run([flight]);
    };
    sets[name] = {
      singleSeconds: await bestCpuSeconds(oneByOne),
      seconds: await bestCpuSeconds(() => run(everyone)),
      energyForcing: totals(fleet, result.columns.energy_forcing ?? new Float64Array()),
    };
  }
  await close();
  return { sets };
}

/** Of the whole process, which other programs on the machine do not count into. */
async function bestCpuSeconds(work: () => Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < PARAMETER_RUNS; run++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e6);
  }
  return best;
}

/** The fleet of a file in its weather, and the model as the file wants it. */
async function openFleet(reference: string, file: string) {
  const about = JSON.parse(readFileSync(join(reference, file), 'utf8')) as FleetFile;
  const fleet = fleetOf(about);
  const paths = [join(reference, about.met), join(reference, about.rad)];
  const era5 = { provider: 'ECMWF', dataset: 'ERA5', product: 'reanalysis', directory: '.' };
  const source = await openSource({ name: 'bench', kind: 'netcdf', paths, ...era5 });
  const { weather, close } = await openWeather(source, fleet, 20);
  const options: TrajectoryOptions = {
    ...DEFAULT_TRAJECTORY_OPTIONS,
    scaling: { name: 'constant_scale', options: { rhiAdj: about.humidity_scaling.rhi_adj } },
    maxAgeHours: 20,
    dtIntegrationMinutes: 30,
  };
  return { fleet, weather, options, close };
}

async function measureMany(threads: number) {
  const fleet = greatCircleFleet(1000, 300);
  const { weather, close } = await openWeather(openSynthetic({ name: 'bench' }), fleet, 12);
  const before = process.memoryUsage.rss();
  const measured = await measure(fleet, weather, threads, DEFAULT_TRAJECTORY_OPTIONS, 1);
  await close();
  return { ...measured, weatherBytes: before };
}

async function measure(
  fleet: RequestFleet,
  weather: OpenWeather,
  threads: number,
  options: TrajectoryOptions,
  runs = RUNS,
) {
  const compute = threads > 1 ? openCompute({ threads, maxQueue: 10 }) : undefined;
  const seconds: number[] = [];
  let energyForcing: number[] = [];
  for (let run = 0; run < runs; run++) {
    const began = performance.now();
    const { columns } = await runTrajectories('cocip', fleet, options, { weather, compute });
    seconds.push((performance.now() - began) / 1000);
    energyForcing = totals(fleet, columns.energy_forcing ?? new Float64Array());
  }
  await compute?.close();
  return { seconds: Math.min(...seconds), firstSeconds: seconds[0], energyForcing };
}

function totals({ offsets, attributes }: RequestFleet, energyForcing: Float64Array): number[] {
  return attributes.map((_, f) =>
    energyForcing.subarray(offsets[f], offsets[f + 1]).reduce((sum, joule) => sum + (joule || 0), 0),
  );
}

async function openWeather(
  source: MetSource,
  { columns: { timeMs } }: RequestFleet,
  hoursAfter: number,
): Promise<{ weather: OpenWeather; close(): Promise<void> }> {
  const { kind, latitude, longitude, levels } = await source.describe();
  const met = openMet({ sources: [source], memoryBytes: 6 * GIB });
  const ends = <T>(axis: readonly T[]) => [axis[0], axis.at(-1)] as [T, T];
  const weather = await met.openWeather({
    for: 'contrails',
    time: [timeMs.reduce((a, b) => Math.min(a, b)), timeMs.reduce((a, b) => Math.max(a, b))],
    level: ends(levels),
    latitude: ends(latitude),
    longitude: kind === 'synthetic' ? [-180, 180] : ends(longitude),
    margin: { afterMs: HOUR_MS * hoursAfter },
  });
  return {
    weather,
    async close() {
      weather.release();
      await met.close();
    },
  };
}

function fleetOf({ flights }: FleetFile): RequestFleet {
  const offsets = sharedUint32(flights.length + 1);
  flights.forEach(({ data }, f) => {
    offsets[f + 1] = (offsets[f] as number) + data.time.length;
  });
  const column = (of: (flight: FleetFile['flights'][number]) => readonly (number | null)[]) => {
    const out = sharedFloat64(offsets[flights.length] as number);
    flights.forEach((flight, f) => {
      out.set(
        Float64Array.from(of(flight), (value) => value ?? Number.NaN),
        offsets[f],
      );
    });
    return out;
  };
  const given = (name: string) => column(({ performance }) => performance.data[name] ?? []);
  return {
    columns: {
      timeMs: column(({ data }) => data.time.map((seconds) => 1000 * seconds)),
      longitude: column(({ data }) => data.longitude),
      latitude: column(({ data }) => data.latitude),
      altitudeFt: column(({ data }) => data.altitude.map((metres) => metres / 0.3048)),
      engineEfficiency: given('engine_efficiency'),
      fuelFlowKgS: given('fuel_flow'),
      aircraftMassKg: given('aircraft_mass'),
      nvpmEiN: given('nvpm_ei_n'),
    },
    offsets,
    attributes: flights.map(({ attrs, performance }) => ({
      id: attrs.flight_id,
      aircraftType: attrs.aircraft_type,
      wingspanM: performance.wingspan,
    })),
    requestIndex: undefined,
    flightId: undefined,
  };
}
