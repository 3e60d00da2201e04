import { unpackChunk } from '@contrails/formats';
import { defineKernel } from '../../compute/index.ts';
import { columnCount, rowCount } from '../../grids/layout.ts';

/** A stored level of the globe as it is packed, and where its values are wanted [°]. */
export interface GridPoints {
  readonly packed: Uint8Array<SharedArrayBuffer>;
  readonly cellsPerDegree: number;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
}

/** Each block is one level: its values at the points, bilinear between cell centres. */
export default defineKernel<readonly GridPoints[], Float64Array>((planes) => (index) => {
  const plane = planes[index];
  if (plane === undefined) throw new RangeError(`there is no plane ${index}`);
  if (plane.longitude.length === 0) return new Float64Array(0);
  const values = unpackChunk(plane);
  return plane.longitude.map((longitude, k) =>
    valueAt(values, plane, longitude, plane.latitude[k] as number),
  );
});

/** Unknown where a cell that counts is. */
function valueAt(
  values: Float32Array,
  { cellsPerDegree }: Pick<GridPoints, 'cellsPerDegree'>,
  longitude: number,
  latitude: number,
): number {
  const [columns, rows] = [columnCount(cellsPerDegree), rowCount(cellsPerDegree)];
  const x = (longitude + 180) * cellsPerDegree;
  const y = (latitude + 90) * cellsPerDegree;
  const west = Math.floor(x);
  const south = Math.min(Math.floor(y), rows - 2);
  let value = 0;
  for (const column of [west, west + 1]) {
    for (const row of [south, south + 1]) {
      const weight = (1 - Math.abs(x - column)) * (1 - Math.abs(y - row));
      // A cell that does not count may be unknown.
      if (weight > 0) value += weight * (values[(column % columns) * rows + row] as number);
    }
  }
  return value;
}
