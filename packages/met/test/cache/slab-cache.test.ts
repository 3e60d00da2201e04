import { WaitLimit } from '@contrails/runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Arena } from '../../src/cache/arena.ts';
import { type AcquireOptions, type Lease, SlabCache, type SlabGroup } from '../../src/cache/slab-cache.ts';
import { MetError } from '../../src/errors.ts';

interface TestSlab {
  readonly key: string;
  readonly values: Float32Array;
}

const SLAB_BYTES = 8;
/** Room for so many slabs. */
const arenaOf = (slabs: number) => new Arena(slabs * SLAB_BYTES);

/** A group of slabs of `SLAB_BYTES` each, with a record of what was read and a door that holds reads back. */
function readings() {
  const read: string[][] = [];
  const promoted: string[][] = [];
  const doors: { keys: readonly string[]; signal: AbortSignal; open: (error?: Error) => void }[] = [];
  let held = false;
  let waits = false;
  const group = (keys: readonly string[]): SlabGroup<TestSlab> => ({
    keys,
    bytesEach: SLAB_BYTES,
    read: async (first, count, signal, memory) => {
      const wanted = keys.slice(first, first + count);
      read.push([...wanted]);
      memory.wantedByClient.then(() => promoted.push([...wanted]));
      if (!waits) memory.begin();
      if (held) {
        await new Promise<void>((resolve, reject) => {
          doors.push({ keys: wanted, signal, open: (error) => (error ? reject(error) : resolve()) });
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      }
      return wanted.map((key, i) => slabOf(key, memory.floats(i, 2)));
    },
  });
  return {
    group,
    read,
    /** Reads of jobs that a client came to need. */
    promoted,
    doors,
    hold: () => {
      held = true;
    },
    /** Reads that do not begin. */
    wait: () => {
      held = true;
      waits = true;
    },
  };
}

const slabOf = (key: string, values: Float32Array): TestSlab => ({ key, values: values.fill(codeOf(key)) });
const codeOf = (key: string) => key.codePointAt(0) ?? 0;

/** Names of the slabs, whose values have to be their own. */
const keysOf = ({ slabs }: Lease<TestSlab>) =>
  slabs.map((list) =>
    list.map(({ key, values }) => {
      expect([...values]).toEqual([codeOf(key), codeOf(key)]);
      return key;
    }),
  );
const turns = () => new Promise((resolve) => setImmediate(resolve));

describe('reading', () => {
  test('what is there is not read again, neighbours that are missing are read together', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(100));
    const { group, read } = readings();
    await cache.acquire([group(['c'])]);
    const lease = await cache.acquire([group(['a', 'b', 'c', 'd'])]);
    expect(keysOf(lease)).toEqual([['a', 'b', 'c', 'd']]);
    expect(read).toEqual([['c'], ['a', 'b'], ['d']]);
    expect(cache.statistics()).toMatchObject({ hits: 1, misses: 4, slabs: 4, usedBytes: 4 * SLAB_BYTES });
  });

  test('no more is read at once than fits into a batch', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(100), 20);
    const { group, read } = readings();
    await cache.acquire([group(['a', 'b', 'c', 'd', 'e'])]);
    expect(read).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  test('a slab that several callers want is read once', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(100));
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
    const cache = new SlabCache<TestSlab>(arenaOf(100));
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
    const cache = new SlabCache<TestSlab>(arenaOf(100));
    const { group } = readings();
    const failing: SlabGroup<TestSlab> = {
      keys: ['x'],
      bytesEach: SLAB_BYTES,
      read: () => Promise.reject(new Error('no disk')),
    };
    await expect(cache.acquire([group(['a']), failing])).rejects.toThrow('no disk');
    expect(cache.statistics()).toMatchObject({ leasedBytes: 0, usedBytes: SLAB_BYTES });
  });
});

