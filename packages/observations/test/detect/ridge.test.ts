import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pixelStage, ridgeDetector } from '../../src/detect/ridge.ts';
import { TILE_HALO } from '../../src/detect/ridge-tile.ts';
import { DEFAULT_WEIGHTS, parseWeights, WEIGHTS_WITHOUT_KAPPA } from '../../src/detect/weights.ts';
import type { Frame } from '../../src/frame/index.ts';
import { fullDisk, windowOf } from '../../src/navigation/index.ts';
import { storedConfidence } from '../../src/segments/index.ts';
import { because, isPresent } from '../support/reference.ts';
import { expectedL1, sceneFrame } from '../support/scenes.ts';

const SIZE = 96;
const [TOP, LEFT] = [1200, 2300];

/** A part of the GOES-East disk. */
function frameOf(
  t11: (row: number, column: number) => number,
  t12: (row: number, column: number) => number,
  { top = TOP, left = LEFT, rows = SIZE, columns = SIZE } = {},
): Frame {
  const at = (f: typeof t11) =>
    Float32Array.from({ length: rows * columns }, (_, i) =>
      f(top + Math.floor(i / columns), left + (i % columns)),
    );
  return {
    ...{ satellite: 'goes-east', gridName: 'goes-east', time: 0, rows, columns },
    grid: windowOf(fullDisk('goes-east'), top, left, rows, columns),
    t11: at(t11),
    t12: at(t12),
  };
}

/** Uniform numbers of a pixel, whatever part of the image it is seen in. */
function noise(row: number, column: number, seed: number): number {
  let h = seed ^ Math.imul(row, 0x9e3779b1) ^ Math.imul(column, 0x85ebca77);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32;
}

/** A cold line with a difference of channels, on noise. */
const contrail = (row: number, column: number) => {
  const across = (row - TOP - 0.4 * (column - LEFT) - 30) / Math.hypot(1, 0.4);
  return Math.exp((-across * across) / 4.5);
};
const t12 = (row: number, column: number) => 280 + 0.3 * noise(row, column, 1) - 4 * contrail(row, column);
const t11 = (row: number, column: number) =>
  t12(row, column) + 2 + 0.1 * noise(row, column, 2) + 0.7 * contrail(row, column);

const largest = (a: Float32Array, b: Float32Array) =>
  a.reduce((worst, value, i) => Math.max(worst, Math.abs(value - (b[i] as number))), 0);

