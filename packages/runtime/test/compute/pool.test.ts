import { availableParallelism, getPriority, platform } from 'node:os';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { until } from '../../../../test/support/until.ts';
import { type Compute, type ComputeOptions, openCompute } from '../../src/compute/index.ts';
import { CancelledError, UnavailableError } from '../../src/errors.ts';
import { WaitLimit } from '../../src/wait-limit.ts';
import { bytes, counter, echo, kernelMemory, priority, spin, sum } from './kernels.ts';

const FOREVER_MS = 600_000;
const opened: Compute[] = [];

function open(options: Partial<ComputeOptions> = {}): Compute {
  const compute = openCompute({ threads: 2, maxQueue: 100, ...options });
  opened.push(compute);
  return compute;
}

/** For tasks that need no separate pool: starting threads takes longest. */
const common = openCompute({ threads: 2, maxQueue: 100 });
afterAll(() => common.close());

afterEach(async () => {
  await Promise.all(opened.splice(0).map((compute) => compute.close()));
});

function sharedWords(count: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(count * 4));
}

function sharedFloats(values: ArrayLike<number>): Float64Array<SharedArrayBuffer> {
  const shared = new Float64Array(new SharedArrayBuffer(values.length * 8));
  shared.set(values);
  return shared;
}

describe('memory of threads', () => {
  const LARGE = 64 * 2 ** 20;

  test('is reported, that of kernels apart', async () => {
    const compute = open({ threads: 1 });
    await compute.run(kernelMemory, LARGE);
    expect(compute.state().kernelBytes).toBeGreaterThanOrEqual(LARGE);
    expect(compute.state().heapBytes).toBeGreaterThan(2 ** 20);
  });

  test('of an idle thread goes with the thread where kernels took much of it', async () => {
    const compute = open({ threads: 1, idleMs: 30 });
    await compute.run(kernelMemory, LARGE);
    await until('the thread has ended', () => compute.state().started === 0);
    expect(compute.state()).toMatchObject({ kernelBytes: 0, heapBytes: 0, crashes: 0 });
    expect(await compute.run(echo, 'again')).toBe('again');
  });

  test('where it is short, goes with threads whose kernels took much, after what they do', async () => {
    const compute = open({ threads: 1, idleMs: FOREVER_MS });
    await compute.run(kernelMemory, LARGE);
    const seen = sharedWords(2);
    const long = compute.parallel(spin, { ms: 30, seen }, 8);
    const other = compute.run(echo, 'other');
    await until('it works', () => Atomics.load(seen, 0) > 0);
    compute.shrink();
    expect(compute.state().started).toBe(1);
    // What the thread began it ends; the next one goes on with the task.
    expect(await other).toBe('other');
    expect(await long).toEqual(Array(8).fill('spun'));
    expect([...seen]).toEqual([8, 8]);
    expect(compute.state()).toMatchObject({ started: 1, crashes: 0 });
    expect(compute.state().kernelBytes).toBeLessThan(LARGE);
    // Not again and again.
    await compute.run(kernelMemory, LARGE);
    compute.shrink();
    expect(compute.state().started).toBe(1);
  });

  test('where it is short, an idle thread whose kernels took much ends', async () => {
    const compute = open({ threads: 1, idleMs: FOREVER_MS });
    await compute.run(kernelMemory, LARGE);
    compute.shrink();
    expect(compute.state()).toMatchObject({ started: 0, kernelBytes: 0, crashes: 0 });
    expect(await compute.run(echo, 'again')).toBe('again');
  });

  test('a thread with little of it stays', async () => {
    const compute = open({ threads: 1, idleMs: 30 });
    await compute.run(kernelMemory, 1024);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(compute.state()).toMatchObject({ started: 1, crashes: 0 });
  });
});

