import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bandsOf, stridesOf } from '../../../src/sources/zarr/bands.ts';

/** A chunk with one to four dimensions, and what is needed of it. */
const chunk = fc
  .array(
    fc.tuple(fc.integer({ min: 1, max: 6 }), fc.nat(), fc.nat()).map(([size, one, other]) => {
      const [low, high] = [one % size, other % size].sort((a, b) => a - b) as [number, number];
      return { size, low, high: high + 1 };
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((dimensions) => ({
    shape: dimensions.map(({ size }) => size),
    needed: { low: dimensions.map(({ low }) => low), high: dimensions.map(({ high }) => high) },
  }));

function valuesOf(low: readonly number[], high: readonly number[], strides: readonly number[]): number[] {
  let found = [0];
  for (const [d, stride] of strides.entries()) {
    const along = Array.from(
      { length: (high[d] as number) - (low[d] as number) },
      (_, i) => (low[d] as number) + i,
    );
    found = found.flatMap((before) => along.map((index) => before + index * stride));
  }
  return found;
}

test('bands are boxes whose values follow each other, and go forward', () => {
  fc.assert(
    fc.property(chunk, fc.integer({ min: 1, max: 400 }), ({ shape, needed }, most) => {
      let before = 0;
      for (const { low, high, first, end } of bandsOf(shape, needed, most)) {
        const inside = valuesOf(low, high, stridesOf(shape));
        expect(inside).toEqual(Array.from({ length: end - first }, (_, i) => first + i));
        expect(first).toBeGreaterThanOrEqual(before);
        before = end;
      }
    }),
  );
});

test('what is needed is in the bands', () => {
  fc.assert(
    fc.property(chunk, fc.integer({ min: 1, max: 400 }), ({ shape, needed }, most) => {
      const covered = new Set(
        [...bandsOf(shape, needed, most)].flatMap(({ first, end }) =>
          Array.from({ length: end - first }, (_, i) => first + i),
        ),
      );
      expect(
        valuesOf(needed.low, needed.high, stridesOf(shape)).filter((value) => !covered.has(value)),
      ).toEqual([]);
    }),
  );
});

test('a band holds no more than it may, unless one step of the last dimension is more', () => {
  fc.assert(
    fc.property(chunk, fc.integer({ min: 1, max: 400 }), ({ shape, needed }, most) => {
      for (const { first, end } of bandsOf(shape, needed, most))
        expect(end - first).toBeLessThanOrEqual(most);
    }),
  );
});
