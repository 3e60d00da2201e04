import type { GridCells } from '@contrails/engine/grid/layout';
import { encodeLevel, type LevelEncoding } from '@contrails/engine/grid/level';
import { type RegionStatement, regionFeatures } from '@contrails/engine/grid/regions';
import { type GridTreatment, type PlaneAxes, treatPlane } from '@contrails/engine/grid/treatment';
import { type RegionFeature, unpackChunk } from '@contrails/formats';
import { defineKernel } from '@contrails/runtime/compute';

export interface CutInput {
  /** Packed planes as they are stored. */
  readonly planes: readonly {
    readonly packed: Uint8Array<SharedArrayBuffer>;
    /** Of the hours around it, where they count. */
    readonly others: readonly Uint8Array<SharedArrayBuffer>[];
    readonly flightLevel: number;
    readonly properties: RegionFeature['properties'];
  }[];
  /** Rows of a stored plane. */
  readonly storedRows: number;
  /** What is wanted of them; columns and rows count from the first of the stored plane. */
  readonly cells: GridCells;
  readonly encoding: LevelEncoding;
  /** Of the stored planes, with their axes; as they are unless given. */
  readonly treatment?: { readonly of: GridTreatment; readonly axes: PlaneAxes };
  /** Regions of the index instead of the encoding. */
  readonly regions?: RegionStatement;
}

/** A part of a stored level, encoded again. */
export default defineKernel<CutInput, Uint8Array[]>(
  ({ planes, storedRows, cells, encoding, treatment, regions }) =>
    (index, { transfer }) => {
      const plane = planes[index];
      if (plane === undefined) throw new RangeError(`there is no plane ${index}`);
      const { longitude, latitude } = cells;
      const stored = unpackChunk(plane);
      const others = plane.others.map((packed) => unpackChunk({ packed }));
      const treated =
        treatment === undefined ? stored : treatPlane(stored, treatment.axes, treatment.of, others);
      const values = cutPlane(treated, cells, storedRows);
      const encoded =
        regions === undefined
          ? encodeLevel({ ...plane, values, longitude, latitude }, encoding)
          : regionFeatures(values, longitude, latitude, plane.flightLevel, regions);
      return encoded.map((bytes) => {
        const own = new Uint8Array(bytes);
        transfer(own.buffer);
        return own;
      });
    },
);

export function cutPlane(
  whole: Float32Array,
  { columns, rows }: GridCells,
  rowsOfWhole: number,
): Float32Array {
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