describe('memory', () => {
  test('the longest unused goes first', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(3));
    const { group } = readings();
    for (const key of ['a', 'b', 'c']) (await cache.acquire([group([key])])).release();
    (await cache.acquire([group(['a'])])).release();
    (await cache.acquire([group(['d'])])).release();
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.has(key))).toEqual(['a', 'c', 'd']);
    expect(cache.statistics().evictions).toBe(1);
  });

  test('slabs in use stay, and a caller that needs their room waits', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(2));
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
    expect(cache.statistics()).toMatchObject({ waiting: 0, usedBytes: 2 * SLAB_BYTES });
  });

  test('a caller waits for the turn of its reads no longer than it likes, and for a read that has begun', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(10));
    const { group, hold, wait, doors } = readings();
    hold();
    const waitLimit = new WaitLimit(20);
    const begun = cache.acquire([group(['a'])], { waitLimit });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(waitLimit.leftMs).toBeGreaterThan(0);
    doors[0]?.open();
    expect(keysOf(await begun)).toEqual([['a']]);

    wait();
    const left = cache.acquire([group(['a', 'b'])], { waitLimit: new WaitLimit(20) });
    await expect(left).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('try again'),
    });
    expect(doors[1]?.signal.aborted).toBe(true);
    // What is in memory is there at once, also for those who do not wait.
    expect(keysOf(await cache.acquire([group(['a'])], { waitLimit: new WaitLimit(0) }))).toEqual([['a']]);
  });

  test('a caller waits for memory no longer than it likes, and lets the next one pass', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(3));
    const { group } = readings();
    await cache.acquire([group(['a', 'b'])]);
    const overdue = cache.acquire([group(['c', 'd'])], { waitLimit: new WaitLimit(5) });
    const next = cache.acquire([group(['e'])], { waitLimit: new WaitLimit(1000) });
    await expect(overdue).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/met\.memory_mib.*try again later/),
    });
    expect(keysOf(await next)).toEqual([['e']]);
  });

  test('what fits in bytes but not in the regions of the memory is refused, not waited for', async () => {
    const arena = new Arena(6 * SLAB_BYTES, { regionBytes: 2.5 * SLAB_BYTES, alignment: 4 });
    const cache = new SlabCache<TestSlab>(arena);
    const { group } = readings();
    await expect(cache.acquire([group([...'abcde'])])).rejects.toMatchObject({ kind: 'too-large' });
    expect(keysOf(await cache.acquire([group([...'abcd'])]))).toEqual([['a', 'b', 'c', 'd']]);
  });

  test('a caller that needs nothing new does not wait behind others', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(2));
    const { group } = readings();
    await cache.acquire([group(['a', 'b'])]);
    void cache.acquire([group(['c'])]).catch(() => {});
    expect(keysOf(await cache.acquire([group(['a'])]))).toEqual([['a']]);
  });

  test('callers are served in the order of their requests', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(2));
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
    const cache = new SlabCache<TestSlab>(arenaOf(2));
    const { group, read } = readings();
    const error = await cache.acquire([group(['a', 'b', 'c'])]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MetError);
    expect(error).toMatchObject({
      kind: 'too-large',
      message: expect.stringMatching(/ask for a smaller area or a shorter time$/),
    });
    expect(read).toEqual([]);
  });

  test('a slab that is larger than was thought makes room for itself', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(3));
    const { group } = readings();
    (await cache.acquire([group(['a', 'b'])])).release();
    const large: SlabGroup<TestSlab> = {
      keys: ['x'],
      bytesEach: SLAB_BYTES,
      read: async (_first, _count, _signal, memory) => [{ key: 'x', values: memory.floats(0, 4) }],
    };
    const lease = await cache.acquire([large]);
    expect(lease.slabs[0]?.[0]?.values.length).toBe(4);
    expect(cache.statistics()).toMatchObject({ slabs: 1, usedBytes: 2 * SLAB_BYTES, evictions: 2 });
  });

  test('a slab that is larger than was thought is refused where it does not fit', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(3));
    const { group } = readings();
    const sized = (length: number): SlabGroup<TestSlab> => ({
      keys: ['x'],
      bytesEach: SLAB_BYTES,
      read: async (_first, _count, _signal, memory) => [{ key: 'x', values: memory.floats(0, length) }],
    });
    await expect(cache.acquire([sized(8)])).rejects.toMatchObject({ kind: 'too-large' });
    await cache.acquire([group(['a', 'b'])]);
    const waitLimit = new WaitLimit(1000);
    await expect(cache.acquire([sized(4)], { waitLimit })).rejects.toMatchObject({ kind: 'unavailable' });
    expect(cache.statistics()).toMatchObject({ slabs: 2, usedBytes: 2 * SLAB_BYTES });
  });

  test('what lies scattered is read again where it leaves no room in one piece', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(4));
    const { group, read } = readings();
    for (const key of ['a', 'b', 'c', 'd']) (await cache.acquire([group([key])])).release();
    cache.forget((key) => key === 'a' || key === 'c');
    const wide: SlabGroup<TestSlab> = {
      keys: ['x'],
      bytesEach: 2 * SLAB_BYTES,
      read: async (_first, _count, _signal, memory) => [slabOf('x', memory.floats(0, 2))],
    };
    expect(keysOf(await cache.acquire([wide, group(['b', 'd'])]))).toEqual([['x'], ['b', 'd']]);
    expect(read.flat()).toEqual(['a', 'b', 'c', 'd', 'b', 'd']);
  });

  test('a slab that two groups ask for takes its memory once', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(3));
    const { group } = readings();
    const lease = await cache.acquire([group(['a', 'b']), group(['b'])]);
    expect(keysOf(lease)).toEqual([['a', 'b'], ['b']]);
    expect(cache.statistics().usedBytes).toBe(2 * SLAB_BYTES);
  });

  test('thousands of evictions write to the same memory', async () => {
    const arena = arenaOf(3);
    const cache = new SlabCache<TestSlab>(arena);
    const { group } = readings();
    const buffers = new Set<ArrayBufferLike>();
    for (let i = 0; i < 3000; i++) {
      const lease = await cache.acquire([group([String.fromCodePoint(256 + i)])]);
      for (const { values } of lease.slabs.flat()) buffers.add(values.buffer);
      lease.release();
    }
    expect(cache.statistics()).toMatchObject({ evictions: 2997, slabs: 3 });
    expect([...buffers].map(({ byteLength }) => byteLength)).toEqual([3 * SLAB_BYTES]);
    expect(arena.reachedBytes).toBe(3 * SLAB_BYTES);
  });

  test('releasing twice counts once', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(2));
    const { group } = readings();
    const one = await cache.acquire([group(['a'])]);
    await cache.acquire([group(['a'])]);
    one.release();
    one.release();
    expect(cache.statistics().leasedBytes).toBe(SLAB_BYTES);
  });

  test('forgetting leaves what is in use', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(10));
    const { group } = readings();
    (await cache.acquire([group(['a'])])).release();
    await cache.acquire([group(['b'])]);
    cache.forget(() => true);
    expect([cache.has('a'), cache.has('b'), cache.statistics().usedBytes]).toEqual([false, true, SLAB_BYTES]);
  });
});

