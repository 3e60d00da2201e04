/** From waypoints as they come to the columns of a flight: in order of time, with one vertical coordinate in all its units. */

import { altitudeMFromLevel, levelFromAltitudeM } from '../atmosphere/isa.ts';
import { InputError } from '../errors.ts';
import { type FlightColumns, type FlightWith, givenColumns, mapColumns } from '../flight-columns.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { feetToMetres, metresToFeet } from '../units.ts';

const UNUSUAL_ALTITUDE_M = 16000;

export interface FlightOptions {
  /** Keep only the first waypoint of each time. */
  readonly dropRepeatedTimes?: boolean;
}

export interface SortedFlight {
  readonly columns: FlightWith<'altitudeM' | 'altitudeFt' | 'levelHpa'>;
  /** Index of each waypoint in the input. */
  readonly inputIndex: Uint32Array;
  /** What is unusual, yet no error: repeated times, very high altitudes. */
  readonly warnings: readonly string[];
}

/**
 * Sorts the waypoints of a flight by time (stable), checks its coordinates and drops repeated times if asked to. The first of
 * altitudeM, altitudeFt, levelHpa that is present is the vertical coordinate.
 */
export function createFlight(input: FlightColumns, options: FlightOptions = {}): SortedFlight {
  const vertical = input.altitudeM ?? input.altitudeFt ?? input.levelHpa;
  if (vertical === undefined) throw new InputError('a flight needs altitudeM, altitudeFt or levelHpa');
  requireSameLength(input.timeMs, ...givenColumns(input));
  requireRange('longitude', input.longitude, 180);
  requireRange('latitude', input.latitude, 90);

  const { order, repeated } = chronological(input.timeMs, options.dropRepeatedTimes ?? false);
  const pick = (column: Float64Array): Float64Array => Float64Array.from(order, (i) => column[i] as number);
  const height = pick(vertical);
  const altitudeM =
    input.altitudeM !== undefined
      ? height
      : height.map(input.altitudeFt !== undefined ? feetToMetres : altitudeMFromLevel);
  const isFeet = input.altitudeM === undefined && input.altitudeFt !== undefined;
  const isLevel = input.altitudeM === undefined && input.altitudeFt === undefined;
  return {
    columns: {
      ...mapColumns(input, pick),
      altitudeM,
      altitudeFt: isFeet ? height : altitudeM.map(metresToFeet),
      levelHpa: isLevel ? height : altitudeM.map(levelFromAltitudeM),
    },
    inputIndex: order,
    warnings: warningsOf(altitudeM, options.dropRepeatedTimes ? 0 : repeated),
  };
}

/** A value that holds for a whole flight: its attribute, else a column of one value throughout, else the default. */
export function flightConstant<T>(
  attribute: T | undefined,
  column: ArrayLike<T> | undefined,
  otherwise: T,
): T {
  if (attribute !== undefined) return attribute;
  if (column === undefined || column.length === 0) return otherwise;
  const first = column[0] as T;
  for (let i = 1; i < column.length; i++) if (column[i] !== first) return otherwise;
  return Number.isNaN(first) ? otherwise : first;
}

function requireRange(field: string, values: Float64Array, bound: number): void {
  const index = values.findIndex((value) => Math.abs(value) > bound);
  if (index < 0) return;
  throw new InputError(
    `${field} of waypoint ${index} is ${values[index]}; give degrees from -${bound} to ${bound}`,
    {
      field,
      index,
      value: values[index],
    },
  );
}

function chronological(timeMs: Float64Array, drop: boolean): { order: Uint32Array; repeated: number } {
  const unknown = timeMs.findIndex((time) => !Number.isFinite(time));
  if (unknown >= 0) {
    throw new InputError(`time of waypoint ${unknown} is ${timeMs[unknown]}; give milliseconds since 1970`, {
      field: 'time',
      index: unknown,
    });
  }
  const order = Uint32Array.from(timeMs.keys());
  const ascending = timeMs.every((time, i) => i === 0 || (timeMs[i - 1] as number) <= time);
  if (!ascending) order.sort((a, b) => (timeMs[a] as number) - (timeMs[b] as number) || a - b);
  const isRepeat = (i: number, k: number): boolean => k > 0 && timeMs[order[k - 1] as number] === timeMs[i];
  const distinct = order.filter((i, k) => !isRepeat(i, k));
  return { order: drop ? distinct : order, repeated: order.length - distinct.length };
}

function warningsOf(altitudeM: Float64Array, repeated: number): string[] {
  const warnings: string[] = [];
  if (repeated > 0) {
    warnings.push(
      `${repeated} waypoints repeat the time of the one before; drop them before smoothing or resampling`,
    );
  }
  const high = altitudeM.findIndex((altitude) => altitude > UNUSUAL_ALTITUDE_M);
  if (high >= 0)
    warnings.push(`altitude of waypoint ${high} is ${altitudeM[high]} m, above ${UNUSUAL_ALTITUDE_M} m`);
  return warnings;
}
