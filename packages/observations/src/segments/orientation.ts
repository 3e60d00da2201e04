/** The direction of the lines in a confidence image, at the pixels that may belong to a segment. */
import { scoped } from '@contrails/physics/wasm';
import { DIRECTION_TABLE, FILTER_RADIUS, LINE_HALF, LINE_MIN_PIXELS, lineShift } from '../detect/ridge-filter.ts';
import { KERNELS } from '../detect/ridge-kernels.ts';
import { addressOf, MARGIN, makePlane, numbersOf, PIXEL_BYTES, type Plane, rowOf, upToFour } from '../vector/plane.ts';

export interface OrientationImages {
  readonly rows: number;
  readonly columns: number;
  /** Position of the first pixel in the full grid. */
  readonly firstRow: number;
  readonly firstColumn: number;
  /** Confidence times 250, 255 where invalid. */
  readonly stored: Uint8Array;
  /** Pixels from here on need a direction. */
  readonly minStored: number;
  /** Result: index of the direction. */
  readonly direction: Uint8Array;
}

export const ORIENTATION_BLOCK = 64;
export const STORED_PER_UNIT = 250;
export const STORED_FILL = 255;

const INSET = LINE_HALF + FILTER_RADIUS;
const LINE_PIXELS = 2 * LINE_HALF + 1;

/** One row of blocks. */
export function orientBlockRow(images: OrientationImages, blockRow: number): void {
  scoped(() => {
    const work = makeWork();
    for (let column = 0; column < images.columns; column += ORIENTATION_BLOCK) {
      orientBlock(images, blockRow * ORIENTATION_BLOCK, column, work);
    }
  });
}

interface Work {
  readonly image: Plane;
  readonly across: Plane;
  readonly derivatives: readonly [Plane, Plane, Plane];
  /** 1 where a pixel of the block and its surroundings is valid. */
  readonly valid: Uint8Array;
}

const SIDE = ORIENTATION_BLOCK + 2 * LINE_HALF;

function makeWork(): Work {
  const loaded = upToFour(SIDE + 2 * FILTER_RADIUS);
  const derivative = () => makePlane(SIDE, SIDE);
  return {
    image: makePlane(loaded, loaded),
    across: makePlane(3, loaded),
    derivatives: [derivative(), derivative(), derivative()],
    valid: new Uint8Array(SIDE * SIDE),
  };
}

function orientBlock(images: OrientationImages, top: number, left: number, work: Work): void {
  const wanted = candidatesIn(images, top, left);
  if (wanted.length === 0) return;
  const isWhole = loadBlock(images, top, left, work);
  derive(work);
  if (!isWhole) maskInvalid(work);
  const [xx, xy, yy] = work.derivatives.map(numbersOf) as [Float32Array, Float32Array, Float32Array];
  const stride = work.derivatives[0].strideBytes / PIXEL_BYTES;
  const { columns, firstRow, firstColumn, direction } = images;
  // Steps of the lines of a direction depend on the row or the column of the centre alone.
  const offsets = offsetTables(firstRow + top, firstColumn + left, stride);
  for (const pixel of wanted) {
    const r = Math.floor(pixel / columns) - top;
    const c = (pixel % columns) - left;
    const centre = (r + LINE_HALF) * stride + c + LINE_HALF + MARGIN;
    let best = Number.NEGATIVE_INFINITY;
    let bestIndex = 0;
    for (const { index, isSteep, xx: fxx, xy: fxy, yy: fyy } of DIRECTION_TABLE) {
      const table = offsets[index] as Int32Array;
      const first = (isSteep ? r : c) * LINE_PIXELS;
      let sxx = 0;
      let sxy = 0;
      let syy = 0;
      for (let j = first; j < first + LINE_PIXELS; j++) {
        const at = centre + (table[j] as number);
        sxx += xx[at] as number;
        sxy += xy[at] as number;
        syy += yy[at] as number;
      }
      const count = isWhole ? LINE_PIXELS : countValid(work.valid, table, first, r, c, stride);
      const sum = fxx * sxx + fxy * sxy + fyy * syy;
      const mean = count < LINE_MIN_PIXELS ? 0 : sum / count;
      if (mean > best) {
        best = mean;
        bestIndex = index;
      }
    }
    direction[pixel] = bestIndex;
  }
}

