import type { Db, PgBoss } from 'pg-boss';
import type { Queryable, SqlValue } from '../../database/database.ts';
import { postgresError } from '../../database/postgres-errors.ts';
import type { Log } from '../../log.ts';

/**
 * The one queue of all kinds: pg-boss orders by priority within a queue only. The kind is the job's group:
 * a worker passes over kinds that it does not know.
 */
export const QUEUE = 'jobs';
/** Gets a job for each one whose worker gave no sign of life. */
export const LOST = 'jobs-lost';
/** Of earlier versions; their jobs are in the ledger now. */
const FORMER_QUEUE = 'contrails';

const DAY_SECONDS = 86_400;

/** Starts pg-boss on its own small pool; its timers are off, the workers drive them through `upkeep`. */
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
    // Nothing is dropped but by `prune`.
    const kept = { deleteAfterSeconds: 0, retentionSeconds: 3660 * DAY_SECONDS };
    await boss.createQueue(LOST, kept);
    // Attempts and their time limits are counted by the ledger and the worker.
    await boss.createQueue(QUEUE, {
      ...kept,
      retryLimit: 0,
      deadLetter: LOST,
      expireInSeconds: DAY_SECONDS,
    });
    await removeFormerQueue(boss);
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw postgresError(error, 'of the job queue');
  }
}

/** Of several processes that start at once, one removes it; pg-boss fails in the others. */
async function removeFormerQueue(boss: PgBoss): Promise<void> {
  const isThere = async () => (await boss.getQueue(FORMER_QUEUE)) !== null;
  if (!(await isThere())) return;
  try {
    await boss.deleteQueue(FORMER_QUEUE);
  } catch (error) {
    if (await isThere()) throw error;
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
