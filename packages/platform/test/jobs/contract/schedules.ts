import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import { describe, expect } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { createSchedules } from '../../../src/jobs/schedules.ts';
import { type JobsTest, numbered, recording } from '../fixture.ts';

export function describeSchedules(test: JobsTest): void {
  describe('schedules', () => {
    test('however many workers there are, each time makes one job', async ({ queue }) => {
      await queue.jobs.schedule('tick', '* * * * * *', numbered, { n: 1 }, { priority: 4 });
      const seats = [queue, await queue.join(), await queue.join()];
      await sleep(1_100);
      const ticking = seats.map((each) => createSchedules(each.database, each.engine));
      await Promise.all([...ticking, ...ticking].map((schedules) => schedules.tick()));
      const { jobs } = await queue.jobs.list();
      expect(jobs).toMatchObject([{ kind: 'test.numbered', payload: { n: 1 }, priority: 4 }]);
    });

    test('workers run what is scheduled until it is unscheduled', async ({ queue }) => {
      await queue.jobs.schedule('tick', '* * * * * *', numbered, { n: 1 });
      queue.work([recording([])]);
      queue.work([recording([])], 1, await queue.join());
      await until('two jobs are done', async () => (await queue.jobs.counts()).done >= 2);
      expect(await queue.jobs.unschedule('tick')).toBe(true);
      expect(await queue.jobs.unschedule('tick')).toBe(false);
      await queue.idle();
      const { jobs } = await queue.jobs.list();
      const seconds = jobs.map((job) => Math.floor(job.createdMs / 1000));
      expect(jobs.length).toBeLessThanOrEqual((seconds[0] ?? 0) - (seconds.at(-1) ?? 0) + 1);
    });

    test('setting a schedule again, as every worker does at its start, does not delay it', async ({
      queue,
    }) => {
      const next = async () =>
        (await queue.database.query<{ next_ms: number }>('SELECT next_ms FROM job_schedules'))[0]?.next_ms;
      await queue.jobs.schedule('tick', '0 3 * * *', numbered, { n: 1 });
      await queue.database.execute('UPDATE job_schedules SET next_ms = 5');
      await queue.jobs.schedule('tick', '0 3 * * *', numbered, { n: 2 });
      expect(await next()).toBe(5);
      await queue.jobs.schedule('tick', '0 4 * * *', numbered, { n: 2 });
      expect(new Date((await next()) ?? 0).toISOString()).toMatch(/T04:00:00/);
    });

    test('times missed are made up by one job', async ({ queue }) => {
      await queue.jobs.schedule('tick', '0 * * * *', numbered, { n: 1 });
      await queue.database.execute('UPDATE job_schedules SET next_ms = next_ms - $1', [7 * HOUR_MS]);
      const schedules = createSchedules(queue.database, queue.engine);
      await schedules.tick();
      await schedules.tick();
      expect((await queue.jobs.list()).jobs).toHaveLength(1);
    });

    test.for(['', 'hourly', '61 * * * *', '* * * *'])(
      'the schedule %j is refused',
      async (cron, { queue }) => {
        await expect(queue.jobs.schedule('tick', cron, numbered, { n: 1 })).rejects.toThrow(UsageError);
      },
    );
  });
}
