import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openProgress, pace } from '../src/progress.ts';

function screen(isTTY: boolean) {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), {
    isTTY,
    columns: 120,
    clearLine() {},
  });
  return { stream, text: () => String(stream.read() ?? '') };
}

test('the pace shows amount, rate and time left', () => {
  expect(pace(20, 100, 'files', 10)).toBe('20/100 files, 2 files/s, 40 s left');
  expect(pace(25, 100, '%', 600)).toBe('25 %, 0.0417 %/s, 30 min left');
  expect(pace(100, 100, 'files', 10)).toBe('100/100 files, 10 files/s');
});

test('nothing done yet has no rate', () => {
  expect(pace(0, 100, 'files', 3)).toBe('0/100 files');
});

test('without a terminal each tenth of the way is one plain line', () => {
  const { stream, text } = screen(false);
  let nowMs = 0;
  const tracker = openProgress(stream, () => nowMs).track('import', 100, 'files');
  for (let done = 0; done <= 100; done++) {
    nowMs = done * 50;
    tracker.to(done);
  }
  const lines = text().trimEnd().split('\n');
  expect(lines).toHaveLength(11);
  expect(lines[5]).toBe('import: 50/100 files, 20 files/s, 3 s left');
});

test('without a terminal slow work prints a line every ten seconds', () => {
  const { stream, text } = screen(false);
  let nowMs = 0;
  const tracker = openProgress(stream, () => nowMs).track('import', 1000, 'files');
  for (nowMs = 0; nowMs < 30_000; nowMs += 1000) tracker.to(nowMs / 1000);
  expect(text().trimEnd().split('\n')).toHaveLength(3);
});

test('progress never goes back, and items give the rate', () => {
  const { stream, text } = screen(false);
  let nowMs = 0;
  const tracker = openProgress(stream, () => nowMs).track('cocip', 100, '%', { itemUnit: 'flights' });
  for (const [seconds, share, flights] of [
    [10, 20, 40],
    [20, 10, 30],
    [40, 50, 100],
  ] as const) {
    nowMs = 1000 * seconds;
    tracker.to(share, flights);
  }
  expect(text().trimEnd().split('\n')).toEqual([
    'cocip: 20 %, 4 flights/s, 40 s left',
    'cocip: 20 %, 2 flights/s, 80 s left',
    'cocip: 50 %, 2.5 flights/s, 40 s left',
  ]);
});

test('what was there before does not count for the rate and the time left', () => {
  const { stream, text } = screen(false);
  let nowMs = 0;
  const tracker = openProgress(stream, () => nowMs).track('ecmwf', 100, 'MiB', { before: 80 });
  for (const done of [80, 90]) {
    tracker.to(done);
    nowMs = 10_000;
  }
  tracker.to(90);
  expect(text().trimEnd().split('\n')).toEqual([
    'ecmwf: 80/100 MiB',
    'ecmwf: 90/100 MiB, 1 MiB/s, 10 s left',
  ]);
});

test('without a total there is an amount and a rate', () => {
  expect(pace(30, Number.POSITIVE_INFINITY, 'flights', 10)).toBe('30 flights, 3 flights/s');
});

test('on a terminal nothing is left: no empty line without a bar, and no bar once it has ended', () => {
  const unused = screen(true);
  openProgress(unused.stream).close();
  expect(unused.text()).toBe('');

  const { stream, text } = screen(true);
  const progress = openProgress(stream, () => 0);
  progress.track('import', 100, 'files').end();
  progress.close();
  // The cursor is shown, at the start of its line, and everything from there on is cleared.
  expect(text().endsWith('\u001b[0J')).toBe(true);
});

test('on a terminal there is a bar', () => {
  const { stream, text } = screen(true);
  let nowMs = 0;
  const progress = openProgress(stream, () => nowMs);
  const tracker = progress.track('import', 100, 'files');
  nowMs = 1000;
  tracker.to(50);
  tracker.end();
  progress.close();
  expect(text()).toMatch(/import .*█+░+ 50\/100 files, 50 files\/s, 1 s left/s);
});