describe('the ridge detector', () => {
  test.skipIf(!isPresent).each(['scene-a', 'scene-b'] as const)(
    `finds the directions and probabilities of the first frame of %s${because}`,
    async (scene) => {
      const frame = sceneFrame(scene, 0);
      const stage = await pixelStage(frame);
      const direction = expectedL1(scene, 'direction');
      const probability = expectedL1(scene, 'pixel_probability');
      let equal = 0;
      let worst = 0;
      direction.forEach((expected, i) => {
        if (stage.direction[i] !== expected) return;
        equal++;
        worst = Math.max(
          worst,
          Math.abs((stage.probability[i] as number) - (probability[i] as number) / 250),
        );
      });
      expect(equal / direction.length).toBeGreaterThan(0.999);
      // Half of it is the rounding of the expected values.
      expect(worst).toBeLessThan(0.005);
      const { confidence, valid } = await ridgeDetector().detect(frame);
      const stored = storedConfidence(confidence, valid);
      const differing = expectedL1(scene, 'contrail_confidence').reduce(
        (count, expected, i) => count + (Math.abs(expected - (stored[i] as number)) > 1 ? 1 : 0),
        0,
      );
      expect(differing / stored.length).toBeLessThan(0.001);
    },
  );

  test('sees a cold line in both images, with and without trust in the difference of channels', async () => {
    const frame = frameOf(t11, t12);
    for (const weights of [DEFAULT_WEIGHTS, WEIGHTS_WITHOUT_KAPPA]) {
      const { confidence } = await ridgeDetector({ weights }).detect(frame);
      const onLine = confidence[(30 + 20) * SIZE + 50] as number;
      expect(onLine).toBeGreaterThan(0.4);
      expect(confidence[80 * SIZE + 20]).toBeLessThan(onLine / 2);
    }
  });

  test('an image without structure gives 0 everywhere', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.float({ min: 180, max: 320, noNaN: true }),
        fc.float({ min: -2, max: 5, noNaN: true }),
        async (warm, btd) => {
          const { confidence, valid } = await ridgeDetector().detect(
            frameOf(
              () => warm,
              () => warm - btd,
            ),
          );
          expect(confidence.every((value) => value === 0)).toBe(true);
          expect(valid.every((value) => value === 1)).toBe(true);
        },
      ),
      { numRuns: 5 },
    );
  });

  test('a constant that is added to both channels changes nothing', async () => {
    const before = await pixelStage(frameOf(t11, t12));
    // A power of two keeps the digits of float32.
    const after = await pixelStage(
      frameOf(
        (r, c) => Math.fround(t11(r, c)) - 16,
        (r, c) => Math.fround(t12(r, c)) - 16,
      ),
    );
    expect(largest(before.probability, after.probability)).toBeLessThan(1e-3);
  });

  test('an image that is shifted in its window, with the grid, gives the shifted result', async () => {
    const size = SIZE + 40;
    const within = (f: typeof t11) => (row: number, column: number) => {
      const [r, c] = [row - TOP, column - LEFT];
      return r >= 0 && r < SIZE && c >= 0 && c < SIZE ? f(row, column) : Number.NaN;
    };
    const seenFrom = (dr: number, dc: number) =>
      pixelStage(
        frameOf(within(t11), within(t12), { top: TOP - dr, left: LEFT - dc, rows: size, columns: size }),
      );
    const before = await seenFrom(0, 0);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }), async (dr, dc) => {
        const after = await seenFrom(dr, dc);
        let worst = 0;
        let turned = 0;
        for (let r = 0; r < SIZE; r++) {
          for (let c = 0; c < SIZE; c++) {
            const [a, b] = [r * size + c, (r + dr) * size + c + dc];
            worst = Math.max(
              worst,
              Math.abs((after.probability[b] as number) - (before.probability[a] as number)),
            );
            if (after.direction[b] !== before.direction[a]) turned++;
          }
        }
        expect(worst).toBeLessThan(1e-3);
        expect(turned).toBeLessThan(0.001 * SIZE * SIZE);
      }),
      { numRuns: 5 },
    );
  });

  test('a part of an image, with a halo, gives what the whole gives there', async () => {
    const halo = 115;
    const inner = 40;
    const size = inner + 2 * halo;
    const whole = await pixelStage(
      frameOf(t11, t12, { top: TOP - 60, left: LEFT - 70, rows: size + 60, columns: size + 90 }),
    );
    const part = await pixelStage(
      frameOf(t11, t12, { top: TOP - 20, left: LEFT - 40, rows: size, columns: size }),
    );
    let worst = 0;
    for (let r = halo; r < halo + inner; r++) {
      for (let c = halo; c < halo + inner; c++) {
        const [a, b] = [r * size + c, (r + 40) * (size + 90) + c + 30];
        // NaN stays NaN, which no assertion takes.
        worst = Math.max(worst, Math.abs((part.probability[a] as number) - (whole.probability[b] as number)));
      }
    }
    expect(worst).toBeLessThan(1e-4);
  });

  test('tiles of any size give what one tile gives', async () => {
    const frame = frameOf(t11, t12, { rows: 150, columns: 190 });
    const whole = await pixelStage(frame, { tileSize: 400 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 30, max: 160 }), async (tileSize) => {
        const tiled = await pixelStage(frame, { tileSize });
        expect(largest(tiled.probability, whole.probability)).toBeLessThan(1e-4);
        expect(tiled.valid).toEqual(whole.valid);
      }),
      { numRuns: 4 },
    );
    expect(TILE_HALO).toBeGreaterThanOrEqual(115);
  });

  test('pixels without a value are not valid and have no confidence; those around them are found all the same', async () => {
    const isMissing = (r: number, c: number) => (r - TOP) % 31 === 5 || (c - LEFT > 60 && c - LEFT < 64);
    const { confidence, valid } = await ridgeDetector().detect(
      frameOf((r, c) => (isMissing(r, c) ? Number.NaN : t11(r, c)), t12),
    );
    const wrong = [...valid.keys()].filter((i) => {
      const missing = isMissing(TOP + Math.floor(i / SIZE), LEFT + (i % SIZE));
      const value = confidence[i] as number;
      return valid[i] !== (missing ? 0 : 1) || !(value >= 0 && value <= (missing ? 0 : 1));
    });
    expect(wrong).toEqual([]);
    expect(confidence[(30 + 20) * SIZE + 50]).toBeGreaterThan(0.3);
  });

  test('a frame whose pixels are all missing gives nothing', async () => {
    const { confidence, valid } = await ridgeDetector().detect(
      frameOf(
        () => Number.NaN,
        () => Number.NaN,
      ),
    );
    expect(confidence.every((value) => value === 0)).toBe(true);
    expect(valid.every((value) => value === 0)).toBe(true);
  });

  test('pixels beyond the view zenith limit are not valid', async () => {
    const { valid } = await ridgeDetector({ maxViewZenithDeg: 20 }).detect(frameOf(t11, t12));
    expect(valid.every((value) => value === 0)).toBe(true);
  });

  test('refuses bands of another size', async () => {
    const frame = frameOf(t11, t12);
    await expect(ridgeDetector().detect({ ...frame, t12: frame.t12.subarray(1) })).rejects.toThrow(
      '9216 and 9215 pixels, not 96 × 96',
    );
  });
});

describe('weights', () => {
  test('are read from a file', () => {
    expect(parseWeights(JSON.stringify(DEFAULT_WEIGHTS), 'weights.json')).toEqual(DEFAULT_WEIGHTS);
  });

  test.each(['', 'null', '{"pixel": [1, 2]}', '{"pixel": [1, 2, 3], "object": [1, 2, 3, 4, 5, "6"]}'])(
    'that are not complete are refused: %s',
    (text) => {
      expect(() => parseWeights(text, 'weights.json')).toThrow('weights.json');
    },
  );
});
