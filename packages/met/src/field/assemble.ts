/**
 * From boxes of values as files store them to the arrays of a field. Every source reads with this: it makes the axes
 * (`gridAxes`, `windowAxes`), allocates the field, decodes boxes, and has them placed (`placeBoxes`), from any thread.
 */
import type { FieldAxes } from './field.ts';

export type StoredValues =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** Where the knots of one axis of the field are found in a box. */
export interface BoxAxis {
  /** Distance of neighbours in the box, in values; may be negative. */
  readonly stride: number;
  /** For each knot of the field its position in the box, −1 where the box does not hold it. */
  readonly positions: Int32Array;
}

/** Stored numbers → values in the unit of the models: `stored × scale + offset`. */
export interface Packing {
  readonly scale: number;
  readonly offset: number;
  /** Stored numbers that mean "no value", besides NaN. */
  readonly missing: readonly number[];
  /** Stored numbers outside are missing values, too. */
  readonly valid?: readonly [low: number, high: number];
}

export const UNPACKED: Packing = { scale: 1, offset: 0, missing: [] };

/** A box of values of one variable, and where it belongs. */
export interface Box {
  readonly values: StoredValues;
  /** Index of the first value of the box in `values`. */
  readonly start: number;
  /** Index among the variables of the field. */
  readonly variable: number;
  readonly packing: Packing;
  readonly longitude: BoxAxis;
  readonly latitude: BoxAxis;
  readonly level: BoxAxis;
  readonly time: BoxAxis;
}

/**
 * For each knot of a field its position among stored coordinates (the first of equal ones), −1 where there is none.
 * Files that keep their axes in single precision match those that do not.
 */
export function matchKnots(
  axis: keyof FieldAxes,
  knots: ArrayLike<number>,
  stored: ArrayLike<number>,
): Int32Array {
  const positions = new Map<number, number>();
  for (let i = stored.length - 1; i >= 0; i--) positions.set(knotKey(axis, stored[i] as number), i);
  return Int32Array.from(knots, (knot) => {
    const key = knotKey(axis, knot);
    return positions.get(key) ?? positions.get(key - 1) ?? positions.get(key + 1) ?? -1;
  });
}

/** Coordinates closer than this are the same [°, °, hPa, ms]. */
const RESOLUTION = { longitude: 1e-4, latitude: 1e-4, level: 1e-4, time: 1 } as const;
const CIRCLE_KEYS = 360 / RESOLUTION.longitude;

function knotKey(axis: keyof FieldAxes, coordinate: number): number {
  const key = Math.round(coordinate / RESOLUTION[axis]);
  if (axis !== 'longitude') return key;
  return ((key % CIRCLE_KEYS) + CIRCLE_KEYS) % CIRCLE_KEYS;
}
