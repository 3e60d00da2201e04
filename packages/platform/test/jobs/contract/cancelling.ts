import { ConflictError, NotFoundError } from '@contrails/runtime/errors';
import { describe, expect } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { handleJob, requestJob } from '../../../src/jobs/define.ts';
import { endless, type JobsTest, numbered, reaching, recording, UNKNOWN } from '../fixture.ts';

export function describeCancelling(test: JobsTest): void {
  describe('cancelling', () => {
    test('a queued job, and those that wait for it, are cancelled at once', async ({ queue }) => {
      const a = requestJob(numbered, { n: 1 });
      const [first, second] = await queue.jobs.enqueueAll([
        a,
        requestJob(numbered, { n: 2 }, { after: [a] }),
      ]);
      await queue.jobs.cancel(first?.id ?? '');
      expect(await queue.jobs.get(first?.id ?? '')).toMatchObject({ state: 'cancelled', attempt: 0 });
      const dependant = await queue.jobs.get(second?.id ?? '');
      expect(dependant).toMatchObject({ state: 'cancelled' });
      expect(dependant?.error).toContain(first?.id);
      const seen: number[] = [];
      queue.work([recording(seen)]);
      await queue.jobs.enqueue(numbered, { n: 3 });
      await queue.idle();
      expect(seen).toEqual([3]);
    });

    test('the signal of a running job aborts on any worker, and the job cannot be completed', async ({
      queue,
    }) => {
      const { id } = await queue.jobs.enqueue(numbered, { n: 1 });
      const { handler, started, reason } = endless(numbered);
      const worker = queue.work([handler], 1, await queue.join());
      await started;
      await queue.jobs.cancel(id);
      await until('the signal has aborted', () => reason() !== undefined);
      await until('the worker is idle', () => worker.running === 0);
      expect(await queue.jobs.get(id)).toMatchObject({ state: 'cancelled', attempt: 1 });
    });

    test('a job that is cancelled while its handler finishes ends once, as the answer says', async ({
      queue,
    }) => {
      const other = await queue.join();
      const finishing = new Map<number, () => void>();
      const handler = handleJob(numbered, async ({ n }) => {
        await new Promise<void>((resolve) => finishing.set(n, resolve));
        return { n };
      });
      const worker = queue.work([handler], 1, other);
      for (let n = 0; n < 8; n++) {
        const { id } = await queue.jobs.enqueue(numbered, { n });
        await until('the job runs', () => finishing.has(n));
        // Half of the handlers finish before the call, half after it.
        if (n % 2 === 0) finishing.get(n)?.();
        const cancelling = queue.jobs.cancel(id);
        finishing.get(n)?.();
        const answer = await cancelling.then(
          () => 'cancelled',
          (error: unknown) => error,
        );
        const seen = await Promise.all([queue.jobs.get(id), other.jobs.get(id)]);
        await until('the worker is idle', () => worker.running === 0);
        seen.push(await queue.jobs.get(id));
        const ended =
          answer === 'cancelled' ? { state: 'cancelled', result: null } : { state: 'done', result: { n } };
        if (answer !== 'cancelled') expect(answer).toBeInstanceOf(ConflictError);
        for (const job of seen) expect(job).toMatchObject({ ...ended, finishedMs: expect.any(Number) });
      }
    });

    test('a cancelled job can be retried', async ({ queue }) => {
      const a = requestJob(numbered, { n: 1 });
      const made = await queue.jobs.enqueueAll([a, requestJob(numbered, { n: 2 }, { after: [a] })]);
      await queue.jobs.cancel(made[0]?.id ?? '');
      await queue.jobs.retry(made[0]?.id ?? '');
      const seen: number[] = [];
      queue.work([recording(seen)]);
      await queue.idle();
      expect(seen).toEqual([1, 2]);
    });

    test('a job that does not exist or has ended cannot be cancelled, nor one retried that has not failed', async ({
      queue,
    }) => {
      await expect(queue.jobs.cancel(UNKNOWN)).rejects.toThrow(NotFoundError);
      await expect(queue.jobs.cancel("no id'; --")).rejects.toThrow(NotFoundError);
      await expect(queue.jobs.retry(UNKNOWN)).rejects.toThrow(NotFoundError);
      const { id } = await queue.jobs.enqueue(numbered, { n: 1 });
      await expect(queue.jobs.retry(id)).rejects.toThrow(ConflictError);
      queue.work([recording([])]);
      await reaching(queue.jobs, id, 'done');
      await expect(queue.jobs.cancel(id)).rejects.toThrow(ConflictError);
      await expect(queue.jobs.retry(id)).rejects.toThrow(ConflictError);
    });
  });
}
