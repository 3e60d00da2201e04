/** What is implausible about a resampled flight. */

import { feetToMetres } from '@contrails/physics/common';
import { type FlightWith, givenColumns } from '@contrails/physics/flight';
import { haversineM } from '@contrails/physics/geodesy';
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import { type Airport, airportDistanceM } from './airports/airports.ts';

/** `tolerated` is recorded only; `partial` flights are computed on the part that was seen; the others are not computed. */
export const VIOLATIONS = {
  schema: 'reject',
  order: 'reject',
  duplicate_times: 'reject',
  attribute_conflict: 'reject',
  too_short: 'reject',
  too_long: 'reject',
  origin_airport: 'partial',
  destination_airport: 'partial',
  unknown_airport: 'tolerated',
  too_slow: 'reject',
  too_fast: 'reject',
  climb_rate: 'tolerated',
  altitude_profile: 'reject',
} as const satisfies Readonly<Record<string, 'reject' | 'partial' | 'tolerated'>>;

export type Violation = keyof typeof VIOLATIONS;

type Text = readonly (string | null)[];

export interface ValidatedFlight {
  readonly columns: FlightWith<'altitudeFt'>;
  /** Undefined where the airport is unknown or not in the table. */
  readonly departure: Airport | undefined;
  readonly arrival: Airport | undefined;
  /** The reports that the flight was made of; they have one known value of every attribute. */
  readonly reports?: { readonly rows: Uint32Array; readonly attributes: readonly Text[] } | undefined;
}

const MIN_DURATION_MS = 0.4 * HOUR_MS;
const MAX_DURATION_MS = 19 * HOUR_MS;
const MAX_AIRPORT_M = 200_000;
const SLOW_MS = 45;
const SLOW_SKIP_MS = 10 * MINUTE_MS;
const SLOW_MEAN_MS = 85;
const SLOW_MEAN_WINDOW_MS = 30 * MINUTE_MS;
const FAST_MS = 350;
const CLIMB_FT_S = 83.25;
const PROFILE_FT = 15_000;
const MAX_PROFILE_CROSSINGS = 2;

/**
 * All violations in the order of the rules; a rule that is violated in two ways or at both ends is listed twice. Faults of
 * the columns themselves hide all others.
 */
export function validateFlight(flight: ValidatedFlight): Violation[] {
  const faults = findFaults(flight);
  if (faults.length > 0) return faults;
  const { columns, departure, arrival } = flight;
  const { timeMs, altitudeFt } = columns;
  const last = timeMs.length - 1;
  const [startMs, endMs] = [timeMs[0] as number, timeMs[last] as number];
  const { speedMS, climbFtS } = stepsInto(scratchFor(timeMs.length), columns);
  const found: Violation[] = [];
  if (endMs - startMs < MIN_DURATION_MS) found.push('too_short');
  if (endMs - startMs > MAX_DURATION_MS) found.push('too_long');
  found.push(...airportViolation(columns, 0, departure, 'origin_airport'));
  found.push(...airportViolation(columns, last, arrival, 'destination_airport'));
  let [isSlow, isFast, isSteep] = [false, false, false];
  for (let i = 0; i <= last; i++) {
    const time = timeMs[i] as number;
    const speed = speedMS[i] as number;
    const isInside = time >= startMs + SLOW_SKIP_MS && time <= endMs - SLOW_SKIP_MS;
    isSlow ||= speed <= SLOW_MS && isInside;
    isFast ||= speed >= FAST_MS;
    isSteep ||= Math.abs(climbFtS[i] as number) >= CLIMB_FT_S;
  }
  if (isSlow) found.push('too_slow');
  if (isSlowOnAverage(timeMs, speedMS)) found.push('too_slow');
  if (isFast) found.push('too_fast');
  if (isSteep) found.push('climb_rate');
  if (profileCrossings(altitudeFt) > MAX_PROFILE_CROSSINGS) found.push('altitude_profile');
  return found;
}

/** The figures behind the verdict, each from the waypoint before to this one; NaN at the first. */
export interface FlightSteps {
  readonly elapsedS: Float64Array;
  /** With the change of altitude [m]. */
  readonly lengthM: Float64Array;
  readonly speedMS: Float64Array;
  readonly climbFtS: Float64Array;
}

export function flightSteps(columns: FlightWith<'altitudeFt'>): FlightSteps {
  return stepsInto(makeSteps(columns.timeMs.length), columns);
}

