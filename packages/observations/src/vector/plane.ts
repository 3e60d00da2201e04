/** Images in kernel memory, with zeros around their rows. */
import { kernelMemory, takeNumbers } from '@contrails/physics/wasm';

export const PIXEL_BYTES = 4;
/** Zeros to the left and right of rows, more than any window reaches. */
export const MARGIN = 64;

export interface Plane {
  readonly rows: number;
  readonly columns: number;
  /** Of pixel 0, 0 [bytes]. */
  readonly address: number;
  readonly strideBytes: number;
}

/** Smallest multiple of four that is not less: loops run over whole vectors. */
export const upToFour = (value: number): number => (value + 3) & ~3;

/** A plane of uninitialised rows with zeros around them, freed when the enclosing `scoped` work ends. */
export function makePlane(rows: number, columns: number): Plane {
  const stride = columns + 2 * MARGIN;
  const { byteOffset } = takeNumbers(Math.ceil((rows * stride) / 2));
  const numbers = new Float32Array(kernelMemory().buffer, byteOffset, rows * stride);
  numbers.fill(0, 0, MARGIN);
  // The right margin of a row and the left one of the next.
  for (let r = 1; r <= rows; r++)
    numbers.fill(0, r * stride - MARGIN, Math.min(r * stride + MARGIN, rows * stride));
  return { rows, columns, address: byteOffset + MARGIN * PIXEL_BYTES, strideBytes: stride * PIXEL_BYTES };
}

/** A plane of zeros. */
export function makeZeroPlane(rows: number, columns: number): Plane {
  const plane = makePlane(rows, columns);
  numbersOf(plane).fill(0);
  return plane;
}

/** Zeros in kernel memory. */
export function makeNumbers(length: number): Float32Array {
  const { byteOffset } = takeNumbers(Math.ceil(length / 2));
  return new Float32Array(kernelMemory().buffer, byteOffset, length).fill(0);
}

export function addressOf({ address, strideBytes }: Plane, row: number, column = 0): number {
  return address + row * strideBytes + column * PIXEL_BYTES;
}

/** The pixels of a row. */
export function rowOf(plane: Plane, row: number): Float32Array {
  return new Float32Array(kernelMemory().buffer, addressOf(plane, row), plane.columns);
}

/** All numbers of a plane, those around its rows included. */
export function numbersOf({ address, strideBytes, rows }: Plane): Float32Array {
  return new Float32Array(
    kernelMemory().buffer,
    address - MARGIN * PIXEL_BYTES,
    (rows * strideBytes) / PIXEL_BYTES,
  );
}
