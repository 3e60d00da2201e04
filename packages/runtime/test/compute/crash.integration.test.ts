import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Compute, ComputeCrashError, openCompute } from '../../src/compute/index.ts';
import { UsageError } from '../../src/errors.ts';
import type { Fault } from './kernels/fault.kernel.ts';
import { brokenModule, echo, fault, missingModule, notAKernel, spin } from './kernels.ts';

let compute: Compute;
let crashes: ComputeCrashError[];

beforeEach(() => {
  crashes = [];
  compute = openCompute({
    threads: 2,
    maxQueue: 20,
    graceMs: 200,
    heapMb: 24,
    onCrash: (error) => crashes.push(error),
  });
});

afterEach(() => compute.close());

const CRASHES: [Fault, string][] = [
  ['uncaught', 'the compute thread running fault.kernel.ts crashed: this is not caught'],
  ['exit', 'the compute thread running fault.kernel.ts exited with code 7'],
  ['heap', 'the compute thread running fault.kernel.ts ran out of its 24 MB of heap'],
];

describe.each(CRASHES)('a thread that dies (%s)', (kind, message) => {
  test('fails its own task with a clear error, and no other', async () => {
    const others = Array.from({ length: 6 }, () => compute.run(spin, { ms: 20 }));
    const failing = compute.run(fault, { fault: kind, inBlock: 0 });
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ComputeCrashError);
    expect((error as Error).message).toContain(message);
    expect(await Promise.all(others)).toEqual(Array(6).fill('spun'));
  });

  test('is replaced', async () => {
    await expect(compute.run(fault, { fault: kind, inBlock: 0 })).rejects.toThrow(message);
    expect(compute.state()).toMatchObject({ crashes: 1, busy: 0, tasks: 0 });
    expect(crashes.map((error) => error.message)).toEqual([expect.stringContaining(message)]);
    expect(await Promise.all([1, 2, 3, 4].map((i) => compute.run(echo, i)))).toEqual([1, 2, 3, 4]);
  });

  test('fails the whole of a task in blocks', async () => {
    await expect(compute.parallel(fault, { fault: kind, inBlock: 5 }, 50)).rejects.toThrow(message);
    expect(await compute.run(echo, 'alive')).toBe('alive');
  });
});

describe('a kernel that fails without killing its thread', () => {
  test.each<[Fault, string]>([
    ['throw', 'level 3 is outside'],
    ['throw-text', 'just text'],
    ['reject', 'rejected'],
    ['uncloneable', 'could not be cloned'],
  ])('%s is reported to the caller', async (kind, message) => {
    await expect(compute.run(fault, { fault: kind, inBlock: 0 })).rejects.toThrow(message);
    expect(compute.state()).toMatchObject({ started: 1, crashes: 0, busy: 0, tasks: 0 });
  });

  test('the name, the stack and the cause of the error arrive', async () => {
    const error = await compute.run(fault, { fault: 'throw', inBlock: 0 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'RangeError', cause: { message: 'the file ends early' } });
    expect((error as Error).stack).toContain('fault.kernel.ts');
  });

  test('one block that throws fails the task, and the rest of its blocks do not start', async () => {
    await expect(compute.parallel(fault, { fault: 'throw', inBlock: 3 }, 1_000_000)).rejects.toThrow(
      'level 3',
    );
    expect(compute.state()).toMatchObject({ busy: 0, tasks: 0 });
  });
});

describe('a kernel that cannot be run', () => {
  test.each([
    ['a module without a kernel', notAKernel, 'its default export must be made by defineKernel'],
    ['a module that throws', brokenModule, 'this module cannot be loaded'],
    ['a module that is not there', missingModule, 'Cannot find module'],
  ] as const)('%s fails its task, and the thread lives on', async (_name, kernel, message) => {
    await expect(compute.run(kernel, 1)).rejects.toThrow(message);
    expect(await compute.run(echo, 'alive')).toBe('alive');
  });

  test('is refused for an input that cannot be sent to a thread', async () => {
    await expect(compute.run(echo, { f: () => 1 })).rejects.toThrow('cannot be given to a thread');
    expect(await compute.run(echo, 'alive')).toBe('alive');
  });
});

test('a heap too small for V8 to start a thread is refused, for it would end the process', () => {
  expect(() => openCompute({ threads: 1, maxQueue: 0, heapMb: 2 })).toThrow(UsageError);
});

test('a task that keeps crashing threads does not stop the pool from serving', async () => {
  for (let i = 0; i < 8; i++) {
    const [crashed, served] = await Promise.allSettled([
      compute.run(fault, { fault: 'exit', inBlock: 0 }),
      compute.run(echo, i),
    ]);
    expect([crashed.status, served.status]).toEqual(['rejected', 'fulfilled']);
  }
  expect(compute.state().crashes).toBe(8);
});