function makeSteps(length: number): FlightSteps {
  const make = () => new Float64Array(length);
  return { elapsedS: make(), lengthM: make(), speedMS: make(), climbFtS: make() };
}

let scratch = makeSteps(0);

/** Steps of the flight that was validated last; columns are at least as long. */
function scratchFor(length: number): FlightSteps {
  if (scratch.speedMS.length < length) scratch = makeSteps(2 * length);
  return scratch;
}

function stepsInto(steps: FlightSteps, columns: FlightWith<'altitudeFt'>): FlightSteps {
  const { timeMs, longitude, latitude, altitudeFt } = columns;
  const { elapsedS, lengthM, speedMS, climbFtS } = steps;
  for (const column of [elapsedS, lengthM, speedMS, climbFtS]) column[0] = Number.NaN;
  for (let i = 1; i < timeMs.length; i++) {
    const seconds = ((timeMs[i] as number) - (timeMs[i - 1] as number)) / 1000;
    const riseFt = (altitudeFt[i] as number) - (altitudeFt[i - 1] as number);
    const groundM = haversineM(
      longitude[i - 1] as number,
      latitude[i - 1] as number,
      longitude[i] as number,
      latitude[i] as number,
    );
    const metres = Math.hypot(groundM, feetToMetres(riseFt));
    elapsedS[i] = seconds;
    lengthM[i] = metres;
    speedMS[i] = metres / seconds;
    climbFtS[i] = riseFt / seconds;
  }
  return steps;
}

/** Healing and resampling leave none of these. */
function findFaults({ columns, reports }: ValidatedFlight): Violation[] {
  const { timeMs, longitude, latitude, altitudeFt } = columns;
  const isComplete =
    timeMs.length > 0 && givenColumns(columns).every((column) => column.length === timeMs.length);
  const isKnown = [timeMs, longitude, latitude, altitudeFt].every(isAllFinite);
  if (!isComplete || !isKnown) return ['schema'];
  const found: Violation[] = [];
  let [isUnordered, isRepeated] = [false, false];
  for (let i = 1; i < timeMs.length; i++) {
    const before = timeMs[i - 1] as number;
    const time = timeMs[i] as number;
    isUnordered ||= time < before;
    isRepeated ||= time === before;
  }
  if (isUnordered) found.push('order');
  if (isRepeated) found.push('duplicate_times');
  if (reports?.attributes.some((values) => hasTwoValues(values, reports.rows)))
    found.push('attribute_conflict');
  return found;
}

function isAllFinite(column: Float64Array): boolean {
  for (let i = 0; i < column.length; i++) if (!Number.isFinite(column[i])) return false;
  return true;
}

function hasTwoValues(values: Text, rows: Uint32Array): boolean {
  let first: string | null = null;
  for (const row of rows) {
    const value = values[row] ?? null;
    if (value === null) continue;
    if (first !== null && value !== first) return true;
    first = value;
  }
  return false;
}

function airportViolation(
  { longitude, latitude, altitudeFt }: FlightWith<'altitudeFt'>,
  i: number,
  airport: Airport | undefined,
  far: 'origin_airport' | 'destination_airport',
): Violation[] {
  if (airport === undefined) return ['unknown_airport'];
  const awayM = airportDistanceM(
    airport,
    0,
    longitude[i] as number,
    latitude[i] as number,
    altitudeFt[i] as number,
  );
  return awayM > MAX_AIRPORT_M ? [far] : [];
}

function isSlowOnAverage(timeMs: Float64Array, speedMS: Float64Array): boolean {
  const startMs = timeMs[0] as number;
  let [oldest, sum] = [1, 0];
  for (let i = 1; i < timeMs.length; i++) {
    sum += speedMS[i] as number;
    const time = timeMs[i] as number;
    for (; (timeMs[oldest] as number) <= time - SLOW_MEAN_WINDOW_MS; oldest++)
      sum -= speedMS[oldest] as number;
    if (time >= startMs + SLOW_MEAN_WINDOW_MS && sum / (i - oldest + 1) <= SLOW_MEAN_MS) return true;
  }
  return false;
}

function profileCrossings(altitudeFt: Float64Array): number {
  let count = 0;
  for (let i = 1; i < altitudeFt.length; i++) {
    const isAbove = (altitudeFt[i] as number) > PROFILE_FT;
    if (isAbove !== (altitudeFt[i - 1] as number) > PROFILE_FT) count++;
  }
  return count;
}
