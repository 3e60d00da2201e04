import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { atOnce } from '../src/index.ts';

const ITEMS = Array.from({ length: 20 }, (_, k) => k);

test('every item is worked on once, never more than the limit at a time', async () => {
  const seen: number[] = [];
  let running = 0;
  let most = 0;
  await atOnce(3, ITEMS, async (item, index) => {
    most = Math.max(most, ++running);
    await nextTurn();
    running -= 1;
    seen[index] = item;
  });
  expect(seen).toEqual(ITEMS);
  expect(most).toBe(3);
});

test('after the first error nothing begins, and it is reported when what was running has ended', async () => {
  let begun = 0;
  let ended = 0;
  const work = async (item: number, _: number, signal: AbortSignal) => {
    begun += 1;
    await nextTurn();
    if (item === 1) throw new Error('the second item failed');
    while (!signal.aborted) await nextTurn();
    ended += 1;
    signal.throwIfAborted();
  };
  await expect(atOnce(4, ITEMS, work)).rejects.toThrow('the second item failed');
  expect({ begun, ended }).toEqual({ begun: 4, ended: 3 });
});

test('a signal of the caller stops it, also when the work takes no notice', async () => {
  const stopping = new AbortController();
  let begun = 0;
  const work = async () => {
    begun += 1;
    stopping.abort(new Error('the client is gone'));
  };
  await expect(atOnce(2, ITEMS, work, stopping.signal)).rejects.toThrow('the client is gone');
  expect(begun).toBe(1);
});
