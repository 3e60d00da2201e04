import type { Queryable } from '../../database/database.ts';
import type { Claim } from '../engine.ts';
import { JOB, QUEUE } from './boss.ts';

/** What is needed of a job to decide on it. */
export interface JobRow {
  readonly id: string;
  readonly state: 'created' | 'retry' | 'active' | 'completed' | 'cancelled' | 'failed';
  readonly retry_count: number;
  readonly retry_limit: number;
  readonly started_on: Date | null;
  readonly blocking: boolean;
  readonly granted: number;
}

const LOCK_ATTEMPTS = 5;

/** Ids as one SQL value. */
export const IN_IDS = (parameter: string) =>
  `IN (SELECT value::uuid FROM jsonb_array_elements_text(${parameter}::jsonb))`;

/** Locks these jobs until the transaction ends; those that do not exist are missing from the answer. */
export async function lockJobs(tx: Queryable, ids: readonly string[]): Promise<JobRow[]> {
  let rows: JobRow[] = [];
  for (let attempt = 0; attempt < LOCK_ATTEMPTS && rows.length < ids.length; attempt += 1) {
    // pg-boss fails a job by deleting and inserting its row: a statement that waited for the lock of the old row finds
    // nothing, and sees the new one with the next statement.
    rows = await tx.query<JobRow>(
      `SELECT id, state, retry_count, retry_limit, started_on, blocking, (data->>'attempts')::int AS granted
       FROM ${JOB} WHERE name = $1 AND id ${IN_IDS('$2')} ORDER BY id FOR UPDATE`,
      [QUEUE, JSON.stringify(ids)],
    );
  }
  return rows;
}

/** The job's row when the claim still holds it. */
export async function lockHeld(tx: Queryable, claim: Claim): Promise<JobRow | undefined> {
  const [row] = await tx.query<JobRow>(
    `SELECT id, state, retry_count, retry_limit, started_on, blocking, (data->>'attempts')::int AS granted
     FROM ${JOB} WHERE name = $1 AND id = $2 FOR UPDATE`,
    [QUEUE, claim.id],
  );
  return row?.state === 'active' && leaseOf(row.retry_count, row.started_on) === claim.lease
    ? row
    : undefined;
}

/** Attempt and start: the two change together with every fetch, and a job handed back has no start. */
export function leaseOf(retryCount: number, startedOn: Date | null): string {
  return `${retryCount}/${startedOn?.getTime()}`;
}
