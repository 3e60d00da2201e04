/** Which weather the flights of a request see, and whether it covers them. */

import { type Met, MetError, type OpenWeather, type WeatherRequest } from '@contrails/met';
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import { flightOf } from '@contrails/physics/flight';
import { HOUR_MS } from '@contrails/runtime';
import { CancelledError, type FieldError, ValidationError } from '@contrails/runtime/errors';
import { validationError } from '@contrails/runtime/options/rejected';
import { nextTurn, VALUES_PER_TURN } from '@contrails/runtime/turns';
import { asRequestError } from '../weather/errors.ts';
import { GIVEN_FIELDS, type GivenName, isGiven } from './fields.ts';
import { indexInRequest, type RequestFleet } from './fleet.ts';
import type { TrajectoryModel } from './models.ts';
import { missingPerformance, needsOf } from './needs.ts';
import type { TrajectoryOptions } from './options.ts';
import { joinRegions, longitudesOf, type Region, regionOf } from './region.ts';

/** Flights that see the same weather. */
export interface WeatherGroup {
  readonly flights: readonly number[];
  /** Undefined where no weather is needed. */
  readonly request: WeatherRequest | undefined;
  /** Start of the forecast that each of them sees [ms since 1970]; undefined for a reanalysis. */
  readonly referenceTime: number | undefined;
  readonly isDivisible: boolean;
  /** The western and the eastern half of the flights, for when the weather of all of them is too much at once. */
  halves(): WeatherGroup[];
  /** The flights in the runs that are chosen for them now, for when a newer run has replaced theirs. */
  again?(): Promise<WeatherGroup[]>;
}

/** Contrails end at 6 km; their shear and stratification are taken from below it. */
const CONTRAIL_BOTTOM_HPA = 500;
const DRIFT_DEG = 10;
const RISE_HPA = 40;
/** Choosing a source costs as much as reading so many waypoints. */
const WAYPOINTS_PER_CHOICE = 300;

/**
 * Each flight sees the weather that it would see alone, so its results do not depend on the others: a source that
 * covers all of them may not be the one that is best for each.
 */
export async function planWeather(
  met: Pick<Met, 'catalogue'>,
  model: TrajectoryModel,
  fleet: RequestFleet,
  options: TrajectoryOptions,
): Promise<WeatherGroup[]> {
  const everyone = fleet.attributes.map((_, flight) => flight);
  if (!looksAtWeather(model, fleet, options)) return [groupWithout(everyone)];
  const groups = (flights: readonly number[]) => groupByRun(met, model, fleet, flights, options);
  const planned = await groups(everyone);
  // The run that a request names is the one it means.
  return options.metReferenceTimeMs === undefined
    ? planned.map((group) => withChoiceAgain(group, groups))
    : planned;
}

function withChoiceAgain(
  group: WeatherGroup,
  choose: (flights: readonly number[]) => Promise<WeatherGroup[]>,
): WeatherGroup {
  return {
    ...group,
    halves: () => group.halves().map((half) => withChoiceAgain(half, choose)),
    again: () => choose(group.flights),
  };
}

async function groupByRun(
  met: Pick<Met, 'catalogue'>,
  model: TrajectoryModel,
  fleet: RequestFleet,
  chosen: readonly number[],
  options: TrajectoryOptions,
): Promise<WeatherGroup[]> {
  const regions: Region[] = [];
  const runs = new Map<string, { run: ChosenRun; flights: number[] }>();
  const errors: FieldError[] = [];
  let values = 0;
  for (const flight of chosen) {
    if (values > VALUES_PER_TURN) {
      await nextTurn();
      values = 0;
    }
    const columns = flightOf(fleet, flight);
    values += columns.timeMs.length + WAYPOINTS_PER_CHOICE;
    const region = regionOf(columns);
    regions[flight] = region;
    try {
      const { description, run } = await met.catalogue.choose(weatherRequestOf(model, region, options));
      const key = `${description.name} ${run.referenceTime ?? ''}`;
      const found = runs.get(key) ?? {
        run: { source: description.name, referenceTime: run.referenceTime },
        flights: [],
      };
      found.flights.push(flight);
      runs.set(key, found);
    } catch (error) {
      errors.push(...outsideErrors(error, fleet, flight));
    }
  }
  if (errors.length > 0) {
    throw validationError(errors);
  }
  return [...runs.values()].map(({ run, flights }) =>
    groupInRun(run, flights, regions, (region) => weatherRequestOf(model, region, options)),
  );
}

