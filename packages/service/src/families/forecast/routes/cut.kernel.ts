import type { GridCells } from '@contrails/engine/grid/layout';
import { encodeLevel, type LevelEncoding } from '@contrails/engine/grid/level';
import { type RegionFeature, unpackChunk } from '@contrails/formats';
import { defineKernel } from '@contrails/runtime/compute';

export interface CutInput {
  /** Packed planes as they are stored. */
  readonly planes: readonly {
    readonly packed: Uint8Array<SharedArrayBuffer>;
    readonly flightLevel: number;
    readonly properties: RegionFeature['properties'];
  }[];
  /** Rows of a stored plane. */
  readonly storedRows: number;
  /** What is wanted of them; columns and rows count from the first of the stored plane. */
  readonly cells: GridCells;
  readonly encoding: LevelEncoding;
}

/** A part of a stored level, encoded again. */
export default defineKernel<CutInput, Uint8Array[]>(
  ({ planes, storedRows, cells, encoding }) =>
    (index, { transfer }) => {
      const plane = planes[index];
      if (plane === undefined) throw new RangeError(`there is no plane ${index}`);
      const { longitude, latitude } = cells;
      const values = cutPlane(unpackChunk(plane), cells, storedRows);
      return encodeLevel({ ...plane, values, longitude, latitude }, encoding).map((bytes) => {
        const own = new Uint8Array(bytes);
        transfer(own.buffer);
        return own;
      });
    },
);

function cutPlane(whole: Float32Array, { columns, rows }: GridCells, rowsOfWhole: number): Float32Array {
  const count = columns.reduce((sum, stretch) => sum + stretch.count, 0);
  const values = new Float32Array(count * rows.count);
  let at = 0;
  for (const { first, count: width } of columns) {
    for (let column = first; column < first + width; column++) {
      const from = column * rowsOfWhole + rows.first;
      values.set(whole.subarray(from, from + rows.count), at);
      at += rows.count;
    }
  }
  return values;
}
