import type { GridCells } from '@contrails/engine/grid/layout';
import { type GridTreatment, type PlaneAxes, treatPlane } from '@contrails/engine/grid/treatment';
import { type EncodedRowGroup, encodeRowGroup, type ParquetColumn, unpackChunk } from '@contrails/formats';
import { defineKernel } from '@contrails/runtime/compute';
import { cutPlane } from './cut.kernel.ts';

/** Columns as the optimiser reads them, in the order of its tables. */
export const OPENTOP_COLUMNS: readonly ParquetColumn[] = [
  { name: 'longitude', type: 'double' },
  { name: 'latitude', type: 'double' },
  { name: 'height', type: 'double' },
  { name: 'cost', type: 'double' },
  { name: 'ts', type: 'double' },
  { name: 'timestamp', type: 'timestamp' },
];

const METRES_PER_LEVEL = 30.48;

export interface OpentopInput {
  /** Levels of an hour as they are stored. */
  readonly planes: readonly {
    readonly packed: Uint8Array<SharedArrayBuffer>;
    readonly others: readonly Uint8Array<SharedArrayBuffer>[];
    readonly flightLevel: number;
  }[];
  readonly storedRows: number;
  readonly cells: GridCells;
  readonly treatment: { readonly of: GridTreatment; readonly axes: PlaneAxes };
  readonly timeMs: number;
  /** Begin of the export [ms since 1970]. */
  readonly fromMs: number;
}

export interface OpentopLevel {
  readonly group: EncodedRowGroup;
  /** Cells that the grid does not know; 0 in the file. */
  readonly missing: number;
}

/** Each block is one level: rows by latitude, then longitude. */
export default defineKernel<OpentopInput, OpentopLevel>(
  ({ planes, storedRows, cells, treatment, timeMs, fromMs }) =>
    (index) => {
      const plane = planes[index];
      if (plane === undefined) throw new RangeError(`there is no plane ${index}`);
      const others = plane.others.map((packed) => unpackChunk({ packed }));
      const treated = treatPlane(unpackChunk(plane), treatment.axes, treatment.of, others);
      const values = cutPlane(treated, cells, storedRows);
      const { longitude, latitude } = cells;
      const [columns, rows] = [longitude.length, latitude.length];
      const count = columns * rows;
      const west = longitude[0] as number;
      const [lon, lat, cost] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
      let missing = 0;
      for (let j = 0, at = 0; j < rows; j++) {
        for (let i = 0; i < columns; i++, at++) {
          const east = longitude[i] as number;
          // They go on beyond 180, because they have to ascend.
          lon[at] = east < west ? east + 360 : east;
          lat[at] = latitude[j] as number;
          const value = values[i * rows + j] as number;
          if (Number.isNaN(value)) missing++;
          cost[at] = Number.isNaN(value) ? 0 : value;
        }
      }
      const constant = (value: number) => new Float64Array(count).fill(value);
      const height = constant(METRES_PER_LEVEL * plane.flightLevel);
      const columnsOf = [lon, lat, height, cost, constant((timeMs - fromMs) / 1000), constant(timeMs)];
      return { group: encodeRowGroup(OPENTOP_COLUMNS, count, columnsOf), missing };
    },
);