describe('tasks', () => {
  test('return what the kernel returned', async () => {
    expect(await common.run(echo, { flight: 'DLH1', levels: [300, 350] })).toEqual({
      flight: 'DLH1',
      levels: [300, 350],
    });
  });

  test('a thousand small ones all get their own result', async () => {
    const compute = open({ maxQueue: 1000 });
    const answers = await Promise.all(Array.from({ length: 1000 }, (_, i) => compute.run(echo, i)));
    expect(answers).toEqual(Array.from({ length: 1000 }, (_, i) => i));
    expect(compute.state()).toMatchObject({ busy: 0, tasks: 0, crashes: 0, started: 2 });
  });

  test('auto threads are what the machine gives', () => {
    expect(open({ threads: 'auto' }).threads).toBe(availableParallelism());
  });

  test('no thread is started before there is work, and never more than configured', async () => {
    const compute = open({ threads: 2 });
    expect(compute.state().started).toBe(0);
    await compute.run(echo, 1);
    expect(compute.state().started).toBe(1);
    await Promise.all(Array.from({ length: 20 }, () => compute.run(echo, 1)));
    expect(compute.state().started).toBe(2);
  });

  test('handed-over bytes arrive whole', async () => {
    const made = await common.run(bytes, { length: 3_000_000 });
    expect(made.length).toBe(3_000_000);
    expect(made.every((byte) => byte === 7)).toBe(true);
  });

  test('thread time is reported to the caller', async () => {
    let spentMs = 0;
    await common.run(
      spin,
      { ms: 30 },
      {
        onComputeMs: (ms) => {
          spentMs += ms;
        },
      },
    );
    expect(spentMs).toBeGreaterThanOrEqual(30);
  });

  test('progress grows and ends at 1', async () => {
    const seen: number[] = [];
    await common.run(spin, { ms: 250 }, { onProgress: (fraction) => seen.push(fraction) });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen[0]).toBeLessThan(1);
    expect(seen.at(-1)).toBe(1);
  });

  test('a progress callback that throws fails its own task', async () => {
    const compute = common;
    const failing = compute.run(
      spin,
      { ms: 100 },
      {
        onProgress: () => {
          throw new Error('caller bug');
        },
      },
    );
    await expect(failing).rejects.toThrow('caller bug');
    expect(await compute.run(echo, 'alive')).toBe('alive');
  });
});

describe('blocks', () => {
  test('the result does not depend on threads, slices or blocks of other tasks', async () => {
    const one = open({ threads: 1 });
    const three = open({ threads: 3, sliceMs: 0 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { maxLength: 300 }),
        fc.integer({ min: 1, max: 40 }),
        async (numbers, blockSize) => {
          const values = sharedFloats(numbers);
          const blockCount = Math.ceil(numbers.length / blockSize);
          const alone = sharedFloats(new Float64Array(blockCount));
          const crowded = sharedFloats(new Float64Array(blockCount));
          const [inOrder] = await Promise.all([
            three.parallel(sum, { values, blockSize, sums: crowded }, blockCount),
            three.run(echo, 'a'),
            three.run(echo, 'b'),
            one.parallel(sum, { values, blockSize, sums: alone }, blockCount),
          ]);
          expect(inOrder).toEqual(Array.from({ length: blockCount }, (_, i) => i));
          expect(crowded).toEqual(alone);
        },
      ),
      { numRuns: times(25) },
    );
  });

  test('shared memory is not copied: a thread writes where the caller reads, before it has answered', async () => {
    const seen = sharedWords(2);
    const leaving = new AbortController();
    const running = open().run(spin, { ms: FOREVER_MS, polite: true, seen }, { signal: leaving.signal });
    const waited = Atomics.waitAsync(seen, 0, 0);
    if (waited.async) expect(await waited.value).toBe('ok');
    expect([Atomics.load(seen, 0), Atomics.load(seen, 1)]).toEqual([1, 0]);
    leaving.abort();
    await expect(running).rejects.toBeInstanceOf(CancelledError);
  });

  test('all threads work on one task, each prepared once', async () => {
    const compute = open({ threads: 2 });
    await Promise.all([compute.run(spin, { ms: 10 }), compute.run(spin, { ms: 10 })]);
    const parts = await compute.parallel(counter, { ms: 10 }, 60);
    expect(new Set(parts.map((part) => part.thread)).size).toBe(2);
    expect(parts.every((part) => part.starts === 1)).toBe(true);
  });

  test('a task in many slices is still prepared once per thread', async () => {
    const compute = open({ threads: 1, sliceMs: 0 });
    const long = compute.parallel(counter, { ms: 2 }, 30);
    for (let i = 0; i < 10; i++) await compute.run(echo, i);
    expect((await long).every((part) => part.starts === 1)).toBe(true);
  });

  test('no blocks give an empty result', async () => {
    expect(await common.parallel(echo, 1, 0)).toEqual([]);
  });

  test.each([-1, 1.5, Number.NaN, 2 ** 31])('%d blocks are refused', async (blockCount) => {
    await expect(common.parallel(echo, 1, blockCount)).rejects.toThrow('is not possible');
  });

  test('a long task does not starve small ones', async () => {
    const compute = open({ threads: 2, sliceMs: 5 });
    const leaving = new AbortController();
    const long = compute.parallel(spin, { ms: 5 }, 1_000_000, { signal: leaving.signal });
    for (let i = 0; i < 20; i++) expect(await compute.run(echo, i)).toBe(i);
    leaving.abort();
    await expect(long).rejects.toBeInstanceOf(CancelledError);
  });

  test('two long tasks share the threads: the later, smaller one ends first', async () => {
    const compute = open({ threads: 1, sliceMs: 5 });
    const order: string[] = [];
    await Promise.all([
      compute.parallel(spin, { ms: 3 }, 60).then(() => order.push('large')),
      compute.parallel(spin, { ms: 3 }, 10).then(() => order.push('small')),
    ]);
    expect(order).toEqual(['small', 'large']);
  });
});

