/** Trajectories at regular times: gaps filled on the WGS84 geodesic, altitudes by rules of flight. */
import { requireSameLength } from '../columns.ts';
import { InputError } from '../errors.ts';
import { geodesicInteriorPointsInto } from '../geodesic.ts';
import { haversineM } from '../sphere.ts';
import { feetToMetres, metresToFeet } from '../units.ts';
import { antimeridianShift, shiftLongitude, unshiftLongitude } from './antimeridian.ts';
import { type AltitudeRules, fillAltitudeFt, fillLinear } from './fill-altitude.ts';

/** Positions in order of time; altitude NaN where unknown, but not at the ends. */
export interface Track {
  readonly timeMs: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly altitudeM: Float64Array;
  /** Anything else known at the waypoints. */
  readonly columns?: Readonly<Record<string, Float64Array>> | undefined;
}

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

/** Resamples a track. The result is empty when no new time lies within the flight. */
export function resampleAndFill(track: Track, options: ResampleOptions = {}): Track {
  requireTrack(track);
  const dense =
    (options.fillMethod ?? 'geodesic') === 'geodesic'
      ? insertGeodesicPoints(track, options.geodesicThresholdM ?? 100_000)
      : withoutInserted(track);
  const targets = targetTimes(track.timeMs, options);
  const { timeMs, source, isTarget } = mergeTimes(dense.timeMs, targets);

  const longitude = fillLongitude(
    spread(dense.longitude, source),
    timeMs,
    antimeridianShift(dense.longitude),
  );
  const latitude = spread(dense.latitude, source);
  fillLinear(latitude, timeMs);
  const altitudeFt = spread(dense.altitudeM, source).map(metresToFeet);
  fillAltitudeFt(altitudeFt, timeMs, options);

  const keep = (_: number, i: number): boolean => options.keepOriginalTimes === true || isTarget[i] === 1;
  const origin = source.map((k) => (k < 0 ? -1 : (dense.origin[k] as number)));
  const columns = Object.entries(options.drop === false ? (track.columns ?? {}) : {}).map(
    ([name, column]) => [name, spread(column, origin).filter(keep)] as const,
  );
  return {
    timeMs: timeMs.filter(keep),
    longitude: longitude.filter(keep),
    latitude: latitude.filter(keep),
    altitudeM: altitudeFt.map(feetToMetres).filter(keep),
    columns: Object.fromEntries(columns),
  };
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

interface DenseTrack extends Track {
  /** Index of the waypoint in the track it came from; −1 for inserted points. */
  readonly origin: Int32Array;
}

function withoutInserted(track: Track): DenseTrack {
  return { ...track, origin: Int32Array.from(track.timeMs.keys()) };
}

function insertGeodesicPoints(track: Track, thresholdM: number): DenseTrack {
  const { timeMs, longitude, latitude, altitudeM } = track;
  const timeOut: number[] = [];
  const lonOut: number[] = [];
  const latOut: number[] = [];
  const origin: number[] = [];
  const push = (time: number, lon: number, lat: number, from: number): void => {
    timeOut.push(time);
    lonOut.push(lon);
    latOut.push(lat);
    origin.push(from);
  };
  for (let i = 0; i < timeMs.length; i++) {
    const time = timeMs[i] as number;
    const lon = longitude[i] as number;
    const lat = latitude[i] as number;
    push(time, lon, lat, i);
    if (i + 1 === timeMs.length) break;
    const endLon = longitude[i + 1] as number;
    const endLat = latitude[i + 1] as number;
    const distance = haversineM(lon, lat, endLon, endLat);
    if (!(distance > thresholdM)) continue;
    const count = Math.floor(distance / thresholdM);
    const step = wholeNanoseconds(((timeMs[i + 1] as number) - time) / (count + 1));
    const [pointLon, pointLat] = [new Float64Array(count), new Float64Array(count)];
    geodesicInteriorPointsInto(pointLon, pointLat, lon, lat, endLon, endLat);
    for (let k = 0; k < count; k++) {
      push(time + (k + 1) * step, pointLon[k] as number, pointLat[k] as number, -1);
    }
  }
  return {
    timeMs: Float64Array.from(timeOut),
    longitude: Float64Array.from(lonOut),
    latitude: Float64Array.from(latOut),
    altitudeM: spread(altitudeM, Int32Array.from(origin)),
    origin: Int32Array.from(origin),
  };
}

function wholeNanoseconds(ms: number): number {
  return Math.floor(ms * 1e6) / 1e6;
}

function targetTimes(timeMs: Float64Array, options: ResampleOptions): Float64Array {
  if (timeMs.length === 0) return timeMs;
  const first = timeMs[0] as number;
  const last = timeMs[timeMs.length - 1] as number;
  if (options.timesMs !== undefined) {
    const inside = options.timesMs.filter((time) => time >= first && time <= last).sort();
    return inside.filter((time, i) => i === 0 || time !== inside[i - 1]);
  }
  const freq = options.freqMs ?? 60_000;
  if (!(freq > 0))
    throw new InputError(`freqMs is ${freq}; give a positive number of milliseconds`, { freq });
  const start = Math.ceil(first / freq);
  const count = Math.max(Math.floor(last / freq) - start + 1, 0);
  return Float64Array.from({ length: count }, (_, i) => (start + i) * freq);
}

interface MergedTimes {
  readonly timeMs: Float64Array;
  /** Index of each merged time among the known ones; −1 where it is only a target. */
  readonly source: Int32Array;
  readonly isTarget: Uint8Array;
}

function mergeTimes(known: Float64Array, targets: Float64Array): MergedTimes {
  const size = known.length + targets.length;
  const timeMs = new Float64Array(size);
  const source = new Int32Array(size).fill(-1);
  const isTarget = new Uint8Array(size);
  let [k, t, n] = [0, 0, 0];
  while (k < known.length || t < targets.length) {
    const knownTime = known[k] ?? Number.POSITIVE_INFINITY;
    const targetTime = targets[t] ?? Number.POSITIVE_INFINITY;
    timeMs[n] = Math.min(knownTime, targetTime);
    if (knownTime <= targetTime) source[n] = k++;
    if (targetTime <= knownTime) {
      isTarget[n] = 1;
      t++;
    }
    n++;
  }
  return { timeMs: timeMs.slice(0, n), source: source.slice(0, n), isTarget: isTarget.slice(0, n) };
}

/** Values at the places they belong to, NaN elsewhere. */
function spread(values: Float64Array, source: Int32Array): Float64Array {
  return Float64Array.from(source, (k) => (k < 0 ? Number.NaN : (values[k] as number)));
}

function requireTrack(track: Track): void {
  const { timeMs, longitude, latitude, altitudeM } = track;
  requireSameLength(timeMs, longitude, latitude, altitudeM, ...Object.values(track.columns ?? {}));
  const index = timeMs.findIndex((time, i) => i > 0 && !(time > (timeMs[i - 1] as number)));
  if (index >= 0) {
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
