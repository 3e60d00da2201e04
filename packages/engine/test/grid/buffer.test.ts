import { expect, test } from 'vitest';
import { bufferFlags, bufferInto } from '../../src/grid/buffer.ts';
import { type BoundingBox, columnCount, gridCells, rowCount, widenedBox } from '../../src/grid/layout.ts';

const LEVELS = [330];
const globe = gridCells(undefined, LEVELS);
const shape = { columns: columnCount(), rows: rowCount(), isCyclic: true };
/** Scattered cells, some of them missing. */
const flags = new Float32Array(shape.columns * shape.rows).map((_, at) =>
  at % 613 === 0 ? 1 : at % 211 === 0 ? Number.NaN : 0,
);

/** Cells of the globe that a part of it has. */
function cut(values: Float32Array, { longitude, latitude }: typeof globe): Float32Array {
  const south = globe.latitude.indexOf(latitude[0] as number);
  return Float32Array.from(
    [...longitude].flatMap((degrees) => {
      const from = globe.longitude.indexOf(degrees) * shape.rows + south;
      return [...values.subarray(from, from + latitude.length)];
    }),
  );
}

test.each<[string, BoundingBox]>([
  ['a box', { minLon: -10, minLat: 40, maxLon: 5, maxLat: 50, crossesAntimeridian: false }],
  [
    'a box at the antimeridian',
    { minLon: 175, minLat: -5, maxLon: 180, maxLat: 5, crossesAntimeridian: false },
  ],
  ['a box across it', { minLon: 178, minLat: 10, maxLon: -178, maxLat: 20, crossesAntimeridian: true }],
  ['a box at a pole', { minLon: 0, minLat: 85, maxLon: 20, maxLat: 90, crossesAntimeridian: false }],
  ['a band round the globe', { minLon: -180, minLat: 0, maxLon: 180, maxLat: 3, crossesAntimeridian: false }],
])('%s has the cells that the buffered globe has there', (_, box) => {
  const wanted = gridCells(box, LEVELS);
  for (const cells of [1, 3, 40]) {
    const reached = gridCells(widenedBox(box, cells), LEVELS);
    expect(bufferInto(cut(flags, reached), reached, wanted, cells)).toEqual(
      cut(bufferFlags(flags, shape, cells), wanted),
    );
  }
});