describe('giving up', () => {
  test('ends a read for which no caller waits any more', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(100));
    const { group, doors, hold } = readings();
    hold();
    const [one, other] = [new AbortController(), new AbortController()];
    const waiting = Promise.allSettled([
      cache.acquire([group(['a', 'b'])], { signal: one.signal }),
      cache.acquire([group(['b'])], { signal: other.signal }),
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

  test('keeps the memory of a read until nothing writes to it any more', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(1));
    const { group } = readings();
    let end = () => {};
    const slow: SlabGroup<TestSlab> = {
      keys: ['x'],
      bytesEach: SLAB_BYTES,
      read: async (_first, _count, signal, memory) => {
        const values = memory.floats(0, 2);
        await new Promise<void>((resolve) => {
          end = resolve;
        });
        values.fill(-1);
        signal.throwIfAborted();
        return [{ key: 'x', values }];
      },
    };
    const controller = new AbortController();
    const given = cache.acquire([slow], { signal: controller.signal }).catch((error: Error) => error.message);
    await turns();
    controller.abort(new Error('enough'));
    expect(await given).toBe('enough');
    const next = cache.acquire([group(['a'])]);
    await turns();
    expect(cache.statistics()).toMatchObject({ waiting: 1, slabs: 0, usedBytes: SLAB_BYTES });
    end();
    expect(keysOf(await next)).toEqual([['a']]);
  });

  test('lets the next caller start the read again', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(100));
    const { group, doors, read, hold } = readings();
    hold();
    const controller = new AbortController();
    const given = cache
      .acquire([group(['a'])], { signal: controller.signal })
      .catch((error: Error) => error.message);
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
    const cache = new SlabCache<TestSlab>(arenaOf(2));
    const { group } = readings();
    const first = await cache.acquire([group(['a', 'b'])]);
    const controller = new AbortController();
    const overdue = cache
      .acquire([group(['c', 'd'])], { signal: controller.signal })
      .catch((error: Error) => error.message);
    const patient = cache.acquire([group(['e'])]);
    controller.abort(new Error('enough'));
    expect(await overdue).toBe('enough');
    first.release();
    expect(keysOf(await patient)).toEqual([['e']]);
    expect(cache.has('c')).toBe(false);
  });

  test('before it began reads nothing', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(2));
    const { group, read } = readings();
    await expect(
      cache.acquire([group(['a'])], { signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toThrow('enough');
    expect(read).toEqual([]);
  });
});

