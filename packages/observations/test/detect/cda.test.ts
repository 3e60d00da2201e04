import { describe, expect, test } from 'vitest';
import { cdaDetector } from '../../src/detect/cda.ts';
import type { Frame } from '../../src/frame/index.ts';
import { fullDisk, windowOf } from '../../src/navigation/index.ts';

const SIZE = 64;

/** A contrail that is `cooling` K colder, with more difference of channels than around it. */
function frameWith(cooling: number, btd: number): Frame {
  const contrail = (i: number) => {
    const across = ((i % SIZE) - Math.floor(i / SIZE)) / Math.SQRT2;
    return Math.exp(-(across * across) / 1.5);
  };
  const t12 = Float32Array.from({ length: SIZE * SIZE }, (_, i) => 280 - cooling * contrail(i));
  return {
    ...{ satellite: 'goes-east', gridName: 'goes-east', time: 0, rows: SIZE, columns: SIZE, t12 },
    grid: windowOf(fullDisk('goes-east'), 1500, 2500, SIZE, SIZE),
    t11: t12.map((t, i) => t + 1 + btd * contrail(i)),
  };
}

const found = ({ confidence }: { confidence: Float32Array }) =>
  confidence.filter((value) => value === 1).length;

describe('the classical detector', () => {
  test('marks a line that is cold and has a difference of channels', async () => {
    const detection = await cdaDetector().detect(frameWith(3, 1));
    expect(found(detection)).toBeGreaterThan(SIZE / 2);
    expect(detection.confidence[20 * SIZE + 20]).toBe(1);
    expect(detection.confidence[50 * SIZE + 10]).toBe(0);
  });

  test('asks for the difference of channels that it is set to', async () => {
    const frame = frameWith(3, 0.25);
    expect(found(await cdaDetector().detect(frame))).toBe(0);
    expect(
      found(await cdaDetector({ minBtd: 0.2, gradientTest: false, minLength: 8 }).detect(frame)),
    ).toBeGreaterThan(0);
  });

  test('finds nothing in an image without structure, or without valid pixels', async () => {
    expect(found(await cdaDetector({ minBtd: 0.2 }).detect(frameWith(0, 0)))).toBe(0);
    const frame = frameWith(3, 1);
    const missing = await cdaDetector().detect({ ...frame, t11: frame.t11.map(() => Number.NaN) });
    expect(found(missing)).toBe(0);
    expect(missing.valid.every((value) => value === 0)).toBe(true);
  });
});
