import { expect, test } from 'vitest';
import { memoryByKind } from '../src/metrics.ts';

const MIB = 2 ** 20;
const state = { threads: 2, started: 2, busy: 0, tasks: 0, crashes: 0 };

test('the kinds of memory add up to what is resident', () => {
  const kinds = memoryByKind(
    {
      rss: 1000 * MIB,
      heapTotal: 50 * MIB,
      heapUsed: 40 * MIB,
      external: 140 * MIB,
      arrayBuffers: 120 * MIB,
    },
    { ...state, kernelBytes: 60 * MIB, heapBytes: 80 * MIB },
    { residentBytes: 400 * MIB, threadBytes: 40 * MIB },
    30 * MIB,
  );
  expect(kinds).toEqual({
    weather: 400 * MIB,
    results: 30 * MIB,
    kernels: 60 * MIB,
    threads: 120 * MIB,
    // The main thread's own: results lie in its buffers.
    buffers: 110 * MIB,
    heap: 50 * MIB,
    other: 230 * MIB,
  });
});

test('what was given back to the system meanwhile makes no kind negative', () => {
  const kinds = memoryByKind(
    { rss: 100 * MIB, heapTotal: 50 * MIB, heapUsed: 40 * MIB, external: 10 * MIB, arrayBuffers: 10 * MIB },
    { ...state, kernelBytes: 0, heapBytes: 0 },
    { residentBytes: 300 * MIB, threadBytes: 0 },
    0,
  );
  expect(Math.min(...Object.values(kinds))).toBe(0);
});
