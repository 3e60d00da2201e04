/** Trajectories at regular times: gaps filled on the WGS84 geodesic, altitudes by rules of flight. */

import { InputError } from '../errors.ts';
import { type FlightWith, givenColumns, mapColumns } from '../flight-columns.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { feetToMetres, metresToFeet } from '../units.ts';
import { antimeridianShift, shiftLongitude, unshiftLongitude } from './antimeridian.ts';
import { type AltitudeRules, fillAltitudeFt, fillLinear } from './fill-altitude.ts';
import { type FilledFlight, insertGeodesicPoints } from './geodesic-fill.ts';
import { mergeTimes, spread, targetTimes } from './time-axis.ts';

export interface ResampleOptions extends AltitudeRules {
  /** Distance of the new times [ms], counted from 1970; one minute unless given. */
  readonly freqMs?: number | undefined;
  /** New times [ms] in place of regular ones; those outside the flight are left out. */
  readonly timesMs?: Float64Array | undefined;
  readonly fillMethod?: 'geodesic' | 'linear' | undefined;
  /** Legs longer than this [m] are cut along the geodesic. */
  readonly geodesicThresholdM?: number | undefined;
  /** Also keep the original waypoints and the points inserted on geodesics. */
  readonly keepOriginalTimes?: boolean | undefined;
  /** Drop the further columns; otherwise they are kept, NaN at new times. */
  readonly drop?: boolean | undefined;
}

/** Resamples a flight. The result is empty when no new time lies within the flight. */
export function resampleAndFill(
  flight: FlightWith<'altitudeM'>,
  options: ResampleOptions = {},
): FlightWith<'altitudeM'> {
  requireOrdered(flight);
  // Counted from the first waypoint, times keep the nanoseconds that decide which of two neighbours comes first.
  const start = flight.timeMs[0] ?? 0;
  const known = insertGeodesicPoints(
    { ...flight, timeMs: shifted(flight.timeMs, -start) },
    (options.fillMethod ?? 'geodesic') === 'geodesic' ? (options.geodesicThresholdM ?? 100_000) : undefined,
  );
  const targets = shifted(targetTimes(flight.timeMs, options.freqMs ?? 60_000, options.timesMs), -start);
  if (options.keepOriginalTimes === true || options.drop === false)
    return withOtherColumns(flight, known, targets, options);
  const shift = antimeridianShift(known.longitude);
  return {
    timeMs: shifted(targets, start),
    longitude:
      shift === undefined
        ? interpolated(known.longitude, known.timeMs, targets)
        : interpolated(
            known.longitude.map((value) => shiftLongitude(value, shift)),
            known.timeMs,
            targets,
          ).map((value) => unshiftLongitude(value, shift)),
    latitude: interpolated(known.latitude, known.timeMs, targets),
    altitudeM: altitudesAt(targets, known, options),
  };
}

/** Values at ascending times, linear in time between known ones and unknown outside them, as `fillLinear` has it. */
function interpolated(values: Float64Array, knownMs: Float64Array, timeMs: Float64Array): Float64Array {
  const out = new Float64Array(timeMs.length);
  const count = values.length;
  let before = -1;
  let after = 0;
  while (after < count && Number.isNaN(values[after])) after++;
  for (let i = 0; i < out.length; i++) {
    const time = timeMs[i] as number;
    while (after < count && (knownMs[after] as number) <= time) {
      before = after++;
      while (after < count && Number.isNaN(values[after])) after++;
    }
    if (before >= 0 && knownMs[before] === time) out[i] = values[before] as number;
    else if (before < 0 || after >= count) out[i] = Number.NaN;
    else {
      const from = knownMs[before] as number;
      const value = values[before] as number;
      const slope = ((values[after] as number) - value) / ((knownMs[after] as number) - from);
      out[i] = value + slope * (time - from);
    }
  }
  return out;
}

/** Known and new times of the last resampled flight: allocating arrays would take longer than using them. */
let scratch = { timeMs: new Float64Array(0), altitudeFt: new Float64Array(0), indices: new Uint32Array(0) };

