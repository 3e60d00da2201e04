import { openCompute } from '@contrails/runtime/compute';
import { afterAll, describe, expect, test } from 'vitest';
import { lineSupport } from '../../src/detect/long-lines.ts';
import { pixelStage, ridgeDetector } from '../../src/detect/ridge.ts';
import { ridgeLongDetector } from '../../src/detect/ridge-long.ts';
import type { Frame } from '../../src/frame/index.ts';
import { fullDisk, windowOf } from '../../src/navigation/index.ts';

const [ROWS, COLUMNS] = [150, 190];
const [TOP, LEFT] = [1200, 2300];

function noise(row: number, column: number, seed: number): number {
  let h = seed ^ Math.imul(row, 0x9e3779b1) ^ Math.imul(column, 0x85ebca77);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32;
}

/** How much of a contrail a pixel shows, by its place in the image. */
type Contrail = (row: number, column: number) => number;

const along =
  (firstRow: number, from: number, to: number): Contrail =>
  (row, column) => {
    if (column < from || column > to) return 0;
    const across = (row - firstRow - 0.3 * column) / Math.hypot(1, 0.3);
    return Math.exp((-across * across) / 4.5);
  };

function frameOf(contrail: Contrail, strength: number): Frame {
  const t12 = new Float32Array(ROWS * COLUMNS);
  const t11 = new Float32Array(ROWS * COLUMNS);
  for (let i = 0; i < t12.length; i++) {
    const [row, column] = [Math.floor(i / COLUMNS), i % COLUMNS];
    const shown = strength * contrail(row, column);
    t12[i] = 280 + 1.2 * noise(row, column, 1) - 4 * shown;
    t11[i] = (t12[i] as number) + 2 + 0.4 * noise(row, column, 2) + 0.7 * shown;
  }
  return {
    ...{ satellite: 'goes-east', gridName: 'goes-east', time: 0, rows: ROWS, columns: COLUMNS, t11, t12 },
    grid: windowOf(fullDisk('goes-east'), TOP, LEFT, ROWS, COLUMNS),
  };
}

const meanOver = (values: Float32Array, isUsed: (row: number, column: number) => boolean) => {
  let [sum, count] = [0, 0];
  values.forEach((value, i) => {
    if (!isUsed(Math.floor(i / COLUMNS), i % COLUMNS)) return;
    sum += value;
    count++;
  });
  return sum / count;
};

describe('the ridge-long detector', () => {
  const compute = openCompute({ threads: 2, maxQueue: 100, heapMb: 256 });
  afterAll(() => compute.close());

  const long = along(40, 0, COLUMNS);
  const short = along(40, 84, 105);

  test('supports a pixel of a long line more than the same pixel of a short one', async () => {
    const middle = (row: number, column: number) =>
      column > 88 && column < 101 && Math.abs(row - 40 - 0.3 * column) < 1;
    const supportOf = async (contrail: Contrail) => {
      const { pixels, support } = lineSupport(await pixelStage(frameOf(contrail, 0.4)));
      const image = new Float32Array(ROWS * COLUMNS);
      pixels.forEach((pixel, k) => {
        image[pixel] = support[k] as number;
      });
      return meanOver(image, middle);
    };
    expect(await supportOf(long)).toBeGreaterThan(2 * (await supportOf(short)));
  });

  test('is surer of a long line against the noise than ridge is', async () => {
    const frame = frameOf(long, 0.4);
    const isLine = (row: number, column: number) => Math.abs(row - 40 - 0.3 * column) < 1;
    const isFar = (row: number, column: number) => Math.abs(row - 40 - 0.3 * column) > 12;
    const contrastOf = async (detector: ReturnType<typeof ridgeDetector>) => {
      const { confidence } = await detector.detect(frame);
      return meanOver(confidence, isLine) - meanOver(confidence, isFar);
    };
    expect(await contrastOf(ridgeLongDetector())).toBeGreaterThan(await contrastOf(ridgeDetector()));
  });

  test('gives confidences from 0 to 1, none without structure and none on invalid pixels', async () => {
    const frame = frameOf(long, 1);
    frame.t12.fill(Number.NaN, 0, 20 * COLUMNS);
    const { confidence, valid } = await ridgeLongDetector().detect(frame);
    expect(confidence.every((value) => value >= 0 && value <= 1)).toBe(true);
    expect(confidence.every((value, i) => valid[i] === 1 || value === 0)).toBe(true);
    const flat = { ...frame, t11: frame.t11.map(() => 282), t12: frame.t12.map(() => 280) };
    expect((await ridgeLongDetector().detect(flat)).confidence.every((value) => value === 0)).toBe(true);
  });

  test('says the same with other tiles, threads and earlier frames', async () => {
    const frame = frameOf(long, 0.6);
    const expected = (await ridgeLongDetector().detect(frame)).confidence;
    const tiled = (await ridgeLongDetector({ tileSize: 64 }).detect(frame)).confidence;
    const threaded = (await ridgeLongDetector({ tileSize: 64 }).detect(frame, [], { compute })).confidence;
    const after = (await ridgeLongDetector().detect(frame, [frameOf(short, 1)])).confidence;
    expect(threaded).toEqual(tiled);
    expect(after).toEqual(expected);
    const largest = expected.reduce((worst, c, i) => Math.max(worst, Math.abs(c - (tiled[i] as number))), 0);
    expect(largest).toBeLessThan(1e-3);
  });

  test('leaves ridge as it is, and has a name and its own weights', () => {
    expect(ridgeLongDetector().name).toBe('ridge-long');
    expect(ridgeLongDetector().weightsHash).not.toBe(ridgeDetector().weightsHash);
  });
});
