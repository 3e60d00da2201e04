/**
 * The built-in detector. Lines are looked for in the locally normalised 12 µm temperature and in the difference of the
 * window channels; a line must exist in both. Its response is judged against that of the same direction around it, and the
 * objects that pixels form get a calibrated probability.
 */
import { sharedFloat32, sharedUint8, UsageError } from '@contrails/runtime';
import { kernelAt } from '@contrails/runtime/compute';
import { DEFAULT_MAX_VIEW_ZENITH_DEG, type Frame } from '../frame/index.ts';
import { viewMask, windowPosition } from '../navigation/index.ts';
import { findObjects } from '../objects/objects.ts';
import type { LineObject } from '../objects/shape.ts';
import type { Detection, DetectOptions, Detector } from './detector.ts';
import { objectProbabilities } from './object-probability.ts';
import { detectInTile, type RidgeImages, type Tile } from './ridge-tile.ts';
import { isStationary, STATIONARY_EARLIER_MS, stationaryFrames } from './stationary.ts';
import { DEFAULT_WEIGHTS, hashOf, type RidgeWeights } from './weights.ts';

export interface RidgeSettings {
  readonly weights?: RidgeWeights;
  /** Added to local standard deviations of the temperature and of the difference of channels [K]. */
  readonly epsilon?: { readonly bt: number; readonly btd: number };
  readonly maxViewZenithDeg?: number;
  /** True leaves lines out that stand still since two frames, where these are given. */
  readonly skipsStationary?: boolean;
  /** Side of tiles [pixels]; larger ones share more of their halos and need more memory per thread. */
  readonly tileSize?: number;
}

const RIDGE_VERSION = '1.0';
const DEFAULT_EPSILON = { bt: 0.3, btd: 0.1 };
const DEFAULT_TILE = 912;
const LIMITS = { low: 0.15, high: 0.35 };
/** Of the pixel probability, where a pixel belongs to no object. */
const BACKGROUND = 0.25;

const TILE_KERNEL = kernelAt<typeof import('./ridge-tile.kernel.ts').default>(
  new URL('./ridge-tile.kernel.ts', import.meta.url),
);

export function ridgeDetector(settings: RidgeSettings = {}): Detector {
  const weights = settings.weights ?? DEFAULT_WEIGHTS;
  return {
    name: 'ridge',
    version: RIDGE_VERSION,
    bands: ['T11', 'T12'],
    weightsHash: hashOf(weights),
    earlierMs: earlierMsOf(settings),
    detect: async (frame, earlier = [], options) => {
      const stage = await pixelStage(frame, settings, options);
      const objects = objectsOf(stage);
      const probabilities = objectProbabilities(stage, objects, weights);
      const still = clearStationary(frame, earlier, objects, probabilities, settings);
      return { ...drawObjects(stage, objects, probabilities, (q, p) => Math.sqrt(q * p)), ...still };
    },
  };
}

/** What the pixel stage knows of each pixel: probability, direction index, response relative to clutter, ratio κ. */
export type PixelStage = Pick<
  RidgeImages,
  'rows' | 'columns' | 'valid' | 'probability' | 'direction' | 'z' | 'kappa'
>;

export async function pixelStage(
  frame: Frame,
  { weights = DEFAULT_WEIGHTS, epsilon = DEFAULT_EPSILON, maxViewZenithDeg, tileSize }: RidgeSettings = {},
  { compute, signal }: DetectOptions = {},
): Promise<PixelStage> {
  const { rows, columns, grid } = frame;
  const count = rows * columns;
  if (frame.t11.length !== count || frame.t12.length !== count) {
    throw new UsageError(
      `the bands of the frame have ${frame.t11.length} and ${frame.t12.length} pixels, not ${rows} × ${columns}`,
    );
  }
  const { firstRow, firstColumn } = windowPosition(grid);
  const mask = sharedUint8(count);
  mask.set(viewMask(grid, maxViewZenithDeg ?? DEFAULT_MAX_VIEW_ZENITH_DEG));
  const images: RidgeImages = {
    rows,
    columns,
    firstRow,
    firstColumn,
    t11: shared(frame.t11),
    t12: shared(frame.t12),
    masked: mask,
    reference: referenceOf(frame, mask),
    epsilon,
    pixelWeights: weights.pixel,
    // A pixel is read by the tiles around it after it may have been written, so results have their own memory.
    valid: sharedUint8(count),
    probability: sharedFloat32(count),
    direction: sharedUint8(count),
    z: sharedFloat32(count),
    kappa: sharedFloat32(count),
  };
  const tiles = tilesOf(rows, columns, tileSize ?? DEFAULT_TILE);
  if (compute === undefined) for (const tile of tiles) detectInTile(images, tile);
  else
    await compute.parallel(
      TILE_KERNEL,
      { images, tiles },
      tiles.length,
      signal === undefined ? {} : { signal },
    );
  return images;
}