describe('jobs', () => {
  const NOW = { waitLimit: new WaitLimit(0) };

  test('leave a quarter of the memory to requests, which get it at once', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(8));
    const { group } = readings();
    const first = await cache.acquire([group(['a', 'b', 'c', 'd'])]);
    const second = cache.acquire([group(['e', 'f', 'g', 'h'])]);
    const third = cache.acquire([group(['i', 'j', 'k', 'l'])]);
    for (const keys of ['xy', 'zw', 'xyzw']) {
      const lease = await cache.acquire([group([...keys])], NOW);
      expect(keysOf(lease)).toEqual([[...keys]]);
      lease.release();
    }
    expect(cache.statistics().waiting).toBe(2);
    first.release();
    (await second).release();
    expect(keysOf(await third)).toEqual([['i', 'j', 'k', 'l']]);
  });

  test('share what they hold beyond their part', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(4));
    const { group } = readings();
    await cache.acquire([group(['a', 'b', 'c', 'd'])]);
    expect(keysOf(await cache.acquire([group(['b', 'c'])]))).toEqual([['b', 'c']]);
  });

  test('come after requests that wait, also those whose weather is in memory', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(4));
    const { group } = readings();
    (await cache.acquire([group(['d'])])).release();
    const large = await cache.acquire([group(['a', 'b', 'c'])], NOW);
    const order: string[] = [];
    const acquire = async (key: string, options?: AcquireOptions) => {
      const lease = await cache.acquire([group([...key])], options);
      order.push(key);
      lease.release();
    };
    const waiting = [
      acquire('ef'),
      acquire('xy', { waitLimit: new WaitLimit(1000) }),
      acquire('d'),
      acquire('z', { waitLimit: new WaitLimit(1000) }),
    ];
    await turns();
    large.release();
    await Promise.all(waiting);
    expect(order).toEqual(['xy', 'z', 'ef', 'd']);
  });

  test('let a client have what they wait to read', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(100), SLAB_BYTES);
    const { group, read, promoted, doors, wait } = readings();
    wait();
    const job = cache.acquire([group(['a', 'b', 'c'])]);
    const other = cache.acquire([group(['a'])]);
    await turns();
    expect(promoted).toEqual([]);
    const client = cache.acquire([group(['b'])], { waitLimit: new WaitLimit(1000) });
    await turns();
    expect(promoted).toEqual([['b']]);
    for (const { open } of doors) open();
    expect((await Promise.all([job, other, client])).map(keysOf)).toEqual([
      [['a', 'b', 'c']],
      [['a']],
      [['b']],
    ]);
    expect(read).toHaveLength(3);
  });

  test('that can ask for less are told so beyond their part, and requests beyond the whole', async () => {
    const cache = new SlabCache<TestSlab>(arenaOf(4));
    const { group } = readings();
    const all = [group(['a', 'b', 'c', 'd'])];
    await expect(cache.acquire(all, { isDivisible: true })).rejects.toMatchObject({ kind: 'too-large' });
    (await cache.acquire(all, { isDivisible: true, ...NOW })).release();
    expect(keysOf(await cache.acquire(all))).toEqual([['a', 'b', 'c', 'd']]);
  });

  test('of any needs all end while requests for the part of theirs never wait', async () => {
    const key = fc.constantFrom(...'abcdefghijkl');
    const job = fc.record({
      keys: fc.uniqueArray(key, { minLength: 1, maxLength: 8 }),
      units: fc.integer({ min: 1, max: 3 }),
      holdTurns: fc.nat(4),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(job, { minLength: 2, maxLength: 8 }), async (jobs) => {
        const cache = new SlabCache<TestSlab>(arenaOf(8));
        const { group } = readings();
        let left = jobs.length;
        const work = jobs.map(async ({ keys, units, holdTurns }) => {
          for (let i = 0; i < units; i++) {
            // One that needs more than the part of jobs asks for half of it twice.
            const parts = keys.length > 6 ? [keys.slice(0, 4), keys.slice(4)] : [keys];
            for (const part of parts) {
              const lease = await cache.acquire([group(part)], { isDivisible: true });
              for (let turn = 0; turn < holdTurns; turn++) await turns();
              lease.release();
            }
          }
          left--;
        });
        while (left > 0) {
          (await cache.acquire([group(['y', 'z'])], NOW)).release();
          await turns();
        }
        await Promise.all(work);
        expect(cache.statistics()).toMatchObject({ leasedBytes: 0, waiting: 0 });
      }),
      { numRuns: 60 },
    );
  });
});