/** Flights that see one run, given the region of every flight of the fleet. */
export function groupInRun(
  run: ChosenRun,
  flights: readonly number[],
  regions: readonly Region[],
  requestOf: (region: Region) => WeatherRequest,
): WeatherGroup {
  const region = joinRegions(flights.map((flight) => regions[flight] as Region));
  return {
    flights,
    request: { ...requestOf(region), source: run.source, ...referenceOf(run) },
    referenceTime: run.referenceTime,
    isDivisible: flights.length > 1,
    halves() {
      const west = (flight: number) => (regions[flight] as Region).arc.west;
      const sorted = [...flights].sort((a, b) => west(a) - west(b));
      const middle = Math.ceil(sorted.length / 2);
      return [sorted.slice(0, middle), sorted.slice(middle)].map((half) =>
        groupInRun(run, half, regions, requestOf),
      );
    },
  };
}

/** A run of a weather source; a reanalysis has no reference time. */
export interface ChosenRun {
  readonly source: string;
  readonly referenceTime: number | undefined;
}

const referenceOf = ({ referenceTime }: ChosenRun): Pick<WeatherRequest, 'referenceTime'> =>
  referenceTime === undefined ? {} : { referenceTime };

const groupWithout = (flights: readonly number[]): WeatherGroup => ({
  flights,
  request: undefined,
  referenceTime: undefined,
  isDivisible: false,
  halves: () => [],
});

/** What the model wants of the weather of a region. */
export function weatherRequestOf(
  model: TrajectoryModel,
  { time, level, latitude, arc }: Region,
  { metSource, metMember, metReferenceTimeMs, maxAgeHours, includes }: TrajectoryOptions,
): WeatherRequest {
  const isContrails = model === 'cocip';
  const use = isContrails ? (includes.includes('climate') ? 'climate' : 'contrails') : 'air';
  return {
    for: model === 'accf' ? 'accf' : use,
    partial: true,
    time,
    level: [level[0], isContrails ? Math.max(level[1], CONTRAIL_BOTTOM_HPA) : level[1]],
    latitude,
    longitude: longitudesOf(arc),
    ...(metSource === undefined ? {} : { source: metSource }),
    ...(metMember === undefined ? {} : { member: metMember }),
    ...(metReferenceTimeMs === undefined ? {} : { referenceTime: metReferenceTimeMs }),
    // The last hour has to be closed by the next one, whose radiation may be dated half an hour earlier.
    ...(isContrails
      ? { margin: { afterMs: (maxAgeHours + 1) * HOUR_MS, levelHpa: RISE_HPA, degrees: DRIFT_DEG } }
      : {}),
  };
}

/** Whether the model needs air that some flight does not give. */
function looksAtWeather(
  model: TrajectoryModel,
  fleet: RequestFleet,
  { includes }: TrajectoryOptions,
): boolean {
  if (model === 'cocip' || model === 'accf') return true;
  const needs = needsOf(model, includes);
  const gives = (name: GivenName) => isGiven(fleet.columns, name);
  const computes = fleet.attributes.some((about) => missingPerformance(needs, gives, about).length > 0);
  const needsWind = includes.includes('met') || ((computes || needs.airspeed) && !gives('true_airspeed'));
  const looksAt = ['air_temperature', 'specific_humidity', ...(needsWind ? WIND : [])] as const;
  return looksAt.some((name) => !isComplete(fleet.columns[GIVEN_FIELDS[name].column]));
}

const WIND = ['eastward_wind', 'northward_wind'] as const;

function isComplete(given: Float64Array | undefined): boolean {
  return given !== undefined && !given.some(Number.isNaN);
}

/** No source has anything of a flight; other errors are not of a flight. */
function outsideErrors(error: unknown, fleet: RequestFleet, flight: number): readonly FieldError[] {
  const known = asRequestError(error, locationOf(error, fleet, flight));
  if (known instanceof ValidationError && !(error instanceof MetError && error.kind === 'unknown-source')) {
    return known.errors;
  }
  throw known;
}

