/** The direction of the lines in a confidence image, at the pixels that may belong to a segment. */
import { scoped } from '@contrails/physics/wasm';
import {
  DIRECTION_TABLE,
  type Direction,
  FILTER_RADIUS,
  LINE_HALF,
  LINE_OVERHANG,
  lineShifts,
  lineSumLength,
} from '../ridge/filter.ts';
import { KERNELS, transposed } from '../ridge/kernels.ts';
import {
  addressOf,
  MARGIN,
  makeNumbers,
  makePlane,
  makeZeroPlane,
  numbersOf,
  PIXEL_BYTES,
  type Plane,
  rowOf,
  upToFour,
} from '../vector/plane.ts';

export interface OrientationImages {
  readonly rows: number;
  readonly columns: number;
  /** Position of the first pixel in the full grid. */
  readonly firstRow: number;
  readonly firstColumn: number;
  /** Confidence as L1 files keep it. */
  readonly stored: Uint8Array;
  /** The confidence of each stored value, and the value of invalid pixels. */
  readonly units: Float32Array;
  readonly fill: number;
  /** Pixels of this confidence or more need a direction. */
  readonly minConfidence: number;
  /** Result: index of the direction. */
  readonly direction: Uint8Array;
}

export const ORIENTATION_BLOCK = 128;

const INSET = LINE_HALF + FILTER_RADIUS;
/** A block with what its lines reach, and with what the filter reaches from there. */
const SIDE = ORIENTATION_BLOCK + 2 * LINE_HALF;
const LOADED = SIDE + 2 * FILTER_RADIUS;

/** One row of blocks. */
export function orientBlockRow(images: OrientationImages, blockRow: number): void {
  scoped(() => {
    const work = makeWork();
    for (let column = 0; column < images.columns; column += ORIENTATION_BLOCK) {
      const candidates = candidatesIn(images, blockRow * ORIENTATION_BLOCK, column);
      if (candidates.length > 0) {
        orientBlock(images, blockRow * ORIENTATION_BLOCK, column, candidates, work);
      }
    }
  });
}

/** Derivatives of a block's confidence, where it is valid, and what is found in it. */
interface Layout {
  readonly xx: Plane;
  readonly xy: Plane;
  readonly yy: Plane;
  readonly valid: Plane;
  /** The largest line mean, and its direction. */
  readonly best: Plane;
  readonly direction: Plane;
}

interface Work {
  readonly image: Plane;
  readonly across: Plane;
  readonly steered: Plane;
  readonly sums: Plane;
  readonly zeros: Plane;
  readonly parameters: Float32Array;
  readonly upright: Layout;
  readonly transposed: Layout;
}

function makeWork(): Work {
  const plane = () => makePlane(SIDE, SIDE);
  const layout = (): Layout => ({
    xx: plane(),
    xy: plane(),
    yy: plane(),
    valid: plane(),
    best: plane(),
    direction: plane(),
  });
  return {
    image: makePlane(LOADED, upToFour(LOADED)),
    across: makePlane(3, upToFour(LOADED)),
    steered: plane(),
    sums: makePlane(2, lineSumLength(SIDE, SIDE)),
    zeros: makeZeroPlane(1, SIDE),
    parameters: makeNumbers(4),
    upright: layout(),
    transposed: layout(),
  };
}

const STEEP = DIRECTION_TABLE.filter(({ isSteep }) => isSteep);
const FLAT = DIRECTION_TABLE.filter(({ isSteep }) => !isSteep);

function orientBlock(
  images: OrientationImages,
  top: number,
  left: number,
  candidates: readonly number[],
  work: Work,
): void {
  const { columns, firstRow, firstColumn, direction } = images;
  const { upright, transposed: turned } = work;
  loadBlock(images, top, left, work);
  derive(work);
  for (const name of ['xx', 'xy', 'yy', 'valid'] as const) transposed(upright[name], turned[name]);
  findLargest(STEEP, upright, work, firstRow + top - LINE_HALF);
  findLargest(FLAT, turned, work, firstColumn + left - LINE_HALF);
  const [steepMean, flatMean] = [numbersOf(upright.best), numbersOf(turned.best)];
  const [steepDirection, flatDirection] = [numbersOf(upright.direction), numbersOf(turned.direction)];
  const stride = upright.best.strideBytes / PIXEL_BYTES;
  for (const pixel of candidates) {
    const r = Math.floor(pixel / columns) - top + LINE_HALF;
    const c = (pixel % columns) - left + LINE_HALF;
    const steepAt = r * stride + c + MARGIN;
    const flatAt = c * stride + r + MARGIN;
    const a = steepMean[steepAt] as number;
    const b = flatMean[flatAt] as number;
    const steepIndex = steepDirection[steepAt] as number;
    const flatIndex = flatDirection[flatAt] as number;
    direction[pixel] = a > b || (a === b && steepIndex < flatIndex) ? steepIndex : flatIndex;
  }
}

