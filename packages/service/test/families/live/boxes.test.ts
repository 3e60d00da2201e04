import type { BoundingBox } from '@contrails/engine/grid/layout';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByCell, cellsOf, cellsOfBox, isInBox } from '../../../src/families/live/boxes.ts';

/** Whole degrees are frequent, as in requests: edges of cells, and the antimeridian under both of its names. */
const degrees = (max: number) =>
  fc.oneof(fc.integer({ min: -max, max }), fc.double({ min: -max, max, noNaN: true }));
const points = fc.array(fc.tuple(degrees(180), degrees(90)), { minLength: 1, maxLength: 5 });
const boxes: fc.Arbitrary<BoundingBox> = fc
  .tuple(degrees(180), degrees(180), degrees(90), degrees(90))
  .map(([minLon, maxLon, one, other]) => ({
    ...{ minLon, maxLon, crossesAntimeridian: minLon > maxLon },
    ...{ minLat: Math.min(one, other), maxLat: Math.max(one, other) },
  }));

test('a client whose box has a point of a feature is found in its cells, and one without a box always', () => {
  fc.assert(
    fc.property(points, boxes, (coordinates, box) => {
      const feature = { geometry: { type: 'LineString', coordinates } } as never;
      const clients = new ByCell<string>();
      clients.add('everywhere', undefined);
      clients.add('here', cellsOfBox(box));
      const found = new Set<string>();
      clients.forEachAt(cellsOf(feature), (client) => found.add(client));
      expect(found).toContain('everywhere');
      if (isInBox(feature, box)) expect(found).toContain('here');
      clients.remove('here', cellsOfBox(box));
      clients.forEachAt(cellsOf(feature), (client) => expect(client).toBe('everywhere'));
    }),
    { numRuns: 2000 },
  );
});

test('a box of 20 degrees is not asked about most of the globe', () => {
  const cells = cellsOfBox({ minLon: 0, maxLon: 20, minLat: 40, maxLat: 60, crossesAntimeridian: false });
  expect(cells.size).toBe(9);
});
