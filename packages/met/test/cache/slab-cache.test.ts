import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Lease, SlabCache, type SlabGroup } from '../../src/cache/slab-cache.ts';
import { MetError } from '../../src/errors.ts';

interface TestSlab {
  readonly byteLength: number;
  readonly key: string;
}

/** A group of slabs of 10 bytes each, with a record of what was read and a door that holds reads back. */
function readings() {
  const read: string[][] = [];
  const doors: { keys: readonly string[]; signal: AbortSignal; open: (error?: Error) => void }[] = [];
  let held = false;
  const group = (keys: readonly string[]): SlabGroup<TestSlab> => ({
    keys,
    bytesEach: 10,
    read: async (first, count, signal) => {
      const wanted = keys.slice(first, first + count);
      read.push([...wanted]);
      if (held) {
        await new Promise<void>((resolve, reject) => {
          doors.push({ keys: wanted, signal, open: (error) => (error ? reject(error) : resolve()) });
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      }
      return wanted.map((key) => ({ key, byteLength: 10 }));
    },
  });
  return {
    group,
    read,
    doors,
    hold: () => {
      held = true;
    },
  };
}

const keysOf = ({ slabs }: Lease<TestSlab>) => slabs.map((list) => list.map(({ key }) => key));
const turns = () => new Promise((resolve) => setImmediate(resolve));

describe('reading', () => {
  test('what is there is not read again, neighbours that are missing are read together', async () => {
    const cache = new SlabCache<TestSlab>(1000);
    const { group, read } = readings();
    await cache.acquire([group(['c'])]);
    const lease = await cache.acquire([group(['a', 'b', 'c', 'd'])]);
    expect(keysOf(lease)).toEqual([['a', 'b', 'c', 'd']]);
    expect(read).toEqual([['c'], ['a', 'b'], ['d']]);
    expect(cache.statistics()).toMatchObject({ hits: 1, misses: 4, slabs: 4, usedBytes: 40 });
  });

  test('no more is read at once than fits into a batch', async () => {
    const cache = new SlabCache<TestSlab>(1000, undefined, 25);
    const { group, read } = readings();
    await cache.acquire([group(['a', 'b', 'c', 'd', 'e'])]);
    expect(read).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  test('a slab that several callers want is read once', async () => {
    const cache = new SlabCache<TestSlab>(1000);
    const { group, read, doors, hold } = readings();
    hold();
    const both = Promise.all([cache.acquire([group(['a', 'b'])]), cache.acquire([group(['b'])])]);
    await turns();
    doors[0]?.open();
    const [one, other] = await both;
    expect(read).toEqual([['a', 'b']]);
    expect(other.slabs[0]?.[0]).toBe(one.slabs[0]?.[1]);
  });

  test('a failure reaches everyone who waits, and is forgotten', async () => {
    const cache = new SlabCache<TestSlab>(1000);
    const { group, read, doors, hold } = readings();
    hold();
    const both = Promise.allSettled([cache.acquire([group(['a'])]), cache.acquire([group(['a'])])]);
    await turns();
    doors[0]?.open(new Error('no disk'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(cache.statistics()).toMatchObject({ slabs: 0, usedBytes: 0, leasedBytes: 0, failures: 1 });
    const again = cache.acquire([group(['a'])]);
    await turns();
    doors[1]?.open();
    expect(keysOf(await again)).toEqual([['a']]);
    expect(read).toHaveLength(2);
  });

  test('a failure of one part gives back the others', async () => {
    const cache = new SlabCache<TestSlab>(1000);
    const { group } = readings();
    const failing: SlabGroup<TestSlab> = {
      keys: ['x'],
      bytesEach: 10,
      read: () => Promise.reject(new Error('no disk')),
    };
    await expect(cache.acquire([group(['a']), failing])).rejects.toThrow('no disk');
    expect(cache.statistics()).toMatchObject({ leasedBytes: 0, usedBytes: 10 });
  });
});

describe('memory', () => {
  test('the longest unused goes first', async () => {
    const cache = new SlabCache<TestSlab>(30);
    const { group } = readings();
    for (const key of ['a', 'b', 'c']) (await cache.acquire([group([key])])).release();
    (await cache.acquire([group(['a'])])).release();
    (await cache.acquire([group(['d'])])).release();
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.has(key))).toEqual(['a', 'c', 'd']);
    expect(cache.statistics().evictions).toBe(1);
  });

  test('what goes can be used again, what is in use is not given away', async () => {
    const gone: string[] = [];
    const cache = new SlabCache<TestSlab>(20, ({ key }) => gone.push(key));
    const { group } = readings();
    (await cache.acquire([group(['a'])])).release();
    await cache.acquire([group(['b'])]);
    await cache.acquire([group(['c'])]);
    expect(gone).toEqual(['a']);
  });

  test('slabs in use stay, and a caller that needs their room waits', async () => {
    const cache = new SlabCache<TestSlab>(20);
    const { group } = readings();
    const first = await cache.acquire([group(['a', 'b'])]);
    let arrived = false;
    const second = cache.acquire([group(['c'])]).then((lease) => {
      arrived = true;
      return lease;
    });
    await turns();
    expect([arrived, cache.has('a'), cache.statistics().waiting]).toEqual([false, true, 1]);
    first.release();
    expect(keysOf(await second)).toEqual([['c']]);
    expect(cache.statistics()).toMatchObject({ waiting: 0, usedBytes: 20 });
  });

  test('a caller that needs nothing new does not wait behind others', async () => {
    const cache = new SlabCache<TestSlab>(20);
    const { group } = readings();
    await cache.acquire([group(['a', 'b'])]);
    void cache.acquire([group(['c'])]).catch(() => {});
    expect(keysOf(await cache.acquire([group(['a'])]))).toEqual([['a']]);
  });

  test('callers are served in the order of their requests', async () => {
    const cache = new SlabCache<TestSlab>(20);
    const { group } = readings();
    const first = await cache.acquire([group(['a', 'b'])]);
    const order: string[] = [];
    const acquire = async (keys: string[]) => {
      const lease = await cache.acquire([group(keys)]);
      order.push(keys.join(''));
      lease.release();
    };
    const large = acquire(['c', 'd']);
    const small = acquire(['e']);
    first.release();
    await Promise.all([large, small]);
    expect(order).toEqual(['cd', 'e']);
  });

  test('a request larger than the whole is refused with the remedy', async () => {
    const cache = new SlabCache<TestSlab>(20);
    const { group, read } = readings();
    const error = await cache.acquire([group(['a', 'b', 'c'])]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MetError);
    expect(error).toMatchObject({
      kind: 'too-large',
      message: expect.stringMatching(/ask for a smaller area or a shorter time$/),
    });
    expect(read).toEqual([]);
  });

  test('a slab that is larger than was thought does not lock anyone out', async () => {
    const cache = new SlabCache<TestSlab>(30);
    const { group } = readings();
    const large: SlabGroup<TestSlab> = {
      keys: ['x'],
      bytesEach: 10,
      read: async () => [{ key: 'x', byteLength: 500 }],
    };
    const lease = await cache.acquire([large]);
    expect(cache.statistics().usedBytes).toBe(500);
    lease.release();
    expect(keysOf(await cache.acquire([large, group(['a', 'b'])]))).toEqual([['x'], ['a', 'b']]);
  });

  test('releasing twice counts once', async () => {
    const cache = new SlabCache<TestSlab>(20);
    const { group } = readings();
    const one = await cache.acquire([group(['a'])]);
    await cache.acquire([group(['a'])]);
    one.release();
    one.release();
    expect(cache.statistics().leasedBytes).toBe(10);
  });

  test('forgetting leaves what is in use', async () => {
    const cache = new SlabCache<TestSlab>(100);
    const { group } = readings();
    (await cache.acquire([group(['a'])])).release();
    await cache.acquire([group(['b'])]);
    cache.forget(() => true);
    expect([cache.has('a'), cache.has('b'), cache.statistics().usedBytes]).toEqual([false, true, 10]);
  });
});

describe('giving up', () => {
  test('ends a read for which no caller waits any more', async () => {
    const cache = new SlabCache<TestSlab>(1000);
    const { group, doors, hold } = readings();
    hold();
    const [one, other] = [new AbortController(), new AbortController()];
    const waiting = Promise.allSettled([
      cache.acquire([group(['a', 'b'])], one.signal),
      cache.acquire([group(['b'])], other.signal),
    ]);
    await turns();
    one.abort(new Error('enough'));
    await turns();
    expect(doors[0]?.signal.aborted).toBe(false);
    other.abort(new Error('enough'));
    await turns();
    expect(doors[0]?.signal.aborted).toBe(true);
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(cache.statistics()).toMatchObject({ slabs: 0, usedBytes: 0, failures: 0 });
  });

  test('lets the next caller start the read again', async () => {
    const cache = new SlabCache<TestSlab>(1000);
    const { group, doors, read, hold } = readings();
    hold();
    const controller = new AbortController();
    const given = cache.acquire([group(['a'])], controller.signal).catch((error: Error) => error.message);
    await turns();
    controller.abort(new Error('enough'));
    expect(await given).toBe('enough');
    const again = cache.acquire([group(['a'])]);
    await turns();
    doors[1]?.open();
    expect(keysOf(await again)).toEqual([['a']]);
    expect(read).toHaveLength(2);
  });

  test('leaves the queue', async () => {
    const cache = new SlabCache<TestSlab>(20);
    const { group } = readings();
    const first = await cache.acquire([group(['a', 'b'])]);
    const controller = new AbortController();
    const impatient = cache
      .acquire([group(['c', 'd'])], controller.signal)
      .catch((error: Error) => error.message);
    const patient = cache.acquire([group(['e'])]);
    controller.abort(new Error('enough'));
    expect(await impatient).toBe('enough');
    first.release();
    expect(keysOf(await patient)).toEqual([['e']]);
    expect(cache.has('c')).toBe(false);
  });

  test('before it began reads nothing', async () => {
    const cache = new SlabCache<TestSlab>(20);
    const { group, read } = readings();
    await expect(cache.acquire([group(['a'])], AbortSignal.abort(new Error('enough')))).rejects.toThrow(
      'enough',
    );
    expect(read).toEqual([]);
  });
});

test('any history stays within the budget, evicts nothing in use and serves every caller in the end', async () => {
  const step = fc.record({
    keys: fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { minLength: 1, maxLength: 4 }),
    fails: fc.boolean(),
    holdTurns: fc.nat(4),
    abortAfter: fc.option(fc.nat(3), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const cache = new SlabCache<TestSlab>(40);
      const use = async ({ keys, fails, holdTurns, abortAfter }: (typeof steps)[number]) => {
        const controller = new AbortController();
        const group: SlabGroup<TestSlab> = {
          keys,
          bytesEach: 10,
          read: async (first, count, signal) => {
            await turns();
            signal.throwIfAborted();
            if (fails) throw new Error('no disk');
            return keys.slice(first, first + count).map((key) => ({ key, byteLength: 10 }));
          },
        };
        const acquired = cache.acquire([group], controller.signal);
        if (abortAfter !== undefined) {
          void (async () => {
            for (let i = 0; i < abortAfter; i++) await turns();
            controller.abort(new Error('enough'));
          })();
        }
        const lease = await acquired;
        try {
          for (let i = 0; i < holdTurns; i++) {
            expect(keysOf(lease)).toEqual([keys]);
            expect(keys.every((key) => cache.has(key))).toBe(true);
            expect(cache.statistics().usedBytes).toBeLessThanOrEqual(40);
            await turns();
          }
        } finally {
          lease.release();
        }
      };
      const outcomes = await Promise.allSettled(steps.map(use));
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason.message).toMatch(/no disk|enough/);
      }
      await turns();
      expect(cache.statistics()).toMatchObject({ leasedBytes: 0, waiting: 0 });
      expect(cache.statistics().usedBytes).toBe(10 * cache.statistics().slabs);
    }),
    { numRuns: 60 },
  );
});
