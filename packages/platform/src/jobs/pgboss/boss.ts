import type { Db, PgBoss } from 'pg-boss';
import type { Queryable, SqlValue } from '../../database/database.ts';
import { postgresError } from '../../database/postgres-errors.ts';
import type { Log } from '../../log.ts';

/**
 * The one queue of all kinds: pg-boss orders by priority within a queue only. The kind is the job's group, so
 * that a worker can pass over kinds it does not know.
 */
export const QUEUE = 'contrails';

/**
 * pg-boss has no calls to page through jobs, to fence a worker that lost its job, or to wait for a job that
 * exists already. For these its tables are read and, where a comment says so, written; its version is pinned.
 */
export const JOB = 'pgboss.job';
export const DEPENDENCY = 'pgboss.job_dependency';

const TEN_YEARS_SECONDS = 10 * 366 * 86_400;

/** Starts pg-boss on a small pool of its own; its timers are off, the workers drive them through `upkeep`. */
export async function startBoss(url: string, log: Log): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'contrails-jobs',
    max: 3,
    connectionTimeoutMillis: 5_000,
    supervise: false,
    schedule: false,
    monitorIntervalSeconds: 4,
    // A day of traffic may well queue more than the 10,000 from which pg-boss would complain without end.
    warningQueueSize: 1_000_000,
  });
  boss.on('error', (error) =>
    log.warn({ err: queueError(error) }, 'the queue on PostgreSQL reports an error'),
  );
  boss.on('warning', ({ message, data }) => log.warn({ data }, message));
  try {
    await boss.start();
    // What has ended is kept until `prune`, what has not is never dropped.
    await boss.createQueue(QUEUE, { deleteAfterSeconds: 0, retentionSeconds: TEN_YEARS_SECONDS });
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw postgresError(error, 'of the job queue');
  }
}

/** An error of pg-boss on its own connections. Some that it emits are copies, no longer instances of `Error`. */
export function queueError(given: unknown): unknown {
  const error = given instanceof Error ? given : Object.assign(new Error(), given);
  return postgresError(error, 'of the job queue');
}

/** Lets pg-boss work inside a transaction of ours. */
export function within(tx: Queryable): { db: Db } {
  return {
    db: {
      // The driver takes more kinds of values (arrays, objects) than the SQL that both dialects share.
      executeSql: async (text, values = []) => ({ rows: await tx.query(text, values as SqlValue[]) }),
    },
  };
}
