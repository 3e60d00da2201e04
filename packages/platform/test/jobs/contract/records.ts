import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '@contrails/runtime';
import { ValidationError } from '@contrails/runtime/errors';
import { describe, expect } from 'vitest';
import { handleJob, requestJob } from '../../../src/jobs/define.ts';
import { type JobsTest, like, numbered, reaching, recording, UNKNOWN } from '../fixture.ts';

export function describeRecords(test: JobsTest): void {
  describe('listing and pruning', () => {
    test('jobs are listed newest first, in pages, by state and kind', async ({ queue }) => {
      const other = like({ name: 'test.other' });
      for (let n = 0; n < 5; n += 1) await queue.jobs.enqueue(n === 2 ? other : numbered, { n });
      const pages: unknown[][] = [];
      let cursor: string | undefined;
      do {
        const page = await queue.jobs.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
        pages.push(page.jobs.map((job) => (job.payload as { n: number }).n));
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(pages).toEqual([[4, 3], [2, 1], [0]]);
      expect((await queue.jobs.list({ kind: 'test.other' })).jobs).toHaveLength(1);
      await queue.jobs.cancel((await queue.jobs.list()).jobs[0]?.id ?? '');
      expect((await queue.jobs.list({ state: 'cancelled' })).jobs).toMatchObject([{ payload: { n: 4 } }]);
      expect((await queue.jobs.list({ state: 'queued', kind: 'test.numbered' })).jobs).toHaveLength(3);
      expect(await queue.jobs.counts()).toEqual({
        waiting: 0,
        queued: 4,
        running: 0,
        done: 0,
        failed: 0,
        cancelled: 1,
      });
    });

    test('jobs that were made in one call are paged without loss', async ({ queue }) => {
      await queue.jobs.enqueueAll(Array.from({ length: 25 }, (_, n) => requestJob(numbered, { n })));
      const ids = new Set<string>();
      let cursor: string | undefined;
      do {
        const page = await queue.jobs.list({ limit: 7, ...(cursor === undefined ? {} : { cursor }) });
        for (const job of page.jobs) ids.add(job.id);
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(ids.size).toBe(25);
    });

    test.for([{ limit: 0 }, { limit: 1001 }, { cursor: "1'; DROP TABLE jobs" }, { cursor: '12' }])(
      'a page of %j is refused',
      async (query, { queue }) => {
        await expect(queue.jobs.list(query)).rejects.toThrow(ValidationError);
      },
    );

    test('returns no job for an unknown id', async ({ queue }) => {
      expect(await queue.jobs.get(UNKNOWN)).toBeUndefined();
      expect(await queue.jobs.get('../../etc/passwd')).toBeUndefined();
    });

    test('pruning keeps a job whose retry would revive a later one', async ({ queue }) => {
      const first = await queue.jobs.enqueue(numbered, { n: 1 });
      const [claim] = await queue.engine.claim([numbered.name], 1);
      if (claim === undefined) throw new Error('nothing was claimed');
      await queue.engine.fail(claim, 'no weather', true);
      await sleep(20);
      const betweenMs = Date.now();
      await sleep(20);
      const later = await queue.jobs.enqueue(numbered, { n: 2 }, { after: [first.id] });
      expect(await queue.jobs.prune(betweenMs)).toBe(0);
      await queue.jobs.retry(first.id);
      queue.work([recording([])]);
      await reaching(queue.jobs, later.id, 'done');
      expect(await queue.jobs.prune(Date.now() + MINUTE_MS)).toBe(2);
    });

    test('pruning forgets what has ended, and frees its key', async ({ queue }) => {
      const fails = like({ name: 'test.fails', attempts: 1 });
      const done = await queue.jobs.enqueue(numbered, { n: 1 }, { key: 'k' });
      const failed = await queue.jobs.enqueue(fails, { n: 2 });
      const job = handleJob(fails, async () => {
        throw new Error('no');
      });
      const worker = queue.work([recording([]), job]);
      await queue.idle();
      await worker.stop();
      const queued = await queue.jobs.enqueue(numbered, { n: 3 }, { after: [done.id] });
      const waiting = await queue.jobs.enqueue(numbered, { n: 4 }, { after: [queued.id] });
      const before = Date.now() - MINUTE_MS;
      expect(await queue.jobs.prune(before)).toBe(0);
      expect(await queue.jobs.prune(Date.now() + MINUTE_MS)).toBe(2);
      expect(await queue.jobs.get(done.id)).toBeUndefined();
      expect(await queue.jobs.get(failed.id)).toBeUndefined();
      expect((await queue.jobs.enqueue(numbered, { n: 1 }, { key: 'k' })).created).toBe(true);
      queue.work([recording([])]);
      await reaching(queue.jobs, waiting.id, 'done');
    });
  });
}
