/** Trajectories at regular times: gaps filled on the WGS84 geodesic, altitudes by rules of flight. */

import { InputError } from '../errors.ts';
import { type FlightWith, givenColumns, mapColumns } from '../flight-columns.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { feetToMetres, metresToFeet } from '../units.ts';
import { antimeridianShift, shiftLongitude, unshiftLongitude } from './antimeridian.ts';
import { type AltitudeRules, fillAltitudeFt, fillLinear } from './fill-altitude.ts';
import { insertGeodesicPoints } from './geodesic-fill.ts';
import { mergeTimes, spread, targetTimes } from './time-axis.ts';

export interface ResampleOptions extends AltitudeRules {
  /** Distance of the new times [ms], counted from 1970; one minute unless given. */
  readonly freqMs?: number | undefined;
  /** New times [ms] in place of regular ones; those outside the flight are left out. */
  readonly timesMs?: Float64Array | undefined;
  readonly fillMethod?: 'geodesic' | 'linear' | undefined;
  /** Legs longer than this [m] are cut along the geodesic. */
  readonly geodesicThresholdM?: number | undefined;
  /** Keep the original waypoints, and the points inserted on geodesics, beside the new ones. */
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
  const targets = targetTimes(flight.timeMs, options.freqMs ?? 60_000, options.timesMs);
  const { timeMs, source, isTarget } = mergeTimes(known.timeMs, shifted(targets, -start));

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
  const origin =
    keepsOriginal || options.drop === false
      ? source.map((k) => (k < 0 ? -1 : (known.origin[k] as number)))
      : source;
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
