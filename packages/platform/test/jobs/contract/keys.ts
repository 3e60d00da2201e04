import { ValidationError } from '@contrails/runtime/errors';
import { describe, expect } from 'vitest';
import { requestJob } from '../../../src/jobs/define.ts';
import { type JobsTest, like, numbered, reaching, recording } from '../fixture.ts';

export function describeKeys(test: JobsTest): void {
  describe('idempotency keys', () => {
    test('the same key is the same job, also when it has ended', async ({ queue }) => {
      const first = await queue.jobs.enqueue(numbered, { n: 1 }, { key: 'day' });
      expect(await queue.jobs.enqueue(numbered, { n: 2 }, { key: 'day' })).toEqual({
        id: first.id,
        created: false,
      });
      const seen: number[] = [];
      queue.work([recording(seen)]);
      await reaching(queue.jobs, first.id, 'done');
      expect((await queue.jobs.enqueue(numbered, { n: 3 }, { key: 'day' })).created).toBe(false);
      await queue.idle();
      expect(seen).toEqual([1]);
    });

    test('keys of different kinds and owners do not meet', async ({ queue }) => {
      const other = like({ name: 'test.other' });
      const made = [
        await queue.jobs.enqueue(numbered, { n: 1 }, { key: 'day' }),
        await queue.jobs.enqueue(numbered, { n: 1 }, { key: 'day', owner: 'k1' }),
        await queue.jobs.enqueue(numbered, { n: 1 }, { key: 'day', owner: 'k2' }),
        await queue.jobs.enqueue(other, { n: 1 }, { key: 'day' }),
      ];
      expect(new Set(made.map((job) => job.id)).size).toBe(4);
      expect(made.every((job) => job.created)).toBe(true);
    });

    test('of many callers at once one makes the job', async ({ queue }) => {
      const seats = [queue, await queue.join(), await queue.join()];
      const asked = Array.from({ length: 12 }, (_, i) =>
        seats[i % 3]?.jobs.enqueue(numbered, { n: 1 }, { key: 'once' }),
      );
      const answers = await Promise.all(asked);
      expect(answers.filter((answer) => answer?.created)).toHaveLength(1);
      expect(new Set(answers.map((answer) => answer?.id)).size).toBe(1);
    });

    test('callers that make the same jobs in opposite order both get them', async ({ queue }) => {
      const other = await queue.join();
      const requests = Array.from({ length: 20 }, (_, n) => requestJob(numbered, { n }, { key: `${n}` }));
      const [there, back] = await Promise.all([
        queue.jobs.enqueueAll(requests),
        other.jobs.enqueueAll(requests.toReversed()),
      ]);
      expect([...there, ...back].filter((job) => job.created)).toHaveLength(20);
    });

    test('a key twice in one call makes one job', async ({ queue }) => {
      const twins = [1, 1].map((n) => requestJob(numbered, { n }, { key: 'twin' }));
      const [a, b] = await queue.jobs.enqueueAll(twins);
      expect([a?.created, b?.created, a?.id === b?.id]).toEqual([true, false, true]);
    });

    test('a key for two different jobs in one call is refused', async ({ queue }) => {
      const twins = [1, 2].map((n) => requestJob(numbered, { n }, { key: 'twin' }));
      await expect(queue.jobs.enqueueAll(twins)).rejects.toThrow(ValidationError);
    });
  });
}
