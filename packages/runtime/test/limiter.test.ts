import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLimiter } from '../src/index.ts';

test('runs no more than its limit at a time, in the order of arrival', async () => {
  const limiter = createLimiter(2);
  const begun: number[] = [];
  let running = 0;
  const work = (index: number) => async () => {
    begun.push(index);
    running += 1;
    expect(running).toBeLessThanOrEqual(2);
    await sleep(5);
    running -= 1;
    return index;
  };
  expect(await Promise.all([0, 1, 2, 3, 4].map((index) => limiter(work(index))))).toEqual([0, 1, 2, 3, 4]);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

test('goes on after work that fails', async () => {
  const limiter = createLimiter(1);
  await expect(
    limiter(() => {
      throw new Error('broken');
    }),
  ).rejects.toThrow('broken');
  expect(await limiter(() => 'done')).toBe('done');
});

test('refuses work when too much waits', async () => {
  const limiter = createLimiter(1, { maxWaiting: 1, what: 'cuts' });
  const first = limiter(() => sleep(5));
  const second = limiter(() => 'second');
  await expect(limiter(() => 'third')).rejects.toThrow('too many cuts wait');
  await first;
  expect(await second).toBe('second');
});