/** Equal tiles that cover the image. */
function tilesOf(rows: number, columns: number, size: number): Tile[] {
  const rowCount = Math.ceil(rows / size);
  const columnCount = Math.ceil(columns / size);
  const starts = (length: number, count: number) =>
    Array.from({ length: count + 1 }, (_, k) => Math.round((k * length) / count));
  const tops = starts(rows, rowCount);
  const lefts = starts(columns, columnCount);
  return tops.slice(0, -1).flatMap((row, i) =>
    lefts.slice(0, -1).map((column, j) => ({
      row,
      column,
      rows: (tops[i + 1] as number) - row,
      columns: (lefts[j + 1] as number) - column,
    })),
  );
}

/** Temperatures of the first pixel that has any: an image without structure then is exactly zero. */
function referenceOf({ t11, t12 }: Frame, mask: Uint8Array): { t11: number; t12: number } {
  const first = t12.findIndex((t, i) => mask[i] === 0 && t + (t11[i] as number) > 0);
  return first < 0 ? { t11: 0, t12: 0 } : { t11: t11[first] as number, t12: t12[first] as number };
}

function shared(image: Float32Array): Float32Array {
  if (image.buffer instanceof SharedArrayBuffer) return image;
  const copy = sharedFloat32(image.length);
  copy.set(image);
  return copy;
}

export function earlierMsOf({ skipsStationary = false }: RidgeSettings): readonly number[] {
  return skipsStationary ? STATIONARY_EARLIER_MS : [];
}

/** Less likely objects do not become segments, whether they stand still or not. */
const MIN_TESTED = 0.1;

/** Takes the probability of objects that stand still away; counts them where the earlier frames are there. */
export function clearStationary(
  frame: Frame,
  earlier: readonly Frame[],
  objects: readonly LineObject[],
  probabilities: number[],
  { skipsStationary = false }: RidgeSettings,
): Pick<Detection, 'stationary'> {
  const frames = skipsStationary ? stationaryFrames(frame, earlier) : undefined;
  if (frames === undefined) return {};
  let stationary = 0;
  objects.forEach((object, k) => {
    if ((probabilities[k] as number) < MIN_TESTED || !isStationary(object, frame, frames)) return;
    probabilities[k] = 0;
    stationary++;
  });
  return { stationary };
}

export function objectsOf({ rows, columns, probability, direction }: PixelStage): LineObject[] {
  return findObjects({ rows, columns, weight: probability, direction }, LIMITS);
}

/** Gives the pixels of objects what the probabilities of both make together. The probabilities are overwritten. */
export function drawObjects(
  { probability, valid }: PixelStage,
  objects: readonly LineObject[],
  probabilities: readonly number[],
  together: (ofObject: number, ofPixel: number) => number,
): Detection {
  const raised = objects.map(({ pixels }, k) =>
    Float32Array.from(pixels, (pixel) => together(probabilities[k] as number, probability[pixel] as number)),
  );
  const confidence = probability;
  for (let i = 0; i < confidence.length; i++) confidence[i] = BACKGROUND * (confidence[i] as number);
  objects.forEach(({ pixels }, k) => {
    const values = raised[k] as Float32Array;
    pixels.forEach((pixel, i) => {
      confidence[pixel] = Math.max(confidence[pixel] as number, values[i] as number);
    });
  });
  return { confidence, valid };
}
