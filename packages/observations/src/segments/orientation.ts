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
} from '../detect/ridge-filter.ts';
import { KERNELS, transposed } from '../detect/ridge-kernels.ts';
import {
  addressOf,
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
  /** Confidence times 250, 255 where invalid. */
  readonly stored: Uint8Array;
  /** Pixels from here on need a direction. */
  readonly minStored: number;
  /** Result: index of the direction. */
  readonly direction: Uint8Array;
}

export const ORIENTATION_BLOCK = 128;
export const STORED_PER_UNIT = 250;
export const STORED_FILL = 255;

const INSET = LINE_HALF + FILTER_RADIUS;
/** A block with what its lines reach, and with what the filter reaches from there. */
const SIDE = ORIENTATION_BLOCK + 2 * LINE_HALF;
const LOADED = SIDE + 2 * FILTER_RADIUS;

/** One row of blocks. */
export function orientBlockRow(images: OrientationImages, blockRow: number): void {
  for (let column = 0; column < images.columns; column += ORIENTATION_BLOCK) {
    const candidates = candidatesIn(images, blockRow * ORIENTATION_BLOCK, column);
    if (candidates.length === 0) continue;
    scoped(() => orientBlock(images, blockRow * ORIENTATION_BLOCK, column, candidates));
  }
}

function orientBlock(images: OrientationImages, top: number, left: number, candidates: readonly number[]): void {
  const { columns, firstRow, firstColumn, direction } = images;
  const { image, valid } = loadBlock(images, top, left);
  const derivatives = derive(image);
  const steep = largestMeans(
    DIRECTION_TABLE.filter(({ isSteep }) => isSteep),
    derivatives,
    valid,
    firstRow + top - LINE_HALF,
  );
  const flat = largestMeans(
    DIRECTION_TABLE.filter(({ isSteep }) => !isSteep),
    derivatives.map(transposed),
    transposed(valid),
    firstColumn + left - LINE_HALF,
  );
  for (const pixel of candidates) {
    const r = Math.floor(pixel / columns) - top + LINE_HALF;
    const c = (pixel % columns) - left + LINE_HALF;
    const [steepAt, flatAt] = [steep.position(r, c), flat.position(c, r)];
    const [a, b] = [steep.mean[steepAt] as number, flat.mean[flatAt] as number];
    const [steepIndex, flatIndex] = [steep.direction[steepAt] as number, flat.direction[flatAt] as number];
    direction[pixel] = a > b || (a === b && steepIndex < flatIndex) ? steepIndex : flatIndex;
  }
}

function candidatesIn(
  { rows, columns, stored, minStored }: OrientationImages,
  top: number,
  left: number,
): number[] {
  const found: number[] = [];
  const right = Math.min(left + ORIENTATION_BLOCK, columns);
  for (let r = top; r < Math.min(top + ORIENTATION_BLOCK, rows); r++) {
    for (let i = r * columns + left; i < r * columns + right; i++) {
      const value = stored[i] as number;
      if (value >= minStored && value !== STORED_FILL) found.push(i);
    }
  }
  return found;
}

const UNITS = Float32Array.from({ length: 256 }, (_, k) => (k === STORED_FILL ? 0 : k / STORED_PER_UNIT));

/** The confidence of a block and its surroundings, and where it is valid. */
function loadBlock(
  { rows, columns, stored }: OrientationImages,
  top: number,
  left: number,
): { readonly image: Plane; readonly valid: Plane } {
  const image = makeZeroPlane(LOADED, upToFour(LOADED));
  const valid = makeZeroPlane(SIDE, SIDE);
  const [firstRow, firstColumn] = [top - INSET, left - INSET];
  const endColumn = Math.min(columns, firstColumn + LOADED);
  for (let r = Math.max(firstRow, 0); r < Math.min(rows, firstRow + LOADED); r++) {
    const out = rowOf(image, r - firstRow);
    const inner = r - firstRow - FILTER_RADIUS;
    const validRow = inner >= 0 && inner < SIDE ? rowOf(valid, inner) : undefined;
    for (let c = Math.max(firstColumn, 0); c < endColumn; c++) {
      const value = stored[r * columns + c] as number;
      out[c - firstColumn] = UNITS[value] as number;
      // Typed arrays ignore what is written beyond their ends.
      if (validRow !== undefined) validRow[c - firstColumn - FILTER_RADIUS] = value === STORED_FILL ? 0 : 1;
    }
  }
  return { image, valid };
}

function derive(image: Plane): Plane[] {
  const [xx, xy, yy] = [makePlane(SIDE, SIDE), makePlane(SIDE, SIDE), makePlane(SIDE, SIDE)];
  const across = makePlane(3, image.columns);
  const [smooth, first, second] = [addressOf(across, 0), addressOf(across, 1), addressOf(across, 2)];
  for (let r = 0; r < SIDE; r++) {
    const rows = Array.from({ length: 2 * FILTER_RADIUS + 1 }, (_, k) => addressOf(image, r + k));
    KERNELS.derivativeColumns(...rows, smooth, first, second, image.columns);
    KERNELS.derivativeRows(smooth, first, second, addressOf(xx, r), addressOf(xy, r), addressOf(yy, r), SIDE);
  }
  return [xx, xy, yy];
}

interface LargestMeans {
  readonly mean: Float32Array;
  readonly direction: Float32Array;
  position(row: number, column: number): number;
}

/** The largest of the line means of some directions, on the rows that have a whole line on either side. */
function largestMeans(
  directions: readonly Direction[],
  derivatives: readonly Plane[],
  valid: Plane,
  firstIndex: number,
): LargestMeans {
  const [xx, xy, yy] = derivatives as readonly [Plane, Plane, Plane];
  const steered = makeZeroPlane(SIDE, SIDE);
  const sums = makePlane(2, lineSumLength(SIDE, SIDE));
  const zeros = makeZeroPlane(1, SIDE);
  const best = makePlane(SIDE, SIDE);
  const direction = makePlane(SIDE, SIDE);
  const mean = numbersOf(best).fill(Number.NEGATIVE_INFINITY);
  const parameters = makeNumbers(4);
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
      // Before there are whole lines, results go to a row that is written again.
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
  const stride = best.strideBytes / PIXEL_BYTES;
  const first = (best.address - mean.byteOffset) / PIXEL_BYTES;
  return { mean, direction: numbersOf(direction), position: (row, column) => first + row * stride + column };
}
