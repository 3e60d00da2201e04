import { UsageError } from '@contrails/runtime/errors';
import type { Static, TSchema } from 'typebox';
import type { Database } from '../database/database.ts';
import { requestJob } from './define.ts';
import type { Engine, NewJob } from './engine.ts';
import { jobId } from './identity.ts';
import type { JobKind } from './jobs.ts';
import { prepareJobs } from './prepare.ts';

type Template = Omit<NewJob, 'id' | 'after' | 'runAtMs'>;

export interface Schedules {
  set<Payload extends TSchema>(
    name: string,
    cron: string,
    kind: JobKind<Payload>,
    payload: Static<Payload>,
    priority: number | undefined,
  ): Promise<void>;
  remove(name: string): Promise<boolean>;
  /** Makes the jobs whose time has come; any number of workers may call it at once. */
  tick(): Promise<void>;
}

export function createSchedules(database: Database, engine: Engine): Schedules {
  return {
    async set(name, cron, kind, payload, priority) {
      const options = priority === undefined ? {} : { priority };
      const [job] = prepareJobs([requestJob(kind, payload, options)]);
      if (job === undefined) return;
      const { id: _id, after: _after, runAtMs: _runAt, ...template } = job;
      const next = await nextTime(cron, Date.now());
      await database.execute(
        `INSERT INTO job_schedules (name, cron, template, next_ms) VALUES ($1, $2, $3, $4)
         ON CONFLICT (name) DO UPDATE SET cron = excluded.cron, template = excluded.template,
           next_ms = CASE WHEN job_schedules.cron = excluded.cron THEN job_schedules.next_ms
             ELSE excluded.next_ms END`,
        [name, cron, JSON.stringify(template), next],
      );
    },

    async remove(name) {
      return (await database.execute('DELETE FROM job_schedules WHERE name = $1', [name])) > 0;
    },

    async tick() {
      const nowMs = Date.now();
      const due = await database.query<{ name: string; cron: string; template: string; next_ms: number }>(
        'SELECT name, cron, template, next_ms FROM job_schedules WHERE next_ms <= $1',
        [nowMs],
      );
      for (const { name, cron, template, next_ms } of due) {
        const job: Template = JSON.parse(template);
        // The id comes from the time itself, so two workers, or one that died here, make the same job.
        const id = jobId(job.kind, null, `schedule/${name}/${next_ms}`);
        await engine.enqueue([{ ...job, id, after: [], runAtMs: null }]);
        await database.execute('UPDATE job_schedules SET next_ms = $1 WHERE name = $2 AND next_ms = $3', [
          await nextTime(cron, nowMs),
          name,
          next_ms,
        ]);
      }
    },
  };
}

async function nextTime(cron: string, afterMs: number): Promise<number> {
  const { CronExpressionParser } = await import('cron-parser');
  try {
    // The parser fills in fields that are missing, which hides slips.
    if (!/^\S+(\s+\S+){4,5}$/.test(cron)) throw new RangeError('a field is missing');
    const times = CronExpressionParser.parse(cron, { tz: 'UTC', currentDate: new Date(afterMs) });
    return times.next().getTime();
  } catch (cause) {
    throw new UsageError(
      `the schedule '${cron}' cannot be read; write five fields such as '0 * * * *' (minute, hour, day, month, weekday)`,
      { cause, facts: { cron } },
    );
  }
}
