/** Which cells belong to a region. Missing values (NaN) never do, unless they are filled first. */
export interface CellTest {
  readonly cells: 'at-least' | 'above' | 'at-most';
  readonly value: number;
  /** Replaces missing values. */
  readonly fillValue?: number;
}

/** Cells with a border of background around them; a cell is 1 in the region and 0 outside. */
export interface LabelImage {
  readonly labels: Int32Array;
  /** Distance of neighbouring longitudes in `labels`; neighbouring latitudes are next to each other. */
  readonly stride: number;
  /** First and last cell of every stretch of cells of the region along a longitude. */
  readonly runs: Int32Array;
}

/**
 * The test for a threshold of energy forcing: warming cells from a positive one on, cooling cells down from a negative
 * one. Cells without contrails are 0, so at the threshold 0 only cells above it count.
 */
export function thresholdTest(threshold: number): CellTest {
  if (threshold < 0) return { cells: 'at-most', value: threshold, fillValue: 0 };
  return { cells: threshold > 0 ? 'at-least' : 'above', value: threshold, fillValue: 0 };
}

/** `field` is one plane, latitude running fastest; `spare` is memory that may be used for the labels. */
export function labelImage(
  field: Float32Array | Float64Array,
  longitudes: number,
  latitudes: number,
  { cells, value, fillValue = Number.NaN }: CellTest,
  spare: Int32Array = new Int32Array(),
): LabelImage {
  const stride = latitudes + 2;
  const size = (longitudes + 2) * stride;
  const labels = spare.length >= size ? spare.fill(0, 0, size) : new Int32Array(size);
  const sign = cells === 'at-most' ? -1 : 1;
  const min = cells === 'above' ? nextAbove(value) : sign * value;
  const missingBelong = sign * fillValue >= min;
  let runs = new Int32Array(1024);
  let ends = 0;
  for (let i = 0, from = 0; i < longitudes; i++) {
    if (ends + stride > runs.length) runs = grown(runs, stride);
    let before = 0;
    let to = (i + 1) * stride + 1;
    for (const end = to + latitudes; to < end; to++, from++) {
      const x = sign * (field[from] as number);
      const cell = (missingBelong ? !(x < min) : x >= min) ? 1 : 0;
      if (cell !== before) {
        runs[ends++] = to - before;
        before = cell;
      }
      if (cell === 1) labels[to] = 1;
    }
    if (before === 1) runs[ends++] = to - 1;
  }
  return { labels, stride, runs: runs.subarray(0, ends) };
}

function grown(runs: Int32Array<ArrayBuffer>, min: number): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * runs.length + min);
  more.set(runs);
  return more;
}

/** The smallest number above another one. */
function nextAbove(value: number): number {
  const number = Float64Array.of(value + 0);
  const bits = new BigInt64Array(number.buffer);
  bits[0] = (bits[0] as bigint) + (value < 0 ? -1n : 1n);
  return number[0] as number;
}