/** Altitudes [m] at new times. Flight rules read known and new times together. */
function altitudesAt(
  targets: Float64Array,
  { timeMs: knownMs, altitudeM }: Pick<FilledFlight, 'timeMs' | 'altitudeM'>,
  rules: AltitudeRules,
): Float64Array {
  const size = knownMs.length + targets.length;
  if (size > scratch.timeMs.length) {
    const larger = 2 * size;
    scratch = {
      timeMs: new Float64Array(larger),
      altitudeFt: new Float64Array(larger),
      indices: new Uint32Array(larger),
    };
  }
  const { timeMs, altitudeFt, indices } = scratch;
  let [k, t, n] = [0, 0, 0];
  while (k < knownMs.length || t < targets.length) {
    const knownTime = k < knownMs.length ? (knownMs[k] as number) : Number.POSITIVE_INFINITY;
    const targetTime = t < targets.length ? (targets[t] as number) : Number.POSITIVE_INFINITY;
    timeMs[n] = Math.min(knownTime, targetTime);
    altitudeFt[n] = knownTime <= targetTime ? metresToFeet(altitudeM[k++] as number) : Number.NaN;
    if (targetTime <= knownTime) indices[t++] = n;
    n++;
  }
  fillAltitudeFt(altitudeFt.subarray(0, n), timeMs.subarray(0, n), rules);
  const out = new Float64Array(targets.length);
  for (let i = 0; i < out.length; i++) out[i] = feetToMetres(altitudeFt[indices[i] as number] as number);
  return out;
}

/** The same with other columns, or with both known and new times. */
function withOtherColumns(
  flight: FlightWith<'altitudeM'>,
  known: FilledFlight,
  targets: Float64Array,
  options: ResampleOptions,
): FlightWith<'altitudeM'> {
  const start = flight.timeMs[0] ?? 0;
  const { timeMs, source, isTarget } = mergeTimes(known.timeMs, targets);
  const longitude = fillLongitude(
    spread(known.longitude, source),
    timeMs,
    antimeridianShift(known.longitude),
  );
  const latitude = spread(known.latitude, source);
  fillLinear(latitude, timeMs);
  const altitudeFt = converted(spread(known.altitudeM, source), metresToFeet);
  fillAltitudeFt(altitudeFt, timeMs, options);

  const absoluteMs = shifted(timeMs, start);
  const keepsOriginal = options.keepOriginalTimes === true;
  const origin = source.map((k) => (k < 0 ? -1 : (known.origin?.[k] ?? k)));
  // An inserted point less than a microsecond from its neighbour would only repeat its time.
  const repeats = (i: number): boolean =>
    (origin[i] as number) < 0 && (absoluteMs[i - 1] === absoluteMs[i] || absoluteMs[i + 1] === absoluteMs[i]);
  const kept = new Uint32Array(absoluteMs.length);
  let count = 0;
  for (let i = 0; i < absoluteMs.length; i++) {
    if (isTarget[i] === 1 || (keepsOriginal && !repeats(i))) kept[count++] = i;
  }
  const pick = (values: Float64Array): Float64Array => {
    const picked = new Float64Array(count);
    for (let k = 0; k < count; k++) picked[k] = values[kept[k] as number] as number;
    return picked;
  };
  return {
    ...(options.drop === false ? mapColumns(flight, (column) => pick(spread(column, origin))) : {}),
    timeMs: pick(absoluteMs),
    longitude: pick(longitude),
    latitude: pick(latitude),
    altitudeM: converted(pick(altitudeFt), feetToMetres),
  };
}

function shifted(values: Float64Array, by: number): Float64Array {
  const out = new Float64Array(values.length);
  for (let i = 0; i < out.length; i++) out[i] = (values[i] as number) + by;
  return out;
}

/** In place. */
function converted(values: Float64Array, convert: (value: number) => number): Float64Array {
  for (let i = 0; i < values.length; i++) values[i] = convert(values[i] as number);
  return values;
}

function fillLongitude(
  longitude: Float64Array,
  timeMs: Float64Array,
  shift: number | undefined,
): Float64Array {
  const continuous = shift === undefined ? longitude : longitude.map((value) => shiftLongitude(value, shift));
  fillLinear(continuous, timeMs);
  return shift === undefined ? continuous : continuous.map((value) => unshiftLongitude(value, shift));
}

function requireOrdered(flight: FlightWith<'altitudeM'>): void {
  const { timeMs, altitudeM } = flight;
  requireSameLength(timeMs, ...givenColumns(flight));
  let index = 1;
  while (index < timeMs.length && (timeMs[index] as number) > (timeMs[index - 1] as number)) index++;
  if (index < timeMs.length) {
    throw new InputError(
      `time of waypoint ${index} is not after the one before; sort and drop repeated times`,
      {
        field: 'time',
        index,
      },
    );
  }
  const last = timeMs.length - 1;
  if (last >= 0 && (Number.isNaN(altitudeM[0]) || Number.isNaN(altitudeM[last]))) {
    throw new InputError('the first and the last altitude must be known', { field: 'altitude' });
  }
}