function locationOf(error: unknown, fleet: RequestFleet, flight: number): FieldError['loc'] {
  const served = error instanceof MetError ? error.facts.served : undefined;
  const reasons = Array.isArray(served) ? served.map(({ short }: { short?: unknown }) => short) : [];
  const field =
    reasons.includes('time') || reasons.length === 0
      ? 'time'
      : reasons.includes('area')
        ? 'longitude'
        : 'altitude';
  const index = Array.isArray(fleet.flightId) ? [indexInRequest(fleet, fleet.offsets[flight] as number)] : [];
  return ['body', field, ...index];
}

/**
 * Opens the weather of a group. Where the memory for weather cannot hold it, or where all flights together would be given
 * another run than each alone, the group is halved if it may be.
 */
export async function withWeather(
  met: Met,
  group: WeatherGroup,
  signal: AbortSignal | undefined,
  use: (group: WeatherGroup, weather: OpenWeather | undefined) => Promise<void>,
  mayDivide = true,
): Promise<void> {
  const { request } = group;
  if (request === undefined) return use(group, undefined);
  const isDivisible = mayDivide && group.isDivisible;
  let weather: OpenWeather | undefined;
  try {
    weather = await met.openWeather(request, { signal, isDivisible });
  } catch (error) {
    if (signal?.aborted) throw new CancelledError('the work was cancelled', { cause: error });
    const kind = error instanceof MetError ? error.kind : undefined;
    const renewed = kind === 'outside' ? await group.again?.() : undefined;
    // Flights that share their radiation see one run.
    if (renewed !== undefined && (mayDivide || renewed.length === 1)) {
      for (const one of renewed) await withWeather(met, one, signal, use, mayDivide);
      return;
    }
    if (!isDivisible || kind !== 'too-large') throw asRequestError(error, ['body', 'time']);
  }
  try {
    const isSame = weather?.origin.referenceTime === group.referenceTime;
    if (weather !== undefined && (isSame || !isDivisible)) return await use(group, weather);
  } finally {
    weather?.release();
  }
  for (const half of group.halves()) await withWeather(met, half, signal, use);
}

/** Refuses flights without a single waypoint in the weather; those that are partly inside get results for that part. */
export function requireInside(
  fleet: RequestFleet,
  flights: readonly number[],
  { levels, origin }: Pick<OpenWeather, 'levels' | 'origin'>,
): void {
  const outside = flights.filter((flight) => !hasWaypointInside(fleet, flight, levels));
  if (outside.length === 0) return;
  const errors = outside.map((flight): FieldError => {
    const isFleet = Array.isArray(fleet.flightId);
    const index = isFleet ? [indexInRequest(fleet, fleet.offsets[flight] as number)] : [];
    const which = isFleet ? `flight ${fleet.attributes[flight]?.id}` : 'the flight';
    const field = hasWaypointInside(fleet, flight, levels, () => true) ? 'altitude' : 'longitude';
    return {
      loc: ['body', field, ...index],
      msg: `no waypoint of ${which} lies in the weather; ${origin.name} has here ${shownBox(levels)}`,
      type: 'value_error',
    };
  });
  throw validationError(errors);
}

type Levels = OpenWeather['levels'];

function hasWaypointInside(
  fleet: RequestFleet,
  flight: number,
  levels: Levels,
  isOnLevels = (altitudeFt: number) => isWithin(levels.level.knots, levelFromAltitudeFt(altitudeFt)),
): boolean {
  const { longitude, latitude, time } = levels;
  for (let i = fleet.offsets[flight] as number; i < (fleet.offsets[flight + 1] as number); i++) {
    const isInside =
      isWithin(time.knots, fleet.columns.timeMs[i] as number) &&
      isWithin(latitude.knots, fleet.columns.latitude[i] as number) &&
      isWithin(longitude.knots, fleet.columns.longitude[i] as number) &&
      isOnLevels(fleet.columns.altitudeFt[i] as number);
    if (isInside) return true;
  }
  return false;
}

function isWithin(knots: Float64Array, value: number): boolean {
  return value >= (knots[0] as number) && value <= (knots.at(-1) as number);
}

/** What the weather covers, in words. */
export function shownBox({ longitude, latitude, level, time }: Levels): string {
  const range = ({ knots }: { knots: Float64Array }, show: (value: number) => string) =>
    `${show(knots[0] as number)} to ${show(knots.at(-1) as number)}`;
  const number = (value: number) => String(Number(value.toFixed(2)));
  const instant = (value: number) => new Date(value).toISOString();
  return `times ${range(time, instant)}, levels ${range(level, number)} hPa, latitudes ${range(latitude, number)}, longitudes ${range(longitude, number)}`;
}
