import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STORED_FILL } from '../../src/l1/index.ts';
import { fullDisk, windowOf } from '../../src/navigation/index.ts';
import { findSegments, type Segment } from '../../src/segments/index.ts';
import { because, isPresent } from '../support/reference.ts';
import { expectedL1, expectedSegments, sceneFrame } from '../support/scenes.ts';

const coordinates = ({ wkt }: Segment) =>
  (wkt.match(/-?\d+/g) ?? []).map(Number) as [number, number, number, number];

const SIZE = 96;
const image = (stored: Uint8Array) => ({
  ...{ satellite: 'goes-east', time: Date.UTC(2024, 2, 7, 15), stored },
  grid: windowOf(fullDisk('goes-east'), 760, 2300, SIZE, SIZE),
});

/** Confidence 200 on pixels near a line. */
function lineImage(column: number, row: number, angle: number, length: number): Uint8Array {
  return Uint8Array.from({ length: SIZE * SIZE }, (_, i) => {
    const [c, r] = [(i % SIZE) - column, Math.floor(i / SIZE) - row];
    const along = c * Math.cos(angle) + r * Math.sin(angle);
    const across = r * Math.cos(angle) - c * Math.sin(angle);
    return Math.abs(along) <= length / 2 && Math.abs(across) <= 1.2 ? 200 : 0;
  });
}

describe('segments', () => {
  test.skipIf(!isPresent).each(['scene-a', 'scene-b'] as const)(
    `are those of the expected L1 of %s, with all their properties${because}`,
    async (scene) => {
      const { grid, satellite, time } = sceneFrame(scene, 0);
      const stored = Uint8Array.from(expectedL1(scene, 'contrail_confidence'));
      const found = await findSegments({ satellite, time, grid, stored });
      const expected = expectedSegments(scene, 0);
      expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      found.forEach((segment, k) => {
        const { length_m, ...properties } = segment;
        const { length_m: expectedLength, ...others } = expected[k] as Segment;
        expect(properties).toEqual(others);
        // The expected length is that of a local plane.
        expect(length_m / expectedLength).toBeCloseTo(1, 2);
      });
    },
  );

  test('of a straight line have its ends, direction and confidence', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          column: fc.double({ min: 40, max: 56, noNaN: true }),
          row: fc.double({ min: 40, max: 56, noNaN: true }),
          angle: fc.double({ min: 0, max: Math.PI, noNaN: true, maxExcluded: true }),
          length: fc.double({ min: 25, max: 60, noNaN: true }),
        }),
        async ({ column, row, angle, length }) => {
          const found = await findSegments(image(lineImage(column, row, angle, length)));
          expect(found).toHaveLength(1);
          const [segment] = found as [Segment];
          expect(Math.abs(segment.length_px - length)).toBeLessThan(4);
          const turn = Math.abs(segment.orientation_deg - (angle * 180) / Math.PI) % 180;
          expect(Math.min(turn, 180 - turn)).toBeLessThan(4);
          expect(segment.confidence).toBe(0.8);
          const [west, , east] = coordinates(segment);
          expect(west).toBeLessThanOrEqual(east);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('are none where there is no confidence, or nothing valid', async () => {
    expect(await findSegments(image(new Uint8Array(SIZE * SIZE)))).toEqual([]);
    expect(await findSegments(image(new Uint8Array(SIZE * SIZE).fill(STORED_FILL)))).toEqual([]);
  });

  test('go on beside pixels that are not valid', async () => {
    const stored = lineImage(48, 48, 0.5, 50);
    for (let i = 0; i < stored.length; i++) if (i % SIZE < 30) stored[i] = STORED_FILL;
    const [segment] = await findSegments(image(stored));
    expect(segment?.length_px).toBeGreaterThan(30);
  });

  test('of an image of another size are refused', async () => {
    await expect(findSegments(image(new Uint8Array(7)))).rejects.toThrow('7 pixels, not 96 × 96');
  });
});