test('any history stays within the budget, evicts nothing in use and serves every caller in the end', async () => {
  const step = fc.record({
    keys: fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { minLength: 1, maxLength: 4 }),
    fails: fc.boolean(),
    isJob: fc.boolean(),
    holdTurns: fc.nat(4),
    abortAfter: fc.option(fc.nat(3), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const cache = new SlabCache<TestSlab>(arenaOf(4));
      const use = async ({ keys, fails, isJob, holdTurns, abortAfter }: (typeof steps)[number]) => {
        const controller = new AbortController();
        const group: SlabGroup<TestSlab> = {
          keys,
          bytesEach: SLAB_BYTES,
          read: async (first, count, signal, memory) => {
            const parts = Array.from({ length: count }, (_, i) => memory.floats(i, 2));
            await turns();
            // A thread that is being ended writes a while longer.
            for (const part of parts) part.fill(-1);
            await turns();
            signal.throwIfAborted();
            if (fails) throw new Error('no disk');
            return parts.map((part, i) => slabOf(keys[first + i] as string, part));
          },
        };
        const waitLimit = isJob ? undefined : new WaitLimit(60_000);
        const acquired = cache.acquire([group], { signal: controller.signal, waitLimit });
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
            expect(cache.statistics().usedBytes).toBeLessThanOrEqual(4 * SLAB_BYTES);
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
      // Reads that were given up end.
      for (let i = 0; i < 3; i++) await turns();
      expect(cache.statistics()).toMatchObject({ leasedBytes: 0, waiting: 0 });
      expect(cache.statistics().usedBytes).toBe(SLAB_BYTES * cache.statistics().slabs);
    }),
    { numRuns: 60 },
  );
});