describe('a full queue', () => {
  test('refuses at once and takes work again when it has room', async () => {
    const compute = open({ threads: 1, maxQueue: 2 });
    const accepted = [1, 2, 3].map(() => compute.run(spin, { ms: 20 }));
    await expect(compute.run(echo, 1)).rejects.toBeInstanceOf(UnavailableError);
    await Promise.all(accepted);
    expect(await compute.run(echo, 1)).toBe(1);
  });

  test('a cancelled waiter makes room at once', async () => {
    const compute = open({ threads: 1, maxQueue: 1 });
    const leaving = new AbortController();
    const running = compute.run(spin, { ms: 50 });
    const waiter = compute.run(echo, 'never', { signal: leaving.signal });
    leaving.abort();
    const next = compute.run(echo, 'next');
    await expect(waiter).rejects.toBeInstanceOf(CancelledError);
    expect(await next).toBe('next');
    await running;
  });
});

describe('a task that may not wait', () => {
  test('is refused at once where the tasks before it take longer, and others wait', async () => {
    const compute = open({ threads: 1 });
    for (let i = 0; i < 60; i++) await compute.run(spin, { ms: 20 });
    const before = Array.from({ length: 10 }, () => compute.run(spin, { ms: 20 }));
    const refused = await compute
      .run(echo, 1, { waitLimit: new WaitLimit(50) })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UnavailableError);
    expect((refused as UnavailableError).retryAfterSeconds).toBeGreaterThan(0);
    expect(compute.state().tasks).toBe(10);
    expect(await compute.run(echo, 2, { waitLimit: new WaitLimit(60_000) })).toBe(2);
    await Promise.all(before);
  });

  test('is refused when it has not begun in time, and goes on when it has', async () => {
    const compute = open({ threads: 1 });
    const running = compute.run(spin, { ms: 400 }, { waitLimit: new WaitLimit(1) });
    await expect(compute.run(echo, 1, { waitLimit: new WaitLimit(1) })).rejects.toBeInstanceOf(
      UnavailableError,
    );
    await running;
    expect(await compute.run(echo, 1, { waitLimit: new WaitLimit(60_000) })).toBe(1);
  });
});

describe('priority', () => {
  const onLinux = test.skipIf(platform() !== 'linux');

  onLinux('threads stand back as they are told, and only they (Linux alone has such threads)', async () => {
    const before = getPriority();
    expect(await open({ niceness: 19 }).run(priority, undefined)).toBe(19);
    expect(getPriority()).toBe(before);
  });

  onLinux('threads are never put before the process (Linux alone has such threads)', async () => {
    expect(await open({ niceness: -20 }).run(priority, undefined)).toBe(getPriority());
  });
});

describe('closing', () => {
  test('lets accepted work finish within the time given', async () => {
    const compute = open({ threads: 1 });
    const accepted = [compute.run(spin, { ms: 30 }), compute.run(echo, 'queued')];
    await compute.close(20_000);
    expect(await Promise.all(accepted)).toEqual(['spun', 'queued']);
    expect(compute.state().started).toBe(0);
  });

  test('cancels what does not finish and leaves no thread', async () => {
    const compute = open({ threads: 1, graceMs: 50 });
    const outcomes = Promise.allSettled([compute.run(spin, { ms: FOREVER_MS }), compute.run(echo, 'queued')]);
    await compute.close(50);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(CancelledError) });
    }
    expect(compute.state()).toMatchObject({ started: 0, tasks: 0, busy: 0 });
  });

  test('refuses new work, and closing twice is one close', async () => {
    const compute = open();
    await Promise.all([compute.close(), compute.close()]);
    await expect(compute.run(echo, 1)).rejects.toBeInstanceOf(UnavailableError);
  });
});
