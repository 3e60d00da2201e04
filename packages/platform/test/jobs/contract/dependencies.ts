import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { handleJob, requestJob } from '../../../src/jobs/define.ts';
import { type JobsTest, like, numbered, reaching, recording } from '../fixture.ts';

export function describeDependencies(test: JobsTest): void {
  describe('dependencies', () => {
    test('a day fans out to hours, and a later job waits for all of them', async ({ queue }) => {
      const seen: number[] = [];
      const hours = Array.from({ length: 24 }, (_, n) => requestJob(numbered, { n }));
      const merge = requestJob(numbered, { n: 99 }, { after: hours, priority: 100 });
      const made = await queue.jobs.enqueueAll([merge, ...hours]);
      expect(await queue.jobs.get(made[0]?.id ?? '')).toMatchObject({ state: 'waiting' });
      queue.work([recording(seen)], 6, await queue.join());
      await queue.idle();
      expect(seen).toHaveLength(25);
      expect(seen.at(-1)).toBe(99);
    });

    test('a chain runs from end to end', async ({ queue }) => {
      const chain = [requestJob(numbered, { n: 0 })];
      for (let n = 1; n < 12; n += 1) chain.push(requestJob(numbered, { n }, { after: chain.slice(-1) }));
      await queue.jobs.enqueueAll(chain);
      const seen: number[] = [];
      queue.work([recording(seen)], 4);
      await queue.idle();
      expect(seen).toEqual(Array.from({ length: 12 }, (_, n) => n));
    });

    test('a job may wait for one that stands already: done, queued or running', async ({ queue }) => {
      const seen: number[] = [];
      const done = await queue.jobs.enqueue(numbered, { n: 1 });
      const worker = queue.work([recording(seen)]);
      await reaching(queue.jobs, done.id, 'done');
      await worker.stop();
      const queued = await queue.jobs.enqueue(numbered, { n: 2 });
      const both = await queue.jobs.enqueue(numbered, { n: 3 }, { after: [queued.id, done.id], priority: 9 });
      expect((await queue.jobs.get(both.id))?.state).toBe('waiting');
      const one = await queue.jobs.enqueue(numbered, { n: 4 }, { after: [done.id], priority: 5 });
      expect((await queue.jobs.get(one.id))?.state).toBe('queued');
      const slow = like({ name: 'test.slow' });
      const finish = Promise.withResolvers<void>();
      const running = await queue.jobs.enqueue(slow, { n: 0 }, { priority: 99 });
      queue.work([recording(seen), handleJob(slow, () => finish.promise)], 2);
      await reaching(queue.jobs, running.id, 'running');
      const last = await queue.jobs.enqueue(numbered, { n: 5 }, { after: [running.id] });
      await reaching(queue.jobs, both.id, 'done');
      expect((await queue.jobs.get(last.id))?.state).toBe('waiting');
      finish.resolve();
      await queue.idle();
      expect(seen).toEqual([1, 4, 2, 3, 5]);
    });

    test('a job may wait for the one that makes it', async ({ queue }) => {
      const seen: string[] = [];
      const parent = like({ name: 'test.parent' });
      const { id } = await queue.jobs.enqueue(parent, { n: 1 });
      queue.work(
        [
          handleJob(numbered, async () => seen.push('child')),
          handleJob(parent, async (_, context) => {
            await context.enqueueAll([requestJob(numbered, { n: 2 }, { after: [context.id] })]);
            await sleep(100);
            seen.push('parent');
          }),
        ],
        2,
      );
      await reaching(queue.jobs, id, 'done');
      await queue.idle();
      expect(seen).toEqual(['parent', 'child']);
    });

    test('a fan-out that is run again makes nothing twice', async ({ queue }) => {
      const parent = like({ name: 'test.parent' });
      const seen: number[] = [];
      const fanOut = handleJob(parent, async (_, { enqueueAll, attempt }) => {
        const hours = [1, 2, 3].map((n) => requestJob(numbered, { n }));
        await enqueueAll([...hours, requestJob(numbered, { n: 99 }, { after: hours })]);
        if (attempt < 3) throw new Error('after the fan-out');
      });
      await queue.jobs.enqueue(parent, { n: 0 }, { owner: 'k1' });
      queue.work([fanOut, recording(seen)], 2);
      await queue.idle();
      expect(seen.sort((a, b) => a - b)).toEqual([1, 2, 3, 99]);
      const { jobs } = await queue.jobs.list({ kind: 'test.numbered' });
      expect(jobs.map((job) => job.owner)).toEqual(['k1', 'k1', 'k1', 'k1']);
    });

    test('a job that waits for one that failed fails with its name, and so do those behind it', async ({
      queue,
    }) => {
      const fails = like({ name: 'test.fails', attempts: 1 });
      const a = requestJob(fails, { n: 1 });
      const b = requestJob(numbered, { n: 2 }, { after: [a] });
      const c = requestJob(numbered, { n: 3 }, { after: [b] });
      const [first, second, third] = await queue.jobs.enqueueAll([a, b, c]);
      queue.work([
        recording([]),
        handleJob(fails, async () => {
          throw new Error('no weather');
        }),
      ]);
      for (const made of [second, third]) {
        const { error, attempt } = await reaching(queue.jobs, made?.id ?? '', 'failed');
        expect(attempt).toBe(0);
        expect(error).toContain(first?.id);
        expect(error).toContain('no weather');
      }
      const late = await queue.jobs.enqueue(numbered, { n: 4 }, { after: [third?.id ?? ''] });
      expect(await queue.jobs.get(late.id)).toMatchObject({ state: 'failed' });
    });

    test('retrying the job that failed revives all that were given up because of it', async ({ queue }) => {
      let broken = true;
      const fails = like({ name: 'test.fails', attempts: 1 });
      const a = requestJob(fails, { n: 1 });
      const b = requestJob(numbered, { n: 2 }, { after: [a] });
      const c = requestJob(numbered, { n: 3 }, { after: [b, a] });
      const made = await queue.jobs.enqueueAll([a, b, c]);
      const [first, second, third] = made.map((job) => job.id) as [string, string, string];
      const seen: number[] = [];
      queue.work([
        recording(seen),
        handleJob(fails, async () => {
          if (broken) throw new Error('no weather');
        }),
      ]);
      await reaching(queue.jobs, third, 'failed');
      await expect(queue.jobs.retry(second)).rejects.toThrow(first);
      broken = false;
      await queue.jobs.retry(first);
      await reaching(queue.jobs, third, 'done');
      expect(seen).toEqual([2, 3]);
      expect(await queue.jobs.get(second)).toMatchObject({ state: 'done', error: null });
    });

    test('a job behind two that failed is revived only by both', async ({ queue }) => {
      let broken = true;
      const fails = like({ name: 'test.fails', attempts: 1 });
      const parents = [1, 2].map((n) => requestJob(fails, { n }));
      const made = await queue.jobs.enqueueAll([
        ...parents,
        requestJob(numbered, { n: 3 }, { after: parents }),
      ]);
      const [one, two, child] = made.map((job) => job.id) as [string, string, string];
      queue.work([
        recording([]),
        handleJob(fails, async () => {
          if (broken) throw new Error('no weather');
        }),
      ]);
      await reaching(queue.jobs, one, 'failed');
      await reaching(queue.jobs, two, 'failed');
      broken = false;
      await queue.jobs.retry(one);
      await reaching(queue.jobs, one, 'done');
      expect((await queue.jobs.get(child))?.state).toBe('failed');
      await queue.jobs.retry(two);
      await reaching(queue.jobs, child, 'done');
    });
  });
}
