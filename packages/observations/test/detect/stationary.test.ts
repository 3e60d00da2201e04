import { describe, expect, test } from 'vitest';
import { ridgeDetector, ridgeLongDetector } from '../../src/detect/index.ts';
import { FRAME_STEP_MS, type Frame } from '../../src/frame/index.ts';
import { fullDisk, windowOf } from '../../src/navigation/index.ts';
import { segmentEnds } from '../../src/score/index.ts';
import { findSegments, storedConfidence } from '../../src/segments/index.ts';
import { CONTRAIL, frameAt, frames, type Line, SIZE, VALLEY } from '../support/drifting-lines.ts';

async function linesIn(detector: ReturnType<typeof ridgeDetector>, frame: Frame, earlier: readonly Frame[]) {
  const { confidence, valid, stationary } = await detector.detect(frame, earlier);
  const segments = await findSegments({ ...frame, stored: storedConfidence(confidence, valid) });
  const middles = segments.map(({ wkt }) => {
    const [a, b] = segmentEnds(wkt, frame.grid);
    return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] as const;
  });
  const has = ({ column, row }: Line) =>
    middles.some(([c, r]) => Math.abs(c - column) < 6 && Math.abs(r - row) < 6);
  return { stationary, valley: has(VALLEY), contrail: has(CONTRAIL) };
}

describe('lines that stand still', () => {
  const detector = ridgeDetector({ skipsStationary: true });

  test.each([
    ['across itself', [-4, -4]],
    ['along itself', [5 * Math.cos(-0.4), 5 * Math.sin(-0.4)]],
    ['fast', [-12, 4]],
  ] as const)('are left out, and a contrail that drifts %s stays', async (_, drift) => {
    const [second, first, now] = frames(drift);
    expect(await linesIn(detector, now, [first, second])).toEqual({
      ...{ stationary: 1, valley: false, contrail: true },
    });
  });

  test('are left out by ridge-long too', async () => {
    const [second, first, now] = frames([-4, -4]);
    const long = ridgeLongDetector({ skipsStationary: true });
    expect(await linesIn(long, now, [first, second])).toMatchObject({ valley: false, contrail: true });
    expect(await linesIn(long, now, [])).toMatchObject({ valley: true, contrail: true });
  });

  test('stay where an earlier frame is missing, is of another time or has another grid', async () => {
    const [second, first, now] = frames([-4, -4]);
    const both = { stationary: undefined, valley: true, contrail: true };
    const moved = windowOf(fullDisk('goes-east'), 1201, 2300, SIZE, SIZE);
    expect(await linesIn(detector, now, [])).toEqual(both);
    expect(await linesIn(detector, now, [first])).toEqual(both);
    expect(await linesIn(detector, now, [first, { ...second, time: second.time - 1000 }])).toEqual(both);
    expect(await linesIn(detector, now, [first, { ...second, grid: moved }])).toEqual(both);
    expect(await linesIn(ridgeDetector(), now, [first, second])).toEqual(both);
  });

  test('stay if they have appeared, or may drift along themselves unseen', async () => {
    const [, first, now] = frames([-4, -4]);
    const empty = frameAt(-2, [{ ...VALLEY, half: -1 }]);
    expect(await linesIn(detector, now, [first, empty])).toMatchObject({ stationary: 0, valley: true });
    // From edge to edge it has no ends that could move.
    const endless = [{ ...VALLEY, half: 300 }];
    const still = [frameAt(-1, endless), frameAt(-2, endless)];
    expect(await linesIn(detector, frameAt(0, endless), still)).toMatchObject({ stationary: 0 });
  });
});

test('where two earlier frames are looked at does not depend on their order', async () => {
  const [second, first, now] = frames([-4, -4]);
  const detector = ridgeDetector({ skipsStationary: true });
  const one = await detector.detect(now, [first, second]);
  const other = await detector.detect(now, [second, first]);
  expect(other.confidence).toEqual(one.confidence);
  expect(detector.earlierMs).toEqual([FRAME_STEP_MS, 2 * FRAME_STEP_MS]);
});
