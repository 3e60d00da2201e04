import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError, UsageError } from '@contrails/runtime/errors';
import { describe, expect } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { handleJob, requestJob } from '../../../src/jobs/define.ts';
import { type JobsTest, like, log, numbered, reaching, recording } from '../fixture.ts';

export function describeRunning(test: JobsTest): void {
  describe('running', () => {
    test('a job runs once and keeps what its handler returned', async ({ queue }) => {
      const { id, created } = await queue.jobs.enqueue(numbered, { n: 7 }, { owner: 'k1', priority: 3 });
      expect(created).toBe(true);
      queue.work([handleJob(numbered, async ({ n }) => ({ squared: n * n }))]);
      expect(await reaching(queue.jobs, id, 'done')).toMatchObject({
        id,
        kind: 'test.numbered',
        payload: { n: 7 },
        owner: 'k1',
        priority: 3,
        attempt: 1,
        attempts: 5,
        progress: 1,
        result: { squared: 49 },
        error: null,
      });
    });

    test('a handler that returns nothing leaves null', async ({ queue }) => {
      const { id } = await queue.jobs.enqueue(numbered, { n: 1 });
      queue.work([handleJob(numbered, async () => undefined)]);
      expect((await reaching(queue.jobs, id, 'done')).result).toBeNull();
    });

    test('a worker in another process takes a job that is queued while it waits', async ({ queue }) => {
      const other = await queue.join();
      const seen: number[] = [];
      queue.work([recording(seen)], 1, other);
      await sleep(100);
      const { id } = await queue.jobs.enqueue(numbered, { n: 1 });
      await reaching(queue.jobs, id, 'done');
      expect(seen).toEqual([1]);
    });

    test('several workers share the jobs, each of them run once', async ({ queue }) => {
      const runs: number[] = [];
      const numbers = Array.from({ length: 60 }, (_, n) => n);
      await queue.jobs.enqueueAll(numbers.map((n) => requestJob(numbered, { n })));
      for (let i = 0; i < 3; i += 1) queue.work([recording(runs)], 4, await queue.join());
      await queue.idle();
      expect(runs.sort((a, b) => a - b)).toEqual(numbers);
    });

    test('higher priority runs first, and equal ones in the order of their making', async ({ queue }) => {
      for (const [n, priority] of [0, 5, -5, 5, 0, -5].entries()) {
        await queue.jobs.enqueue(numbered, { n }, { priority });
      }
      const seen: number[] = [];
      queue.work([recording(seen)]);
      await queue.idle();
      expect(seen).toEqual([1, 3, 0, 4, 2, 5]);
    });

    test('priority holds across kinds', async ({ queue }) => {
      const other = like({ name: 'test.other' });
      await queue.jobs.enqueue(numbered, { n: 1 });
      await queue.jobs.enqueue(other, { n: 2 }, { priority: 1 });
      const seen: number[] = [];
      queue.work([recording(seen), recording(seen, other)]);
      await queue.idle();
      expect(seen).toEqual([2, 1]);
    });

    test('a job does not start before its time', async ({ queue }) => {
      const runAtMs = Date.now() + 700;
      const { id } = await queue.jobs.enqueue(numbered, { n: 1 }, { runAtMs });
      queue.work([recording([])]);
      const { startedMs } = await reaching(queue.jobs, id, 'done');
      expect(startedMs).toBeGreaterThanOrEqual(runAtMs);
    });

    test('a worker leaves kinds that it does not know to others', async ({ queue }) => {
      const unknown = like({ name: 'test.unknown' });
      const { id } = await queue.jobs.enqueue(unknown, { n: 1 }, { priority: 9 });
      const known = await queue.jobs.enqueue(numbered, { n: 2 });
      queue.work([recording([])]);
      await reaching(queue.jobs, known.id, 'done');
      expect(await queue.jobs.get(id)).toMatchObject({ state: 'queued', attempt: 0 });
      queue.work([recording([], unknown)], 1, await queue.join());
      expect(await reaching(queue.jobs, id, 'done')).toMatchObject({ attempt: 1 });
    });

    test('progress and note can be read while the job runs', async ({ queue }) => {
      const { id } = await queue.jobs.enqueue(numbered, { n: 1 });
      const job = handleJob(numbered, async (_, { progress, signal }) => {
        progress(0.25, 'hour 6');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      });
      queue.work([job]);
      const record = await until('progress is stored', async () => {
        const found = await queue.jobs.get(id);
        return found?.progress === 0.25 && found;
      });
      expect(record).toMatchObject({ state: 'running', note: 'hour 6' });
      await queue.jobs.cancel(id);
    });

    test('two handlers of one kind are refused', async ({ queue }) => {
      expect(() => queue.jobs.work([recording([]), recording([])], { concurrency: 1, log })).toThrow(
        UsageError,
      );
    });

    test('a closed database is unavailable, not broken', async ({ queue }) => {
      const other = await queue.join();
      await other.database.close();
      await expect(other.jobs.enqueue(numbered, { n: 1 })).rejects.toThrow(UnavailableError);
    });
  });
}
