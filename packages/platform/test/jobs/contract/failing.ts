import { Type } from 'typebox';
import { describe, expect } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { defineJob, handleJob, requestJob } from '../../../src/jobs/define.ts';
import { FinalJobError } from '../../../src/jobs/outcome.ts';
import { endless, type JobsTest, like, numbered, reaching } from '../fixture.ts';

export function describeFailing(test: JobsTest): void {
  describe('failing', () => {
    test('a job is tried again until it works, and shows its last error meanwhile', async ({ queue }) => {
      const attempts: number[] = [];
      const { id } = await queue.jobs.enqueue(numbered, { n: 1 });
      const job = handleJob(numbered, async (_, { attempt }) => {
        attempts.push(attempt);
        if (attempt === 2) expect((await queue.jobs.get(id))?.error).toBe('failed once');
        if (attempt < 3) throw new Error(attempt === 1 ? 'failed once' : 'failed twice');
      });
      queue.work([job]);
      expect(await reaching(queue.jobs, id, 'done')).toMatchObject({ attempt: 3, error: null });
      expect(attempts).toEqual([1, 2, 3]);
    });

    test('the next attempt waits at least for the backoff', async ({ queue }) => {
      const starts: number[] = [];
      const patient = like({ name: 'test.patient', backoffSeconds: 1 });
      const { id } = await queue.jobs.enqueue(patient, { n: 1 });
      const job = handleJob(patient, async (_, { attempt }) => {
        starts.push(Date.now());
        if (attempt === 1) throw new Error('not yet');
      });
      queue.work([job]);
      await reaching(queue.jobs, id, 'done');
      expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(999);
    });

    test('after the last attempt it has failed for good, with its error', async ({ queue }) => {
      const kind = like({ name: 'test.fails', attempts: 3 });
      const { id } = await queue.jobs.enqueue(kind, { n: 1 });
      let runs = 0;
      const job = handleJob(kind, async () => {
        runs += 1;
        throw new TypeError(`fault ${runs} with a NUL \0`);
      });
      queue.work([job]);
      expect(await reaching(queue.jobs, id, 'failed')).toMatchObject({
        attempt: 3,
        attempts: 3,
        result: null,
        error: 'TypeError: fault 3 with a NUL \ufffd',
      });
      expect(runs).toBe(3);
    });

    test('a retried job has all its attempts again', async ({ queue }) => {
      const kind = like({ name: 'test.fails', attempts: 2 });
      const { id } = await queue.jobs.enqueue(kind, { n: 1 });
      let runs = 0;
      const job = handleJob(kind, async () => {
        runs += 1;
        if (runs < 4) throw new Error('not yet');
      });
      queue.work([job]);
      await reaching(queue.jobs, id, 'failed');
      await queue.jobs.retry(id);
      expect(await reaching(queue.jobs, id, 'done')).toMatchObject({ attempt: 4 });
    });

    test('all failed jobs of a kind can be retried at once', async ({ queue }) => {
      let broken = true;
      const kind = like({ name: 'test.fails', attempts: 1 });
      const fails = [1, 2, 3].map((n) => requestJob(kind, { n }));
      await queue.jobs.enqueueAll([...fails, requestJob(kind, { n: 4 }, { after: fails })]);
      const job = handleJob(kind, async () => {
        if (broken) throw new Error('no');
      });
      queue.work([job]);
      await until('4 jobs have failed', async () => (await queue.jobs.counts()).failed === 4);
      broken = false;
      expect(await queue.jobs.retryFailed('test.other')).toBe(0);
      expect(await queue.jobs.retryFailed()).toBe(3);
      await until('4 jobs are done', async () => (await queue.jobs.counts()).done === 4);
    });

    test('an error that is final, or a wrong payload, spends no further attempt', async ({ queue }) => {
      const kind = like({ name: 'test.fails' });
      const { id } = await queue.jobs.enqueue(kind, { n: 1 });
      const job = handleJob(kind, async () => {
        throw new FinalJobError('there is no such day');
      });
      const worker = queue.work([job]);
      expect(await reaching(queue.jobs, id, 'failed')).toMatchObject({
        attempt: 1,
        error: 'there is no such day',
      });
      await worker.stop();
      const later = defineJob({
        name: kind.name,
        attempts: kind.attempts,
        payload: Type.Object({ m: Type.Integer() }),
      });
      const old = await queue.jobs.enqueue(kind, { n: 2 });
      queue.work([handleJob(later, async () => undefined)]);
      expect(await reaching(queue.jobs, old.id, 'failed')).toMatchObject({ attempt: 1 });
    });

    test('a result that is not JSON fails the job', async ({ queue }) => {
      const { id } = await queue.jobs.enqueue(numbered, { n: 1 });
      queue.work([handleJob(numbered, async () => ({ big: 1n }))]);
      expect((await reaching(queue.jobs, id, 'failed')).error).toContain('JSON');
    });

    test('a job that takes longer than its limit fails', async ({ queue }) => {
      const kind = like({ name: 'test.slow', attempts: 1, timeLimitSeconds: 0.2 });
      const { id } = await queue.jobs.enqueue(kind, { n: 1 });
      queue.work([endless(kind).handler]);
      expect((await reaching(queue.jobs, id, 'failed')).error).toContain('0.2 s');
    });
  });
}
