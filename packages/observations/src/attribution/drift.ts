/** Points that drift with the wind and sink: where the exhaust of a flight is at the time of an image. */
import { advectLatitude, advectLevel, advectLongitude } from '@contrails/physics/geodesy';
import { SECOND_MS } from '@contrails/runtime';
import { makeWindColumns, type WindColumns, type Winds } from './winds.ts';

/** Columns of points; all have room for at least the points that are used. */
export interface DriftingPoints {
  /** [deg] */
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  /** [hPa]; NaN once a point has left the weather. */
  readonly level: Float64Array;
  /** When the point is there [ms since 1970]. */
  readonly timeMs: Float64Array;
}

export interface DriftSettings {
  /** Of ice particles relative to the air [m s⁻¹]. */
  readonly fallSpeed: number;
  /** Longest step [s]. */
  readonly maxStepS: number;
}

export const DEFAULT_DRIFT: DriftSettings = { fallSpeed: 0.015, maxStepS: 300 };

const GAS_CONSTANT = 287.05;
/** Frames are ten minutes apart, but the rows of a point are scanned a little more or less: still two steps. */
const STEP_TOLERANCE = 0.02;

/** Moves points to their target times [ms since 1970] by the midpoint rule. Those that leave the weather get a level of NaN. */
export function driftTo(
  points: DriftingPoints,
  targetMs: Float64Array,
  count: number,
  winds: Winds,
  { fallSpeed, maxStepS }: DriftSettings = DEFAULT_DRIFT,
): void {
  const steps = new Int32Array(count);
  let max = 0;
  for (let i = 0; i < count; i++) {
    const seconds = ((targetMs[i] as number) - (points.timeMs[i] as number)) / SECOND_MS;
    steps[i] = seconds <= 0 ? 0 : Math.max(1, Math.ceil(seconds / maxStepS - STEP_TOLERANCE));
    max = Math.max(max, steps[i] as number);
  }
  const work = makeWork(count);
  for (let left = max; left > 0; left--) {
    let active = 0;
    for (let i = 0; i < count; i++) {
      if ((steps[i] as number) >= left && !Number.isNaN(points.level[i] as number)) work.index[active++] = i;
    }
    step(points, targetMs, steps, active, left, winds, fallSpeed, work);
  }
}

interface Work {
  readonly index: Int32Array;
  readonly at: DriftingPoints;
  readonly air: WindColumns;
}

function makeWork(length: number): Work {
  const column = () => new Float64Array(length);
  return {
    index: new Int32Array(length),
    at: { longitude: column(), latitude: column(), level: column(), timeMs: column() },
    air: makeWindColumns(length),
  };
}

/** One step of the points that have `left` steps to go, or more. */
function step(
  points: DriftingPoints,
  targetMs: Float64Array,
  steps: Int32Array,
  active: number,
  left: number,
  winds: Winds,
  fallSpeed: number,
  { index, at, air }: Work,
): void {
  const move = (i: number, k: number, seconds: number, to: DriftingPoints, slot: number) => {
    const lon = points.longitude[i] as number;
    const lat = points.latitude[i] as number;
    const u = air.eastward[k] as number;
    const v = air.northward[k] as number;
    // The density belongs to where the wind was sampled.
    const density = (100 * (at.level[k] as number)) / (GAS_CONSTANT * (air.temperature[k] as number));
    const level = advectLevel(points.level[i] as number, air.omega[k] as number, density, fallSpeed, seconds);
    const longitude = advectLongitude(lon, lat, u, v, seconds);
    const latitude = advectLatitude(lon, lat, u, v, seconds);
    to.longitude[slot] = longitude;
    to.latitude[slot] = latitude;
    to.level[slot] = level;
  };
  const secondsOf = (i: number): number => {
    const total = ((targetMs[i] as number) - (points.timeMs[i] as number)) / SECOND_MS;
    return total / Math.min(left, steps[i] as number);
  };
  for (let k = 0; k < active; k++) {
    const i = index[k] as number;
    at.longitude[k] = points.longitude[i] as number;
    at.latitude[k] = points.latitude[i] as number;
    at.level[k] = points.level[i] as number;
    at.timeMs[k] = points.timeMs[i] as number;
  }
  winds.sample(air, at, active);
  for (let k = 0; k < active; k++) {
    const i = index[k] as number;
    const half = secondsOf(i) / 2;
    move(i, k, half, at, k);
    at.timeMs[k] = (points.timeMs[i] as number) + half * SECOND_MS;
  }
  winds.sample(air, at, active);
  for (let k = 0; k < active; k++) {
    const i = index[k] as number;
    const seconds = secondsOf(i);
    move(i, k, seconds, points, i);
    points.timeMs[i] = (points.timeMs[i] as number) + seconds * SECOND_MS;
  }
}
