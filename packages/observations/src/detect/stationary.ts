/**
 * Lines that stand still. A contrail drifts with the wind; coasts, valleys and edges of fields do not. Two earlier frames
 * show whether a line was at the same place before, and whether its ends and its brighter and fainter parts were too: a
 * contrail that drifts along itself stays on its line, but not these.
 */
import { FRAME_STEP_MS, type Frame } from '../frame/index.ts';
import type { LineObject } from '../objects/shape.ts';

/** How long before a frame the two frames are that the test needs [ms]. */
export const STATIONARY_EARLIER_MS = [FRAME_STEP_MS, 2 * FRAME_STEP_MS] as const;

/** What is read of an earlier frame. */
export type EarlierImage = Pick<Frame, 'time' | 'grid' | 't12'>;

/** Pixels at most this far from the axis are the line; its surroundings are on both sides from `NEAR_SIDE` on [px]. */
const LINE_HALF = 1;
const NEAR_SIDE = 4;
const FAR_SIDE = 6;
/** How far beyond its ends a line is checked [px]. */
const BEYOND_ENDS = 12;
/** Contrails drift along themselves by more than the first and less than the second in ten minutes [px]. */
const MIN_DRIFT = 3;
const MAX_DRIFT = 16;
/** What navigation may be off by between frames [px]. */
const JITTERS = [-1, 0, 1];
/** A point is as it was if its contrast has changed by less than this part of that of the line, or than so many kelvin. */
const TOLERANCE = 0.3;
const MIN_TOLERANCE_K = 0.15;
/** A line was there before if at least this share of its points, and so many, are as they were … */
const MIN_ALIKE = 0.5;
const MIN_POINTS = 8;
/** … and stood still if any drift leaves more than it would in place, by this ratio. */
const MAX_MISFIT = 0.6;
/** A line along the edge of the image has at least this contrast if it is one [K]. */
const MIN_EDGE_CONTRAST_K = 0.5;
/** A line without ends or structure may drift along itself unnoticed: less than this proves nothing [K²]. */
const MIN_MISFIT_K2 = 0.01;

/** The frames that the test needs, if they are all there and have the grid of the frame. */
export function stationaryFrames(
  frame: Pick<Frame, 'time' | 'grid'>,
  earlier: readonly EarlierImage[],
): readonly EarlierImage[] | undefined {
  const found = STATIONARY_EARLIER_MS.flatMap((ms) => {
    const before = earlier.find(({ time }) => time === frame.time - ms);
    return before !== undefined && isSameGrid(before.grid, frame.grid) ? [before] : [];
  });
  return found.length === STATIONARY_EARLIER_MS.length ? found : undefined;
}

function isSameGrid(a: Frame['grid'], b: Frame['grid']): boolean {
  const isSame = (name: keyof Frame['grid']) => a[name] === b[name];
  return (['rows', 'columns', 'x0', 'dx', 'y0', 'dy', 'longitudeOfOrigin'] as const).every(isSame);
}

/** Whether an object of a frame is where it was in both earlier frames. In doubt it is not. */
export function isStationary(
  object: LineObject,
  frame: Pick<Frame, 'time' | 'grid' | 't12'>,
  earlier: readonly EarlierImage[],
): boolean {
  const now = profileOf(object, frame, 0);
  const contrast = meanInside(now, object);
  // The edge of the image stands still too: filters find lines along it where the image has none.
  if (!(contrast > MIN_EDGE_CONTRAST_K) && followsEdge(object, frame)) return true;
  if (!(contrast > 0)) return false;
  const tolerance = Math.max(MIN_TOLERANCE_K, TOLERANCE * contrast);
  return earlier.every((before) => {
    const maxDrift = Math.round((MAX_DRIFT * (frame.time - before.time)) / FRAME_STEP_MS);
    return isInPlace(now, profileOf(object, before, maxDrift), maxDrift, tolerance);
  });
}