function candidatesIn({ rows, columns, stored, minStored }: OrientationImages, top: number, left: number): number[] {
  const wanted: number[] = [];
  for (let r = top; r < Math.min(top + ORIENTATION_BLOCK, rows); r++) {
    for (let i = r * columns + left; i < r * columns + Math.min(left + ORIENTATION_BLOCK, columns); i++) {
      const value = stored[i] as number;
      if (value >= minStored && value !== STORED_FILL) wanted.push(i);
    }
  }
  return wanted;
}

/** Copies the block with its surroundings; returns whether all of it is valid. */
function loadBlock({ rows, columns, stored }: OrientationImages, top: number, left: number, work: Work): boolean {
  const { image, valid } = work;
  let missing = 0;
  for (let k = 0; k < SIDE + 2 * FILTER_RADIUS; k++) {
    const out = rowOf(image, k);
    const r = top - INSET + k;
    const isInner = k >= FILTER_RADIUS && k < SIDE + FILTER_RADIUS;
    for (let m = 0; m < SIDE + 2 * FILTER_RADIUS; m++) {
      const c = left - INSET + m;
      const isInside = r >= 0 && r < rows && c >= 0 && c < columns;
      const value = isInside ? (stored[r * columns + c] as number) : STORED_FILL;
      out[m] = value === STORED_FILL ? 0 : value / STORED_PER_UNIT;
      if (!isInner || m < FILTER_RADIUS || m >= SIDE + FILTER_RADIUS) continue;
      const isValid = value === STORED_FILL ? 0 : 1;
      valid[(k - FILTER_RADIUS) * SIDE + m - FILTER_RADIUS] = isValid;
      missing += 1 - isValid;
    }
  }
  return missing === 0;
}

function derive({ image, across, derivatives: [xx, xy, yy] }: Work): void {
  const [smooth, first, second] = [addressOf(across, 0), addressOf(across, 1), addressOf(across, 2)];
  for (let r = 0; r < SIDE; r++) {
    const rows = Array.from({ length: 2 * FILTER_RADIUS + 1 }, (_, k) => addressOf(image, r + k));
    KERNELS.derivativeColumns(...rows, smooth, first, second, image.columns);
    KERNELS.derivativeRows(smooth, first, second, addressOf(xx, r), addressOf(xy, r), addressOf(yy, r), SIDE);
  }
}

function maskInvalid({ derivatives, valid }: Work): void {
  for (const plane of derivatives) {
    for (let r = 0; r < SIDE; r++) {
      const row = rowOf(plane, r);
      for (let c = 0; c < SIDE; c++) if (valid[r * SIDE + c] === 0) row[c] = 0;
    }
  }
}

/** For each direction and each row (or column) of the block, where the pixels of a line lie from its centre. */
function offsetTables(firstRow: number, firstColumn: number, stride: number): Int32Array[] {
  return DIRECTION_TABLE.map(({ isSteep, slope }) => {
    const start = isSteep ? firstRow : firstColumn;
    const table = new Int32Array(ORIENTATION_BLOCK * LINE_PIXELS);
    for (let i = 0; i < ORIENTATION_BLOCK; i++) {
      const centre = lineShift(slope, start + i);
      for (let j = -LINE_HALF; j <= LINE_HALF; j++) {
        const shift = lineShift(slope, start + i + j) - centre;
        table[i * LINE_PIXELS + j + LINE_HALF] = isSteep ? j * stride + shift : shift * stride + j;
      }
    }
    return table;
  });
}

function countValid(
  valid: Uint8Array,
  table: Int32Array,
  first: number,
  r: number,
  c: number,
  stride: number,
): number {
  let count = 0;
  for (let j = first; j < first + LINE_PIXELS; j++) {
    const offset = table[j] as number;
    const dr = Math.round(offset / stride);
    const dc = offset - dr * stride;
    count += valid[(r + LINE_HALF + dr) * SIDE + c + LINE_HALF + dc] as number;
  }
  return count;
}
