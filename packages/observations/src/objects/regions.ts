/** Pixels of similar direction, grown together from the most probable ones. */
import { DIRECTIONS } from '../ridge/filter.ts';

export interface DirectionImage {
  readonly rows: number;
  readonly columns: number;
  /** What pixels are chosen by: a probability or a confidence, 0 where invalid. */
  readonly weight: Float32Array;
  /** Direction θ = k π / 16 of each pixel that may belong to a region. */
  readonly direction: Uint8Array;
}

export interface GrowthLimits {
  /** Pixels below do not belong to a region. */
  readonly low: number;
  /** Pixels from here on start one. */
  readonly high: number;
}

/** Positions of the pixels of each region, one region after the other. */
export interface Regions {
  readonly pixels: Int32Array;
  /** Region k has pixels `starts[k]` … `starts[k + 1]` − 1. */
  readonly starts: readonly number[];
}

const MAX_ANGLE_RAD = (17 * Math.PI) / 180;
/** Directions have no sign, so angles are doubled before they are compared. */
const MIN_COSINE = Math.cos(2 * MAX_ANGLE_RAD);
/** Rounding of the sums must not decide where directions are exactly at the limit. */
const MIN_COSINE_ROUNDED = MIN_COSINE - 1e-12;
const COSINES = Float64Array.from({ length: DIRECTIONS }, (_, k) => Math.cos((2 * k * Math.PI) / DIRECTIONS));
const SINES = Float64Array.from({ length: DIRECTIONS }, (_, k) => Math.sin((2 * k * Math.PI) / DIRECTIONS));

/** Regions of at least `minPixels`; each pixel belongs to one region at most, also to one that is too small. */
export function growRegions(image: DirectionImage, { low, high }: GrowthLimits, minPixels: number): Regions {
  const { rows, columns, weight, direction } = image;
  const used = new Uint8Array(weight.length);
  const pixels = new Int32Array(countFrom(weight, low));
  const starts = [0];
  let end = 0;
  for (const seed of seedsOf(weight, high)) {
    if (used[seed] !== 0) continue;
    const start = end;
    used[seed] = 1;
    pixels[end++] = seed;
    // Sums of the members' doubled directions, weighted.
    let cosine = (weight[seed] as number) * (COSINES[direction[seed] as number] as number);
    let sine = (weight[seed] as number) * (SINES[direction[seed] as number] as number);
    let min = MIN_COSINE_ROUNDED * Math.sqrt(cosine * cosine + sine * sine);
    for (let next = start; next < end; next++) {
      const pixel = pixels[next] as number;
      const row = Math.floor(pixel / columns);
      const column = pixel - row * columns;
      for (let r = Math.max(row - 1, 0); r <= Math.min(row + 1, rows - 1); r++) {
        for (let c = Math.max(column - 1, 0); c <= Math.min(column + 1, columns - 1); c++) {
          const other = r * columns + c;
          const w = weight[other] as number;
          if (!(w >= low) || used[other] !== 0) continue;
          const k = direction[other] as number;
          const c2 = COSINES[k] as number;
          const s2 = SINES[k] as number;
          if (cosine * c2 + sine * s2 < min) continue;
          used[other] = 1;
          pixels[end++] = other;
          cosine += w * c2;
          sine += w * s2;
          min = MIN_COSINE_ROUNDED * Math.sqrt(cosine * cosine + sine * sine);
        }
      }
    }
    if (end - start < minPixels) end = start;
    else starts.push(end);
  }
  return { pixels: pixels.subarray(0, end), starts };
}

const POSITIONS = 2 ** 28;

/** Pixels from `high` on in order of falling weight, by position where weights are equal. */
function seedsOf(weight: Float32Array, high: number): Int32Array {
  const bits = new Uint32Array(weight.buffer, weight.byteOffset, weight.length);
  const [largest = 0] = new Uint32Array(Float32Array.of(1).buffer);
  let count = 0;
  for (let i = 0; i < weight.length; i++) if ((weight[i] as number) >= high) count++;
  const keys = new Float64Array(count);
  let next = 0;
  for (let i = 0; next < count; i++) {
    // Bits of positive floats are ordered like the floats; keys are exact, because weights are between `high` and 1.
    if ((weight[i] as number) >= high) keys[next++] = (largest - (bits[i] as number)) * POSITIONS + i;
  }
  keys.sort();
  const seeds = new Int32Array(count);
  for (let k = 0; k < count; k++) seeds[k] = (keys[k] as number) % POSITIONS;
  return seeds;
}

function countFrom(weight: Float32Array, low: number): number {
  let count = 0;
  for (let i = 0; i < weight.length; i++) if ((weight[i] as number) >= low) count++;
  return count;
}
