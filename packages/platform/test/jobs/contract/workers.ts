import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { handleJob, requestJob } from '../../../src/jobs/define.ts';
import { WORKER_DIED } from '../../../src/jobs/sentences.ts';
import { endless, type JobsTest, like, numbered, reaching, recording } from '../fixture.ts';

export function describeWorkers(test: JobsTest): void {
  describe('workers that stop or die', () => {
    test('a stopping worker lets its jobs finish', async ({ queue }) => {
      const { id } = await queue.jobs.enqueue(numbered, { n: 1 });
      const finish = Promise.withResolvers<void>();
      const worker = queue.work([handleJob(numbered, () => finish.promise)]);
      await reaching(queue.jobs, id, 'running');
      const stopped = worker.stop({ graceSeconds: 30 });
      finish.resolve();
      await stopped;
      expect(await queue.jobs.get(id)).toMatchObject({ state: 'done', attempt: 1 });
    });

    test('what a stopping worker cannot finish is handed back without spending an attempt', async ({
      queue,
    }) => {
      const kind = like({ attempts: 1 });
      const { id } = await queue.jobs.enqueue(kind, { n: 1 });
      const { handler, started } = endless(kind);
      const worker = queue.work([handler]);
      await started;
      await worker.stop({ graceSeconds: 0 });
      expect(await queue.jobs.get(id)).toMatchObject({ state: 'queued', attempt: 0 });
      queue.work([recording([])], 1, await queue.join());
      expect(await reaching(queue.jobs, id, 'done')).toMatchObject({ attempt: 1 });
    });

    test('a worker that is stopped takes no more jobs', async ({ queue }) => {
      const worker = queue.work([recording([])]);
      await worker.stop();
      await worker.stop();
      const { id } = await queue.jobs.enqueue(numbered, { n: 1 });
      await sleep(400);
      expect((await queue.jobs.get(id))?.state).toBe('queued');
    });

    test('the job of a worker that died is taken over', async ({ queue }) => {
      const { id } = await queue.jobs.enqueue(like({ leaseSeconds: 1 }), { n: 1 });
      const dead = await queue.join();
      const { handler, started } = endless(numbered);
      queue.work([handler], 1, dead);
      await started;
      await dead.database.close();
      queue.work([recording([])]);
      expect(await reaching(queue.jobs, id, 'done')).toMatchObject({ attempt: 2 });
    });

    test('a worker that lost its lease can neither complete, fail nor hand back the job', async ({
      queue,
    }) => {
      const kind = like({ leaseSeconds: 1 });
      const { id } = await queue.jobs.enqueue(kind, { n: 1 });
      const [stalled] = await queue.engine.claim([kind.name], 1);
      if (stalled === undefined) throw new Error('nothing was claimed');
      const [taken] = await until('the job is taken over', async () => {
        await queue.engine.upkeep();
        const claims = await queue.engine.claim([kind.name], 1);
        return claims.length > 0 && claims;
      });
      if (taken === undefined) throw new Error('nothing was taken over');
      expect(taken).toMatchObject({ id, attempt: 2 });
      expect(await queue.engine.complete(stalled, 'stale')).toBe(false);
      expect(await queue.engine.fail(stalled, 'stale', true)).toBe(false);
      expect(await queue.engine.release(stalled)).toBe(false);
      await queue.engine.progress(stalled, 0.9, 'stale');
      expect(await queue.engine.lost([stalled])).toEqual(new Map([[id, 'taken over']]));
      expect(await queue.engine.lost([taken])).toEqual(new Map());
      expect(await queue.engine.complete(taken, 'fresh')).toBe(true);
      expect(await queue.engine.complete(taken, 'twice')).toBe(false);
      expect(await queue.jobs.get(id)).toMatchObject({ state: 'done', result: 'fresh', note: null });
    });

    test('a job whose worker dies at the last attempt has failed, with those that wait for it', async ({
      queue,
    }) => {
      const kind = like({ leaseSeconds: 1, attempts: 1 });
      const a = requestJob(kind, { n: 1 });
      const made = await queue.jobs.enqueueAll([a, requestJob(kind, { n: 2 }, { after: [a] })]);
      await queue.engine.claim([kind.name], 1);
      queue.work([]);
      expect(await reaching(queue.jobs, made[0]?.id ?? '', 'failed')).toMatchObject({ error: WORKER_DIED });
      const dependant = await reaching(queue.jobs, made[1]?.id ?? '', 'failed');
      expect(dependant.error).toContain(WORKER_DIED);
    });

    test('a lease that is renewed is not lost', async ({ queue }) => {
      // Longer than a busy machine keeps the worker from renewing it.
      const kind = like({ leaseSeconds: 10 });
      const { id } = await queue.jobs.enqueue(kind, { n: 1 });
      const finish = Promise.withResolvers<void>();
      queue.work([handleJob(kind, () => finish.promise)]);
      queue.work([recording([])], 1, await queue.join());
      await reaching(queue.jobs, id, 'running');
      await sleep(15_000);
      finish.resolve();
      expect(await reaching(queue.jobs, id, 'done')).toMatchObject({ attempt: 1, result: null });
    });
  });
}
