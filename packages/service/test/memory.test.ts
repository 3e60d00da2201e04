import { problemOf } from '@contrails/platform/http/problem-of';
import { defineJob, type JobHandler } from '@contrails/platform/jobs';
import type { JobContext } from '@contrails/platform/jobs/jobs';
import { workMemoryBytes } from '@contrails/platform/memory-limit';
import { MemoryBudget, WaitLimit } from '@contrails/runtime';
import { UnavailableError } from '@contrails/runtime/errors';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { reserveOf } from '../src/services.ts';
import { type LazyMet, withWaitLimit } from '../src/weather/lazy-met.ts';
import { withMemory } from '../src/worker.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** A process that is at its limit whatever it does. */
const fullMemory = () => new MemoryBudget({ limitBytes: GIB, residentBytes: () => 2 * GIB });

test('a process takes nine tenths of the memory, or what is configured', () => {
  const limit = (memory_mib: number | 'auto', bytes: number) =>
    workMemoryBytes({ server: { memory_mib } as never }, bytes) / MIB;
  expect(limit('auto', 10 * GIB)).toBe(9216);
  expect(limit('auto', 2 * GIB)).toBe(2048 - 400);
  expect(limit('auto', 1000 * MIB)).toBe(800);
  expect(limit(300, GIB)).toBe(300);
});

test('a request beyond the limit waits and gets 503 with the time to try again; the first one runs', async () => {
  const reserve = reserveOf(fullMemory(), () => new WaitLimit(5));
  const first = await reserve('flights', 10 * MIB);
  const refused = await reserve('flights', 10 * MIB).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UnavailableError);
  expect(problemOf(refused, '/v0/trajectory/cocip')).toMatchObject({
    problem: { name: 'unavailable' },
    options: { headers: { 'retry-after': '5' } },
  });
  first.release();
  (await reserve('flights', 10 * MIB)).release();
});

test('work that is estimated at more than the whole memory takes half of it', async () => {
  const memory = new MemoryBudget({ limitBytes: GIB, residentBytes: () => 0 });
  expect((await reserveOf(memory)('flights', 5 * GIB)).bytes).toBe(GIB / 2);
});

test('the second job waits until the first has left its memory, also when that fails', async () => {
  const memory = fullMemory();
  const started: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const kind = defineJob({ name: 'trial', payload: Type.String(), attempts: 1 });
  const handler = withMemory(
    {
      kind,
      run: (name: string) =>
        new Promise<void>((resolve, reject) => {
          started.push(name);
          ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
        }),
    } as JobHandler,
    reserveOf(memory),
  );
  const context = { signal: new AbortController().signal } as JobContext;
  const one = handler.run('one', context);
  const two = handler.run('two', context);
  await until('the first has started', () => started.length > 0);
  await until('the second waits', () => memory.statistics().waiting === 1);
  expect(started).toEqual(['one']);
  ends.get('one')?.(new Error('no disk'));
  await expect(one).rejects.toThrow('no disk');
  await until('the second has started', () => started.length === 2);
  ends.get('two')?.();
  await two;
  expect(memory.usage()).toEqual({ jobs: 0 });
});

test('a request waits for the memory of weather for a while, a job does not limit its wait', async () => {
  const asked: unknown[] = [];
  const met = {
    open: async () => ({ openWeather: async (_: unknown, options: unknown) => asked.push(options) }),
  } as unknown as LazyMet;
  const { signal } = new AbortController();
  const waitLimit = new WaitLimit(10);
  await (await met.open()).openWeather({} as never, { signal });
  await (await withWaitLimit(met, () => waitLimit).open()).openWeather({} as never, { signal });
  expect(asked).toEqual([{ signal }, { signal, waitLimit }]);
});
