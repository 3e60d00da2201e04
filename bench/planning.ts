/**
 * Plans and samples on two cores, weather in memory and everything warm: the levels and the profile of a flight of 350 waypoints,
 * the path alone, samples of a flight of 200 waypoints through air with contrails, and the profiles of 1000 flights.
 *
 * `cpu` is the time of all threads: on a machine with other work, half of it is what two free cores would take.
 *
 * BENCH_PARTS=path,flight,samples,many takes some of them; BENCH_FLIGHTS sets how many flights `many` plans.
 */

import { openCompute } from '@contrails/engine/compute';
import type { RequestFleet } from '@contrails/engine/flights/fleet';
import { DEFAULT_TRAJECTORY_OPTIONS } from '@contrails/engine/flights/options';
import { planWeather } from '@contrails/engine/flights/plan-weather';
import { runTrajectories } from '@contrails/engine/flights/run';
import { sampleFlight } from '@contrails/engine/flights/samples';
import { uncertaintyOf } from '@contrails/engine/flights/uncertainty';
import { computePlans } from '@contrails/engine/planning/compute';
import { type PlanKind, planningOptionsOf, planningParameters } from '@contrails/engine/planning/options';
import { type OpenWeather, openMet } from '@contrails/met';
import { shortestPaths } from '@contrails/physics/planning';
import { readFlags } from '@contrails/runtime/options/flags';
import { openSynthetic } from '@contrails/testbed/weather';
import { greatCircleFleet } from './support/great-circle-fleet.ts';

const ROUNDS = 12;
const CANDIDATES = 40;
const MIB = 2 ** 20;

const source = openSynthetic({ name: 'bench' });
const met = openMet({ sources: [source], memoryBytes: 3 * 2 ** 30 });
const compute = openCompute({ threads: 2, maxQueue: 10_000 });
const services = { met: { open: async () => met }, compute, memoryBytes: 256 * MIB };

const PARTS: Readonly<Record<string, () => void | Promise<void>>> = { path, flight, samples, many };
for (const part of (process.env.BENCH_PARTS ?? 'path,flight,samples,many').split(',')) await PARTS[part]?.();
await Promise.all([compute.close(), met.close()]);

async function path(): Promise<void> {
  const [stages, levels] = [400, 18];
  const problem = {
    flightLevels: Array.from({ length: levels }, (_, l) => 270 + 10 * l),
    stageCost: Float64Array.from({ length: stages * levels }, (_, k) => 50 + 20 * Math.sin(k * k)),
    climbCostPerFt: new Float64Array(stages).fill(0.01),
    ...{ minStages: 10, maxChanges: 4, maxStepFt: 4000 },
  };
  const { ms, cpuMs } = await best(() => shortestPaths(problem));
  console.table([
    { what: 'path alone, 400 stages × 18 levels, ms', value: round(ms), cpu: round(cpuMs), wanted: '≤ 20' },
  ]);
}

async function flight(): Promise<void> {
  const fleet = await contrailedFlight(350);
  const rows = [];
  for (const [kind, wanted] of [
    ['levels', '≤ 100'],
    ['profile', '≤ 300'],
  ] as const) {
    const { ms, cpuMs } = await best(() => plan(kind, fleet, {}));
    rows.push({
      what: `${kind}, 350 waypoints × 18 levels, ms`,
      value: round(ms),
      cpu: round(cpuMs),
      wanted,
    });
  }
  console.table(rows);
}

async function samples(): Promise<void> {
  const fleet = await contrailedFlight(200);
  const weather = await openFor(fleet);
  const rows = [];
  for (const [count, wanted] of [
    [100, '≤ 0.5'],
    [1000, '≤ 4'],
  ] as const) {
    const uncertainty = uncertaintyOf({ uncertainty: count });
    if (uncertainty === undefined) throw new Error('there are no samples');
    const run = () =>
      sampleFlight(fleet, 0, DEFAULT_TRAJECTORY_OPTIONS, uncertainty, weather, { weather, compute });
    const { ms, cpuMs } = await best(run, count > 100 ? 3 : ROUNDS);
    const figures = { value: round(ms / 1000), cpu: round(cpuMs / 1000), wanted };
    rows.push({ what: `${count} samples, 200 waypoints, s`, ...figures });
  }
  weather.release();
  console.table(rows);
}

async function many(): Promise<void> {
  const flights = Number(process.env.BENCH_FLIGHTS ?? 1000);
  const fleet = named(greatCircleFleet(flights, 300));
  // The weather of all levels comes into memory first.
  await plan('levels', fleet, { flight_levels: '270,440' });
  const before = process.memoryUsage.rss();
  const { ms, cpuMs } = await best(() => plan('profile', fleet, {}), 1);
  console.table([
    {
      what: `profiles of ${flights} flights of 300 waypoints, s`,
      value: round(ms / 1000),
      cpu: round(cpuMs / 1000),
      wanted: flights === 1000 ? '≤ 120' : '',
    },
    {
      what: 'memory beyond the weather, MB',
      value: round(process.resourceUsage().maxRSS / 1024 - before / MIB),
      wanted: '≤ 1024',
    },
  ]);
}

function plan(kind: PlanKind, fleet: RequestFleet, flags: Record<string, string>) {
  const values = readFlags(planningParameters[kind], flags);
  const { planning, options } = planningOptionsOf(
    kind,
    values as never,
    'exponential_boost_latitude_customization',
  );
  return computePlans(
    services,
    { fleet, planning, options, nvpmEiN: undefined, avoid: [], warnings: [] },
    {},
  );
}

/** Of some flights the one with the most contrails. */
async function contrailedFlight(waypoints: number): Promise<RequestFleet> {
  let most = { count: -1, fleet: greatCircleFleet(1, waypoints, 0) };
  for (let f = 0; f < CANDIDATES; f++) {
    const fleet = greatCircleFleet(1, waypoints, f);
    const weather = await openFor(fleet);
    const { columns } = await runTrajectories('cocip', fleet, DEFAULT_TRAJECTORY_OPTIONS, {
      weather,
      compute,
    });
    weather.release();
    const count = columns.contrail_age?.filter((age) => age > 0).length ?? 0;
    if (count > most.count) most = { count, fleet };
  }
  console.log(`a flight of ${waypoints} waypoints, ${most.count} of them with contrails`);
  return most.fleet;
}

async function openFor(fleet: RequestFleet): Promise<OpenWeather> {
  const [group] = await planWeather(met, 'cocip', fleet, DEFAULT_TRAJECTORY_OPTIONS);
  if (group?.request === undefined) throw new Error('there is no weather');
  return met.openWeather(group.request);
}

/** A fleet whose flights have names, as those of a request. */
function named(fleet: RequestFleet): RequestFleet {
  const ids = fleet.attributes.flatMap((_, f) =>
    new Array<number>((fleet.offsets[f + 1] as number) - (fleet.offsets[f] as number)).fill(f),
  );
  return { ...fleet, attributes: fleet.attributes.map((about, id) => ({ ...about, id })), flightId: ids };
}

/** The shortest of some rounds, and the least time of all threads. */
async function best(work: () => unknown, rounds = ROUNDS): Promise<{ ms: number; cpuMs: number }> {
  let least = { ms: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY };
  for (let round = 0; round < rounds; round++) {
    const [began, cpuBefore] = [performance.now(), process.cpuUsage()];
    await work();
    const { user, system } = process.cpuUsage(cpuBefore);
    least = {
      ms: Math.min(least.ms, performance.now() - began),
      cpuMs: Math.min(least.cpuMs, (user + system) / 1000),
    };
  }
  return least;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
