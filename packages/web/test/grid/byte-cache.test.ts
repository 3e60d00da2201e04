import { expect, test } from 'vitest';
import { ByteCache } from '../../src/grid/byte-cache.ts';

test('holds no more than its bytes and drops what was not used for longest', async () => {
  const cache = new ByteCache<number>(30, (size) => size);
  for (const key of ['a', 'b', 'c']) await cache.obtain(key, async () => 10);
  cache.peek('a');
  await cache.obtain('d', async () => 10);
  expect(cache.bytes).toBe(30);
  expect(['a', 'b', 'c', 'd'].map((key) => cache.peek(key))).toEqual([10, undefined, 10, 10]);
});

test('what is asked for twice at once is loaded once', async () => {
  const cache = new ByteCache<string>(100, () => 1);
  let loads = 0;
  const load = async () => {
    loads += 1;
    return 'x';
  };
  expect(await Promise.all([cache.obtain('k', load), cache.obtain('k', load)])).toEqual(['x', 'x']);
  expect(loads).toBe(1);
});

test('a failed load is tried again', async () => {
  const cache = new ByteCache<string>(100, () => 1);
  await expect(cache.obtain('k', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.obtain('k', async () => 'x')).toBe('x');
});

test('one value that is larger than the cache is still returned', async () => {
  const cache = new ByteCache<number>(5, (size) => size);
  await cache.obtain('small', async () => 3);
  expect(await cache.obtain('large', async () => 9)).toBe(9);
  expect(cache.peek('small')).toBeUndefined();
});