function candidatesIn(
  { rows, columns, stored, units, minConfidence }: OrientationImages,
  top: number,
  left: number,
): number[] {
  const found: number[] = [];
  const right = Math.min(left + ORIENTATION_BLOCK, columns);
  for (let r = top; r < Math.min(top + ORIENTATION_BLOCK, rows); r++) {
    for (let i = r * columns + left; i < r * columns + right; i++) {
      if ((units[stored[i] as number] as number) >= minConfidence) found.push(i);
    }
  }
  return found;
}

/** Copies the confidence of a block and its surroundings, and where it is valid. */
function loadBlock(
  { rows, columns, stored, units, fill }: OrientationImages,
  top: number,
  left: number,
  { image, upright: { valid } }: Work,
): void {
  numbersOf(image).fill(0);
  numbersOf(valid).fill(0);
  const [firstRow, firstColumn] = [top - INSET, left - INSET];
  const endColumn = Math.min(columns, firstColumn + LOADED);
  for (let r = Math.max(firstRow, 0); r < Math.min(rows, firstRow + LOADED); r++) {
    const out = rowOf(image, r - firstRow);
    for (let c = Math.max(firstColumn, 0); c < endColumn; c++) {
      out[c - firstColumn] = units[stored[r * columns + c] as number] as number;
    }
    const inner = r - firstRow - FILTER_RADIUS;
    if (inner < 0 || inner >= SIDE) continue;
    const isValid = rowOf(valid, inner);
    const innerColumn = firstColumn + FILTER_RADIUS;
    for (let c = Math.max(innerColumn, 0); c < Math.min(columns, innerColumn + SIDE); c++) {
      if (stored[r * columns + c] !== fill) isValid[c - innerColumn] = 1;
    }
  }
}

function derive({ image, across, upright: { xx, xy, yy } }: Work): void {
  const [smooth, first, second] = [addressOf(across, 0), addressOf(across, 1), addressOf(across, 2)];
  const rows = new Array<number>(2 * FILTER_RADIUS + 1);
  for (let r = 0; r < SIDE; r++) {
    for (let k = 0; k < rows.length; k++) rows[k] = addressOf(image, r + k);
    KERNELS.derivativeColumns(...rows, smooth, first, second, image.columns);
    KERNELS.derivativeRows(smooth, first, second, addressOf(xx, r), addressOf(xy, r), addressOf(yy, r), SIDE);
  }
}

/** The largest of the line means of some directions, on the rows that have a whole line on either side. */
function findLargest(
  directions: readonly Direction[],
  { xx, xy, yy, valid, best, direction }: Layout,
  { steered, sums, zeros, parameters }: Work,
  firstIndex: number,
): void {
  numbersOf(best).fill(Number.NEGATIVE_INFINITY);
  const rowOrZeros = (plane: Plane, r: number): number => addressOf(r < 0 ? zeros : plane, Math.max(r, 0));
  for (const { index, slope, xx: fxx, xy: fxy, yy: fyy } of directions) {
    parameters.set([fxx, fxy, fyy, index]);
    const shifts = lineShifts(slope, firstIndex, SIDE);
    numbersOf(sums).fill(0);
    for (let t = 0; t < SIDE; t++) {
      KERNELS.steerOne(
        addressOf(xx, t),
        addressOf(xy, t),
        addressOf(yy, t),
        addressOf(valid, t),
        parameters.byteOffset,
        addressOf(steered, t),
        SIDE,
      );
    }
    for (let entering = 0; entering < SIDE; entering++) {
      const r = entering - LINE_HALF;
      const leaving = r - LINE_HALF - 1;
      const enteringBytes = (-LINE_OVERHANG + shifts.at(entering) - shifts.at(r)) * PIXEL_BYTES;
      const leavingBytes = (-LINE_OVERHANG + shifts.at(leaving) - shifts.at(r)) * PIXEL_BYTES;
      const line = shifts.largest - shifts.at(r);
      // Rows without a whole line before them are not asked for; what is found there goes to the first of them.
      const row = Math.max(r, 0);
      KERNELS.lineStepOne(
        addressOf(sums, 0, line),
        addressOf(sums, 1, line),
        addressOf(steered, entering) + enteringBytes,
        rowOrZeros(steered, leaving) + leavingBytes,
        addressOf(valid, entering) + enteringBytes,
        rowOrZeros(valid, leaving) + leavingBytes,
        addressOf(best, row, -LINE_OVERHANG),
        addressOf(direction, row, -LINE_OVERHANG),
        parameters.byteOffset + 3 * PIXEL_BYTES,
        SIDE + 2 * LINE_OVERHANG,
      );
    }
  }
}
