/**
 * The classical contrail detection algorithm (Mannstein et al. 1999), to compare figures with the literature. It decides by
 * thresholds and is not calibrated; nothing uses it unless it is chosen.
 */
import { createHash } from 'node:crypto';
import { DEFAULT_MAX_VIEW_ZENITH_DEG } from '../frame/index.ts';
import { viewMask } from '../navigation/index.ts';
import { DIRECTIONS } from '../ridge/filter.ts';
import type { Detector } from './detector.ts';

export interface CdaSettings {
  /** Of the difference of window channels [K]: 1.33 as one group tuned it, 0.2 in the original. */
  readonly minBtd?: number;
  /** A later variant drops the test of regional gradients. */
  readonly gradientTest?: boolean;
  /** Of components [pixels]: 5, or 8 in the variant. */
  readonly minLength?: number;
  readonly maxViewZenithDeg?: number;
}

const DEFAULTS = {
  minBtd: 1.33,
  gradientTest: true,
  minLength: 5,
  maxViewZenithDeg: DEFAULT_MAX_VIEW_ZENITH_DEG,
} as const satisfies Required<CdaSettings>;

const SMOOTHING_HALF = 2;
const SMOOTHING_SIGMA = 1.55;
const DEVIATION_FLOOR = 0.1;
const MAX_DEVIATIONS = 2;
const LINE_HALF = 9;
const [NARROW_SIGMA, WIDE_SIGMA] = [0.47, 1.42];
const GRADIENT_HALF = 7;
const GRADIENT_BAND = 3;
const MIN_RESPONSE = 1;
const MIN_SUM = 1;
const [MIN_PIXELS, MAX_PIXELS] = [8, 1000];
const MIN_EXPLAINED = 0.06;

export function cdaDetector(settings: CdaSettings = {}): Detector {
  const options = { ...DEFAULTS, ...settings };
  return {
    name: 'cda',
    version: '1.0',
    bands: ['T11', 'T12'],
    weightsHash: createHash('sha256').update(JSON.stringify(options)).digest('hex').slice(0, 16),
    earlierMs: [],
    detect: async ({ t11, t12, rows, columns, grid }) => {
      const masked = viewMask(grid, options.maxViewZenithDeg);
      const valid = masked.map((view, i) =>
        view === 0 && (t11[i] as number) + (t12[i] as number) > 0 ? 1 : 0,
      );
      const size = { rows, columns };
      const inverted = t12.map((t, i) => (valid[i] === 0 ? 0 : -t));
      const btd = t11.map((t, i) => (valid[i] === 0 ? 0 : t - (t12[i] as number)));
      const cold = normalise(inverted, valid, size);
      const difference = normalise(btd, valid, size);
      const sum = cold.normalised.map((value, i) => value + (difference.normalised[i] as number));
      const gradient = options.gradientTest ? gradientOf(inverted, valid, size) : undefined;
      const mayBe = (i: number): boolean =>
        valid[i] === 1 &&
        (sum[i] as number) > MIN_SUM &&
        (btd[i] as number) > options.minBtd &&
        (gradient === undefined || (gradient[i] as number) < 2 * (cold.deviation[i] as number) + 1);
      const confidence = new Float32Array(rows * columns);
      for (let k = 0; k < DIRECTIONS; k++) {
        const kernel = lineKernel((k * Math.PI) / DIRECTIONS);
        const isCandidate = new Uint8Array(rows * columns);
        for (let i = 0; i < isCandidate.length; i++) {
          if (mayBe(i) && correlate(sum, kernel, size, i) > MIN_RESPONSE) isCandidate[i] = 1;
        }
        for (const pixels of components(isCandidate, size)) {
          if (isLine(pixels, columns, options.minLength)) for (const pixel of pixels) confidence[pixel] = 1;
        }
      }
      return { confidence, valid };
    },
  };
}