/** How much colder the line is than its surroundings [K], point by point along its axis; NaN where pixels are missing. */
function profileOf(object: LineObject, frame: Pick<Frame, 'grid' | 't12'>, margin: number): Float64Array {
  const half = halfLength(object.length) + margin;
  return Float64Array.from({ length: 2 * half + 1 }, (_, k) => {
    const meanOf = acrossAt(object, frame, k - half);
    const [left, right] = [meanOf(-FAR_SIDE, -NEAR_SIDE), meanOf(NEAR_SIDE, FAR_SIDE)];
    const sides = Number.isNaN(left) ? right : Number.isNaN(right) ? left : (left + right) / 2;
    return sides - meanOf(-LINE_HALF, LINE_HALF);
  });
}

/** Means of temperatures between two distances from the axis, at a distance from the middle along it [px]. */
function acrossAt(
  { midColumn, midRow, angle }: LineObject,
  { grid: { rows, columns }, t12 }: Pick<Frame, 'grid' | 't12'>,
  along: number,
): (from: number, to: number) => number {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [c, r] = [midColumn + along * cos, midRow + along * sin];
  return (from, to) => {
    let [sum, count] = [0, 0];
    for (let v = from; v <= to; v++) {
      const [column, row] = [Math.round(c - v * sin), Math.round(r + v * cos)];
      const isInside = column >= 0 && row >= 0 && column < columns && row < rows;
      const kelvin = isInside ? (t12[row * columns + column] as number) : Number.NaN;
      if (Number.isNaN(kelvin)) continue;
      sum += kelvin;
      count++;
    }
    return count === 0 ? Number.NaN : sum / count;
  };
}

/** Whether most of a line has nothing beyond it on one side. */
function followsEdge(object: LineObject, frame: Pick<Frame, 'grid' | 't12'>): boolean {
  const half = Math.floor(object.length / 2);
  let missing = 0;
  for (let along = -half; along <= half; along++) {
    const meanOf = acrossAt(object, frame, along);
    if (Number.isNaN(meanOf(-FAR_SIDE, -FAR_SIDE)) || Number.isNaN(meanOf(FAR_SIDE, FAR_SIDE))) missing++;
  }
  return missing > half;
}

function halfLength(length: number): number {
  return Math.ceil(length / 2) + BEYOND_ENDS;
}

function meanInside(profile: Float64Array, { length }: LineObject): number {
  const middle = (profile.length - 1) / 2;
  const half = Math.floor(length / 2);
  let [sum, count] = [0, 0];
  for (let k = middle - half; k <= middle + half; k++) {
    const value = profile[k] as number;
    if (Number.isNaN(value)) continue;
    sum += value;
    count++;
  }
  return count === 0 ? Number.NaN : sum / count;
}

/**
 * Whether an earlier profile is like that of now in place, and less so after any drift along the line. Clouds that pass
 * change parts of a profile: only points that are as before count.
 */
function isInPlace(now: Float64Array, then: Float64Array, maxDrift: number, tolerance: number): boolean {
  const leftAt = (k: number, drift: number) => (now[k] as number) - (then[maxDrift + k + drift] as number);
  const isAlike = (k: number) => JITTERS.some((drift) => Math.abs(leftAt(k, drift)) <= tolerance);
  const alike = Array.from(now.keys()).filter(isAlike);
  const onLine = now.length - 2 * BEYOND_ENDS;
  const isOnLine = (k: number) => k >= BEYOND_ENDS && k < BEYOND_ENDS + onLine;
  if (alike.filter(isOnLine).length < Math.max(MIN_POINTS, MIN_ALIKE * onLine)) return false;
  const misfitOf = (drift: number) => {
    let [sum, count] = [0, 0];
    for (const k of alike) {
      const left = leftAt(k, drift);
      if (Number.isNaN(left)) continue;
      sum += left * left;
      count++;
    }
    return count < MIN_POINTS ? Number.POSITIVE_INFINITY : sum / count;
  };
  const limit = Math.max(MIN_MISFIT_K2, Math.min(...JITTERS.map(misfitOf)) / MAX_MISFIT);
  for (let drift = MIN_DRIFT; drift <= maxDrift; drift++) {
    if (misfitOf(drift) < limit || misfitOf(-drift) < limit) return false;
  }
  return true;
}
