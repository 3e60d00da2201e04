import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createProgress } from '../../src/jobs/progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function recordingProgress() {
  const written: [number, string | null][] = [];
  const progress = createProgress(async (fraction, note) => {
    written.push([fraction, note]);
  }, 1_000);
  return { written, progress };
}

test('the first report is written at once and then the latest one of each interval', () => {
  const { written, progress } = recordingProgress();
  for (let i = 0; i < 100; i += 1) {
    progress.report(i / 100, i % 50 === 0 ? `part ${i}` : undefined);
    vi.advanceTimersByTime(25);
  }
  vi.advanceTimersByTime(5_000);
  expect(written).toEqual([
    [0, 'part 0'],
    [0.39, 'part 0'],
    [0.79, 'part 50'],
    [0.99, 'part 50'],
  ]);
});

test('what is not between 0 and 1 is brought there', () => {
  const { written, progress } = recordingProgress();
  for (const fraction of [-1, 7, Number.NaN]) {
    progress.report(fraction, undefined);
    vi.advanceTimersByTime(1_000);
  }
  expect(written.map(([fraction]) => fraction)).toEqual([0, 1, 0]);
});

test('nothing is written after the end', () => {
  const { written, progress } = recordingProgress();
  progress.report(0.1, undefined);
  progress.report(0.2, undefined);
  progress.close();
  vi.advanceTimersByTime(10_000);
  expect(written).toEqual([[0.1, null]]);
});

test('after a fault of the database the next report is tried', async () => {
  let tries = 0;
  const progress = createProgress(async () => {
    tries += 1;
    throw new Error('the database is away');
  }, 1_000);
  progress.report(0.5, undefined);
  await vi.advanceTimersByTimeAsync(1_000);
  progress.report(0.6, undefined);
  await vi.advanceTimersByTimeAsync(10);
  expect(tries).toBe(2);
  progress.close();
});
