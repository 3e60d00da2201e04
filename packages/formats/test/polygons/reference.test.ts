import { expect, test } from 'vitest';
import type { MultiPolygon } from '../../src/polygons/ring.ts';
import { differenceArea, validity } from '../support/geometry.ts';
import { folderOf, polygonCases, runCase } from '../support/polygon-case.ts';
import { ringDistance } from '../support/rings.ts';

/** The reference unites polygons in this case, after which their order is left open. */
const UNITED = 'hand-drawn.simplified';

for (const polygonCase of polygonCases()) {
  const name = `${polygonCase.case}.${polygonCase.variant}`;
  const folder = folderOf(polygonCase.case);
  const title = folder ? name : `${name} (its files are not in this checkout)`;

  test.skipIf(folder === undefined)(title, async () => {
    const { ours, reference } = await runCase(polygonCase, folder as URL);
    expect(validity(ours)).toBe('Valid Geometry');
    const ordered = name === UNITED ? inOrderOf(reference, ours) : ours;
    expect(ordered.map((polygon) => polygon.length)).toEqual(reference.map((polygon) => polygon.length));
    expect(worstDistance(ordered, reference)).toBeLessThan(1e-9);
    expect(differenceArea(ours, reference)).toBeLessThan(1e-8);
  });
}

function worstDistance(ours: MultiPolygon, reference: MultiPolygon): number {
  const distances = ours.flatMap((polygon, p) =>
    polygon.map((ring, r) => ringDistance(ring, reference[p]?.[r] ?? new Float64Array())),
  );
  return Math.max(0, ...distances);
}

/** Our polygons in the order in which the reference has those with the same exterior. */
function inOrderOf(reference: MultiPolygon, ours: MultiPolygon): MultiPolygon {
  return reference.map(([exterior]) => {
    const same = ours.find(
      (polygon) => ringDistance(polygon[0] as Float64Array, exterior as Float64Array) < 1e-9,
    );
    return same ?? [];
  });
}