interface Size {
  readonly rows: number;
  readonly columns: number;
}

interface Tap {
  readonly row: number;
  readonly column: number;
  readonly weight: number;
}

function taps(half: number, weigh: (column: number, row: number) => number): Tap[] {
  const side = 2 * half + 1;
  return Array.from({ length: side * side }, (_, i) => {
    const [row, column] = [Math.floor(i / side) - half, (i % side) - half];
    return { row, column, weight: weigh(column, row) };
  });
}

const SMOOTHING = taps(SMOOTHING_HALF, (c, r) => Math.exp(-(c * c + r * r) / (2 * SMOOTHING_SIGMA ** 2)));

/** Deviation from the local mean in units of the local mean deviation. */
function normalise(
  image: Float32Array,
  valid: Uint8Array,
  size: Size,
): { normalised: Float32Array; deviation: Float32Array } {
  const mean = smooth(image, valid, size);
  const deviation = smooth(
    image.map((value, i) => Math.abs(value - (mean[i] as number))),
    valid,
    size,
  );
  const normalised = image.map((value, i) => {
    if (valid[i] === 0) return 0;
    const ratio = (value - (mean[i] as number)) / ((deviation[i] as number) + DEVIATION_FLOOR);
    return Math.min(MAX_DEVIATIONS, Math.max(-MAX_DEVIATIONS, ratio));
  });
  return { normalised, deviation };
}

/** Weighted mean over valid pixels. */
function smooth(image: Float32Array, valid: Uint8Array, { rows, columns }: Size): Float32Array {
  return image.map((_, i) => {
    if (valid[i] === 0) return 0;
    const [r, c] = [Math.floor(i / columns), i % columns];
    let total = 0;
    let weights = 0;
    for (const { row, column, weight } of SMOOTHING) {
      const [y, x] = [r + row, c + column];
      if (y < 0 || y >= rows || x < 0 || x >= columns || valid[y * columns + x] === 0) continue;
      total += weight * (image[y * columns + x] as number);
      weights += weight;
    }
    return total / weights;
  });
}

/** Two Gaussians across the line, constant along it; positive and negative weights each sum to one. */
function lineKernel(theta: number): Tap[] {
  const [cos, sin] = [Math.cos(theta), Math.sin(theta)];
  const bell = (v: number, sigma: number) => Math.exp(-(v * v) / (2 * sigma * sigma)) / sigma;
  const raw = taps(LINE_HALF, (c, r) => {
    const across = r * cos - c * sin;
    return bell(across, NARROW_SIGMA) - bell(across, WIDE_SIGMA);
  });
  const positive = raw.reduce((sum, { weight }) => sum + Math.max(weight, 0), 0);
  const negative = raw.reduce((sum, { weight }) => sum - Math.min(weight, 0), 0);
  return raw.map((tap) => ({ ...tap, weight: tap.weight / (tap.weight > 0 ? positive : negative) }));
}

function correlate(
  image: Float32Array,
  kernel: readonly Tap[],
  { rows, columns }: Size,
  pixel: number,
): number {
  const r = Math.floor(pixel / columns);
  const c = pixel - r * columns;
  let sum = 0;
  for (const { row, column, weight } of kernel) {
    const [y, x] = [r + row, c + column];
    if (y >= 0 && y < rows && x >= 0 && x < columns) sum += weight * (image[y * columns + x] as number);
  }
  return sum;
}

