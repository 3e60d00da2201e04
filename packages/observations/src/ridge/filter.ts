/** The oriented ridge filter: derivatives of a Gaussian, and the directions in which they are combined. */

export const DIRECTIONS = 16;
/** Pixels of a digital line on either side of its centre. */
export const LINE_HALF = 8;
/** A line mean needs more than half of its pixels. */
export const LINE_MIN_PIXELS = 9;
export const FILTER_RADIUS = 5;

const SIGMA = 1.4;

/** Taps −5 … 5 of the smoothing kernel and its first two derivatives; the second has no mean. */
export interface FilterTaps {
  readonly g: readonly number[];
  readonly g1: readonly number[];
  readonly g2: readonly number[];
}

export const TAPS: FilterTaps = makeTaps();
/** σ², by which derivatives are scaled. */
export const TAP_SCALE = SIGMA * SIGMA;

function makeTaps(): FilterTaps {
  const positions = Array.from({ length: 2 * FILTER_RADIUS + 1 }, (_, k) => k - FILTER_RADIUS);
  const bell = positions.map((i) => Math.exp((-i * i) / (2 * SIGMA * SIGMA)));
  const sum = bell.reduce((total, value) => total + value, 0);
  const g = bell.map((value) => value / sum);
  const g1 = g.map((value, k) => (-(positions[k] as number) / SIGMA ** 2) * value);
  const raw = g.map((value, k) => ((positions[k] as number) ** 2 / SIGMA ** 4 - 1 / SIGMA ** 2) * value);
  const mean = raw.reduce((total, value) => total + value, 0) / raw.length;
  return { g, g1, g2: raw.map((value) => value - mean) };
}

export interface Direction {
  readonly index: number;
  /** Factors of the second derivatives in the response across the direction. */
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
  /** Lines step along columns and drift by `slope` rows each, or the other way around where they are steep. */
  readonly isSteep: boolean;
  readonly slope: number;
}

/** Directions θ = k π / 16, 0 along increasing column and π/2 along increasing row. */
export const DIRECTION_TABLE: readonly Direction[] = Array.from({ length: DIRECTIONS }, (_, index) => {
  const theta = (index * Math.PI) / DIRECTIONS;
  const [cos, sin] = [Math.cos(theta), Math.sin(theta)];
  // The diagonals lie on the boundary, where rounding must not decide.
  const isSteep = Math.abs(sin) - Math.abs(cos) > 1e-9;
  return {
    index,
    xx: -sin * sin,
    xy: 2 * sin * cos,
    yy: -cos * cos,
    isSteep,
    slope: isSteep ? cos / sin : sin / cos,
  };
});

/** Rows outside an image that line sums refer to: the one that leaves before the first enters. */
const LINE_REACH = 2 * LINE_HALF + 1;
/** Columns on either side from where on the sums of lines are followed, so they are right when lines enter. */
export const LINE_OVERHANG = 12;

/** How far the digital lines of a direction are shifted in each row. Rows are those of steep lines, or columns of others. */
export interface LineShifts {
  at(row: number): number;
  /** Of all rows. */
  readonly largest: number;
}

/** `firstIndex` is the position of row 0 in the full grid: lines do not depend on the part of it that is filtered. */
export function lineShifts(slope: number, firstIndex: number, rows: number): LineShifts {
  const shifts = new Int32Array(rows + 2 * LINE_REACH);
  for (let k = 0; k < shifts.length; k++) shifts[k] = Math.floor(slope * (firstIndex + k - LINE_REACH) + 0.5);
  return {
    at: (row) => shifts[row + LINE_REACH] as number,
    largest: Math.max(shifts[0] as number, shifts.at(-1) as number),
  };
}

/** Room for the running sums of all lines that cross an image. */
export function lineSumLength(rows: number, columns: number): number {
  return rows + columns + 2 * (LINE_REACH + LINE_OVERHANG) + 4;
}
