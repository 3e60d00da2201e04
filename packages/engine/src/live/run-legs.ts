/** Legs through the models, as `POST /v0/trajectory/cocip` runs them, all in one run of the weather. */
import { type Met, MetError } from '@contrails/met';
import { sharedFloat64, sharedUint32 } from '@contrails/runtime';
import { CancelledError } from '@contrails/runtime/errors';
import { inTurns, type Work } from '@contrails/runtime/turns';
import type { Compute } from '../compute.ts';
import type { FinishedStates } from '../flights/contrail-states.ts';
import type { RequestFleet, SharedColumn } from '../flights/fleet.ts';
import { type OutputColumn, outputColumns } from '../flights/models.ts';
import type { TrajectoryOptions } from '../flights/options.ts';
import { type ChosenRun, groupInRun, weatherRequestOf, withWeather } from '../flights/plan-weather.ts';
import { joinRegions, type Region, regionOf } from '../flights/region.ts';
import { emptyResult, evaluateFlightsInto } from '../flights/run.ts';
import { type AirframeTable, resolveAircraft } from '../inventory/aircraft.ts';
import { scalingForLevels } from '../weather/humidity-scaling.ts';
import type { LegMinutes, LiveLeg } from './legs.ts';

export interface LiveServices {
  readonly met: { open(): Promise<Met> };
  readonly compute: Compute;
}

export interface LiveAircraft {
  readonly aircraftType: string;
  /** Of the operator's table; the usual one of the type without it. */
  readonly engineUid: string | undefined;
  readonly isAssumed: boolean;
}

/** What is flown, and by what. */
export interface LegToRun {
  readonly minutes: LegMinutes;
  readonly aircraft: LiveAircraft;
  /** Mass at the first minute [kg], where the leg continues another one. */
  readonly massKg?: number | undefined;
}

/** A run of the weather, and the area in which all legs that are run together see it. */
export interface LiveRun extends ChosenRun {
  readonly region?: Region;
}

/** What the models found of a leg; columns are by minute. */
export interface RunLeg {
  readonly columns: Readonly<Partial<Record<OutputColumn, Float64Array>>>;
  readonly states: FinishedStates | undefined;
}

export interface RunHooks {
  readonly signal?: AbortSignal | undefined;
  /** All of them unless given. */
  readonly columns?: readonly OutputColumn[];
}

/** Stands for aircraft of which neither the reports nor the operator's table have the type. */
const ASSUMED_AIRCRAFT_TYPE = 'B738';

/** Undefined for types that the models do not know. */
export function aircraftOf(leg: LiveLeg, airframes: AirframeTable): LiveAircraft | undefined {
  const about = {
    icaoAddress: leg.icaoAddress,
    tailNumber: leg.attributes?.tail_number ?? null,
    aircraftType: leg.attributes?.aircraft_type_icao ?? null,
  };
  const found = resolveAircraft(about, airframes);
  if (!('code' in found)) {
    const engineUid = found.engineSource === 'airframe' ? found.engineUid : undefined;
    return { aircraftType: found.aircraftType, engineUid, isAssumed: false };
  }
  if (found.code !== 'type_unknown') return undefined;
  return { aircraftType: ASSUMED_AIRCRAFT_TYPE, engineUid: undefined, isAssumed: true };
}

/**
 * The newest run that covers a time and the areas of legs until their contrails have ended; undefined where no weather
 * has anything of them.
 */
export async function chooseRun(
  met: Met,
  legs: readonly Pick<LegToRun, 'minutes'>[],
  time: readonly [fromMs: number, toMs: number],
  options: TrajectoryOptions,
): Promise<LiveRun | undefined> {
  if (legs.length === 0) return undefined;
  const region = joinRegions(await inTurns(regionsOf(legs)));
  try {
    const request = weatherRequestOf('cocip', { ...region, time: [...time] }, options);
    const { description, run } = await met.catalogue.choose(request);
    return { source: description.name, referenceTime: run.referenceTime, region };
  } catch (error) {
    if (error instanceof MetError && error.kind === 'outside') return undefined;
    throw error;
  }
}

function* regionsOf(legs: readonly Pick<LegToRun, 'minutes'>[]): Work<Region[]> {
  const regions: Region[] = [];
  for (const { minutes } of legs) {
    regions.push(regionOf(minutes));
    yield minutes.timeMs.length;
  }
  return regions;
}

/** The columns of an answer, and what a continuation of the leg begins with. */
const COLUMNS: readonly OutputColumn[] = [...outputColumns('cocip', []), 'aircraft_mass'];
/** What a cycle reads of every minute. */
export const CYCLE_COLUMNS: readonly OutputColumn[] = [
  'energy_forcing',
  'initially_persistent',
  'aircraft_mass',
];

/** In the order of the legs; undefined for a leg that the models cannot take. */
export async function runLegs(
  met: Met,
  compute: Compute,
  legs: readonly LegToRun[],
  run: LiveRun,
  options: TrajectoryOptions,
  { signal, columns: names = COLUMNS }: RunHooks = {},
): Promise<(RunLeg | undefined)[]> {
  if (legs.length === 0) return [];
  const fleet = fleetOfLegs(legs);
  const result = emptyResult('cocip', fleet, options, names);
  const regions: readonly Region[] = legs.map(({ minutes }) => regionOf(minutes));
  const everyone = legs.map((_, f) => f);
  const inRegion = (of: readonly Region[]) =>
    groupInRun(run, everyone, of, (region) => weatherRequestOf('cocip', region, options));
  const own = inRegion(regions);
  const { region } = run;
  // Weather that all legs see is read once; where memory is too small for it, each part has its own.
  const group =
    region === undefined
      ? own
      : { ...inRegion(legs.map(() => region)), isDivisible: true, halves: () => [own] };
  await withWeather(met, group, signal, async ({ flights }, weather) => {
    const scaling = weather ? scalingForLevels(options.scaling, weather.origin.levelType) : options.scaling;
    const services = { weather, compute, signal, isOneOfMany: true };
    await evaluateFlightsInto(result, 'cocip', fleet, flights, { ...options, scaling }, services);
  });
  if (signal?.aborted) throw new CancelledError('the work was cancelled', { cause: signal.reason });
  return legs.map((_, f) => {
    const facts = result.facts[f];
    if (facts === undefined) return undefined;
    const columns = Object.entries(result.columns).map(([name, column]) => [
      name,
      column.subarray(fleet.offsets[f], fleet.offsets[f + 1]),
    ]);
    return { columns: Object.fromEntries(columns), states: facts.contrailStates };
  });
}

function fleetOfLegs(legs: readonly LegToRun[]): RequestFleet {
  const offsets = sharedUint32(legs.length + 1);
  legs.forEach(({ minutes }, f) => {
    offsets[f + 1] = (offsets[f] as number) + minutes.timeMs.length;
  });
  const joined = (name: keyof LegMinutes): SharedColumn => {
    const column = sharedFloat64(offsets[legs.length] as number);
    legs.forEach(({ minutes }, f) => void column.set(minutes[name], offsets[f]));
    return column;
  };
  return {
    columns: {
      timeMs: joined('timeMs'),
      longitude: joined('longitude'),
      latitude: joined('latitude'),
      altitudeFt: joined('altitudeFt'),
    },
    offsets,
    attributes: legs.map(({ aircraft, massKg }) => ({
      aircraftType: aircraft.aircraftType,
      engineUid: aircraft.engineUid,
      takeoffMassKg: massKg,
    })),
    requestIndex: undefined,
    flightId: undefined,
  };
}