/** Difference of the means of bands at opposite edges of a window, in both directions [K]. */
function gradientOf(image: Float32Array, valid: Uint8Array, { rows, columns }: Size): Float32Array {
  const sums = new Float64Array((rows + 1) * (columns + 1));
  const counts = new Float64Array((rows + 1) * (columns + 1));
  const at = (r: number, c: number) => r * (columns + 1) + c;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const i = r * columns + c;
      for (const [table, value] of [
        [sums, (image[i] as number) * (valid[i] as number)],
        [counts, valid[i] as number],
      ] as const) {
        const corner =
          (table[at(r, c + 1)] as number) + (table[at(r + 1, c)] as number) - (table[at(r, c)] as number);
        table[at(r + 1, c + 1)] = corner + value;
      }
    }
  }
  const meanOf = (top: number, left: number, bottom: number, right: number): number => {
    const [y0, y1] = [Math.max(0, top), Math.min(rows, bottom)];
    const [x0, x1] = [Math.max(0, left), Math.min(columns, right)];
    if (y1 <= y0 || x1 <= x0) return Number.NaN;
    const over = (table: Float64Array) =>
      (table[at(y1, x1)] as number) -
      (table[at(y0, x1)] as number) -
      (table[at(y1, x0)] as number) +
      (table[at(y0, x0)] as number);
    return over(sums) / over(counts);
  };
  return image.map((_, i) => {
    const [r, c] = [Math.floor(i / columns), i % columns];
    const [top, left] = [r - GRADIENT_HALF, c - GRADIENT_HALF];
    const [bottom, right] = [r + GRADIENT_HALF + 1, c + GRADIENT_HALF + 1];
    const dx =
      meanOf(top, right - GRADIENT_BAND, bottom, right) - meanOf(top, left, bottom, left + GRADIENT_BAND);
    const dy =
      meanOf(bottom - GRADIENT_BAND, left, bottom, right) - meanOf(top, left, top + GRADIENT_BAND, right);
    // At the border of the image there is no opposite edge to compare with.
    const size = Math.hypot(dx, dy);
    return Number.isNaN(size) ? 0 : size;
  });
}

/** Sets of pixels that touch, also at corners. */
function components(mask: Uint8Array, { rows, columns }: Size): number[][] {
  const left = mask.slice();
  const found: number[][] = [];
  for (let seed = 0; seed < left.length; seed++) {
    if (left[seed] === 0) continue;
    const pixels = [seed];
    left[seed] = 0;
    for (let next = 0; next < pixels.length; next++) {
      const pixel = pixels[next] as number;
      const [r, c] = [Math.floor(pixel / columns), pixel % columns];
      for (let y = Math.max(0, r - 1); y <= Math.min(rows - 1, r + 1); y++) {
        for (let x = Math.max(0, c - 1); x <= Math.min(columns - 1, c + 1); x++) {
          if (left[y * columns + x] === 0) continue;
          left[y * columns + x] = 0;
          pixels.push(y * columns + x);
        }
      }
    }
    found.push(pixels);
  }
  return found;
}

/** Whether a component is long, neither tiny nor huge, and its variance lies along one axis. */
function isLine(pixels: readonly number[], columns: number, minLength: number): boolean {
  if (pixels.length <= MIN_PIXELS || pixels.length >= MAX_PIXELS) return false;
  const n = pixels.length;
  const points = pixels.map((pixel) => [pixel % columns, Math.floor(pixel / columns)] as const);
  const meanColumn = points.reduce((sum, [c]) => sum + c, 0) / n;
  const meanRow = points.reduce((sum, [, r]) => sum + r, 0) / n;
  let [cc, cr, rr] = [0, 0, 0];
  for (const [c, r] of points) {
    cc += (c - meanColumn) ** 2;
    cr += (c - meanColumn) * (r - meanRow);
    rr += (r - meanRow) ** 2;
  }
  const angle = 0.5 * Math.atan2(2 * cr, cc - rr);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const along = points.map(([c, r]) => (c - meanColumn) * cos + (r - meanRow) * sin);
  const length = Math.max(...along) - Math.min(...along) + 1;
  const half = (cc + rr) / 2;
  const spread = Math.hypot((cc - rr) / 2, cr);
  // What the axis explains beyond what it would of a round set.
  const explained = half === 0 ? 0 : spread / half;
  return length > minLength && explained > MIN_EXPLAINED;
}
