import fc from 'fast-check';
import { expect, test } from 'vitest';
import { followBorders } from '../../src/polygons/borders.ts';
import { labelImage } from '../../src/polygons/mask.ts';
import { expanded, outlineOf } from '../../src/polygons/outline.ts';
import { type Ring, signedArea } from '../../src/polygons/ring.ts';
import { isSimple } from '../../src/polygons/validity.ts';
import { arbitraryMask, type Mask, maskFrom } from '../support/masks.ts';
import { ringDistance, ringOf } from '../support/rings.ts';

const UNIT = { width: 1, height: 1 };

/** Rings of cell centres of the outer borders. */
function outerCorners({ cells, longitudes, latitudes }: Mask): Ring[] {
  const image = labelImage(cells, longitudes, latitudes, { cells: 'at-least', value: 1 });
  const { count, isHole, first, corners } = followBorders(image);
  return Array.from({ length: count }, (_, border) => border)
    .filter((border) => !isHole[border])
    .map((border) => {
      const places = [...corners.subarray(first[border], first[border + 1])];
      return ringOf(
        ...places.map((cell): [number, number] => [
          Math.floor(cell / image.stride) - 1,
          (cell % image.stride) - 1,
        ]),
      );
    });
}

function outline(...rows: readonly string[]): Ring {
  return outlineOf(outerCorners(maskFrom(...rows))[0] as Ring, UNIT);
}

test('one cell becomes a diamond', () => {
  expect(ringDistance(outline('#'), ringOf([0.5, 0], [0, 0.5], [-0.5, 0], [0, -0.5]))).toBe(0);
});

test('two cells become a band with blunt ends', () => {
  const band = ringOf([1, 0.5], [0, 0.5], [-0.5, 0], [0, -0.5], [1, -0.5], [1.5, 0]);
  expect(ringDistance(outline('##'), band)).toBeLessThan(1e-12);
});

test('a block of cells reaches half a cell beyond its centres and has its corners cut', () => {
  const block = ringOf([-0.5, 0], [0, -0.5], [2, -0.5], [2.5, 0], [2.5, 1], [2, 1.5], [0, 1.5], [-0.5, 1]);
  expect(ringDistance(outline('###', '###'), block)).toBeLessThan(1e-12);
});

test('three cells at a right angle become a bent band', () => {
  const area = signedArea(outline('#.', '##'));
  expect(area).toBeGreaterThan(1.5);
  expect(area).toBeLessThan(2.6);
});

test('a larger triangle keeps its inside', () => {
  expect(signedArea(outline('#...', '##..', '###.', '####'))).toBeGreaterThan(8);
});

test('the tip of a spike on a block is a dent: the centre of the last cell stays outside', () => {
  const ring = outline('##...', '#####');
  const dent = [3.5, 0];
  const places = Array.from({ length: ring.length / 2 }, (_, k) => [ring[2 * k], ring[2 * k + 1]]);
  expect(places).toContainEqual(dent);
});

test('the ends of a bent line are blunt', () => {
  const ring = outline('#....', '.####');
  const places = Array.from({ length: ring.length / 2 }, (_, k) => [ring[2 * k], ring[2 * k + 1]]);
  expect(places).toContainEqual([4.5, 0]);
});

test('cells twice as wide as high are offset by half the smaller side', () => {
  const ring = outlineOf(ringOf([0, 0], [4, 0], [4, 2], [0, 2]), { width: 2, height: 1 });
  expect(Math.min(...ring)).toBe(-0.5);
  expect(Math.max(...ring)).toBe(4.5);
});

test('outlines are simple, counter-clockwise and inside the region half a cell around the centres', () => {
  fc.assert(
    fc.property(arbitraryMask(), (mask) => {
      for (const corners of outerCorners(mask)) {
        const ring = outlineOf(corners, UNIT);
        expect(isSimple(ring)).toBe(true);
        expect(signedArea(ring)).toBeGreaterThan(0);
        const [xs, ys] = [0, 1].map((axis) => corners.filter((_, k) => k % 2 === axis)) as [Ring, Ring];
        ring.forEach((value, k) => {
          const along = k % 2 === 0 ? xs : ys;
          expect(value).toBeGreaterThanOrEqual(Math.min(...along) - 0.5 - 1e-12);
          expect(value).toBeLessThanOrEqual(Math.max(...along) + 0.5 + 1e-12);
        });
      }
    }),
    { numRuns: 200 },
  );
});

test('the area of an outline is that of its cells and of what each corner adds or takes away', () => {
  fc.assert(
    fc.property(arbitraryMask(), fc.constantFrom(0.5, 0.25), (mask, d) => {
      for (const corners of outerCorners(mask)) {
        if (corners.length < 10) continue;
        const [least, most] = expectedArea(corners, d);
        const area = signedArea(expanded(corners, d));
        expect(area).toBeGreaterThan(least - 1e-9);
        expect(area).toBeLessThan(most + 1e-9);
      }
    }),
    { numRuns: 300 },
  );
});

/** After Steiner: area, perimeter times distance, and the corners. Turns of 135° have one chord or two. */
function expectedArea(corners: Ring, d: number): [number, number] {
  const enclosed = signedArea(corners);
  const count = corners.length / 2 - 1;
  const at = (k: number) =>
    [corners[2 * (k % count)] as number, corners[2 * (k % count) + 1] as number] as const;
  let least = enclosed;
  let most = enclosed;
  for (let k = 0; k < count; k++) {
    const [a, b, c] = [at(k), at(k + 1), at(k + 2)];
    const [ux, uy, wx, wy] = [b[0] - a[0], b[1] - a[1], c[0] - b[0], c[1] - b[1]];
    const side = d * Math.hypot(ux, uy);
    const turn = Math.atan2(ux * wy - uy * wx, ux * wx + uy * wy);
    const chords = (m: number) => (m * d * d * Math.sin(turn / m)) / 2;
    let [low, high] = [0, 0];
    if (Math.abs(turn) > 3) low = high = enclosed > 0 ? -d * d : d * d;
    else if (turn < 0) low = high = -d * d * Math.tan(-turn / 2);
    else if (turn > 2) [low, high] = [chords(1), chords(2)];
    else low = high = chords(1);
    least += side + low;
    most += side + high;
  }
  return [least, most];
}
