/** Pixels of similar direction, grown together from the most probable ones. */
import { DIRECTIONS } from '../detect/ridge-filter.ts';

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
/** Directions have no sign, so that angles are doubled before they are compared. */
const MIN_COSINE = Math.cos(2 * MAX_ANGLE_RAD);
const COSINES = Float64Array.from({ length: DIRECTIONS }, (_, k) => Math.cos((2 * k * Math.PI) / DIRECTIONS));
const SINES = Float64Array.from({ length: DIRECTIONS }, (_, k) => Math.sin((2 * k * Math.PI) / DIRECTIONS));
/** Rounding of the sums must not decide where directions are exactly at the limit. */
const TOLERANCE = 1e-12;

/** Regions of at least `minPixels`; each pixel belongs to one region at most, also to one that is too small. */
export function growRegions(image: DirectionImage, { low, high }: GrowthLimits, minPixels: number): Regions {
  const { rows, columns, weight, direction } = image;
  const candidates = candidatesOf(weight, low);
  const used = new Uint8Array(weight.length);
  const pixels = new Int32Array(candidates.count);
  const starts = [0];
  let end = 0;
  for (const seed of seedsOf(weight, candidates.positions, high)) {
    if (used[seed] !== 0) continue;
    const start = end;
    used[seed] = 1;
    pixels[end++] = seed;
    let cosine = 0;
    let sine = 0;
    let length = 0;
    const join = (pixel: number) => {
      const w = weight[pixel] as number;
      const k = direction[pixel] as number;
      cosine += w * (COSINES[k] as number);
      sine += w * (SINES[k] as number);
      length = Math.sqrt(cosine * cosine + sine * sine);
    };
    join(seed);
    for (let next = start; next < end; next++) {
      const pixel = pixels[next] as number;
      const row = Math.floor(pixel / columns);
      const column = pixel - row * columns;
      for (let r = Math.max(row - 1, 0); r <= Math.min(row + 1, rows - 1); r++) {
        for (let c = Math.max(column - 1, 0); c <= Math.min(column + 1, columns - 1); c++) {
          const other = r * columns + c;
          if (!((weight[other] as number) >= low) || used[other] !== 0) continue;
          const k = direction[other] as number;
          const along = cosine * (COSINES[k] as number) + sine * (SINES[k] as number);
          if (along < (MIN_COSINE - TOLERANCE) * length) continue;
          used[other] = 1;
          pixels[end++] = other;
          join(other);
        }
      }
    }
    if (end - start < minPixels) end = start;
    else starts.push(end);
  }
  return { pixels: pixels.subarray(0, end), starts };
}

function candidatesOf(weight: Float32Array, low: number): { positions: Int32Array; count: number } {
  let count = 0;
  for (let i = 0; i < weight.length; i++) if ((weight[i] as number) >= low) count++;
  const positions = new Int32Array(count);
  let next = 0;
  for (let i = 0; next < count; i++) if ((weight[i] as number) >= low) positions[next++] = i;
  return { positions, count };
}

const bits = new Uint32Array(1);
const float = new Float32Array(bits.buffer);
const POSITIONS = 2 ** 28;

/** Pixels from `high` on in order of falling weight, by position where weights are equal. */
function seedsOf(weight: Float32Array, positions: Int32Array, high: number): Int32Array {
  const largest = bitsOf(1);
  const keys = new Float64Array(positions.length);
  let count = 0;
  for (const position of positions) {
    const value = weight[position] as number;
    // Bits of positive floats are ordered like the floats; keys are exact, because weights are between `high` and 1.
    if (value >= high) keys[count++] = (largest - bitsOf(value)) * POSITIONS + position;
  }
  const sorted = keys.subarray(0, count).sort();
  return Int32Array.from(sorted, (key) => key % POSITIONS);
}

function bitsOf(value: number): number {
  float[0] = value;
  return bits[0] as number;
}
