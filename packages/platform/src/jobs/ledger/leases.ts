import type { Database, Queryable, SqlValue } from '../../database/database.ts';
import type { Claim, Loss } from '../engine.ts';
import { failDependents, releaseDependents } from './dependencies.ts';
import { inList } from './in-list.ts';

const HELD = `id = $1 AND lease = $2 AND state = 'running'`;

type Holding = Pick<Claim, 'id' | 'lease'>;

/** Columns of a claim. */
export const CLAIM = `id, kind, payload, owner, attempt, lease, lease_seconds AS "leaseSeconds",
  backoff_seconds AS "backoffSeconds"`;

export type ClaimRow = Omit<Claim, 'payload'> & { readonly payload: string };

export function claimOf(row: ClaimRow): Claim {
  return { ...row, payload: JSON.parse(row.payload) };
}

export async function lostClaims(database: Database, claims: readonly Claim[]): Promise<Map<string, Loss>> {
  const rows = await database.query<{ id: string; state: string; lease: string | null }>(
    `SELECT id, state, lease FROM jobs WHERE id ${inList(database, '$1')}`,
    [JSON.stringify(claims.map((claim) => claim.id))],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const losses = new Map<string, Loss>();
  for (const { id, lease } of claims) {
    const row = byId.get(id);
    if (row?.lease !== lease) losses.set(id, row?.state === 'cancelled' ? 'cancelled' : 'taken over');
  }
  return losses;
}

export async function noteProgress(
  database: Database,
  claim: Claim,
  fraction: number,
  note: string | null,
): Promise<void> {
  await executeRelaxed(database, `UPDATE jobs SET progress = $3, note = $4 WHERE ${HELD}`, [
    claim.id,
    claim.lease,
    fraction,
    note,
  ]);
}

/** For what the next renewal or note writes again. */
export async function executeRelaxed(
  database: Database,
  sql: string,
  values: readonly SqlValue[],
): Promise<void> {
  await database.transaction((tx) => tx.execute(sql, values), { durable: false });
}

/** Returns the ids of the jobs that this queues, or undefined when the lease is no longer held. */
export async function completeJob(
  tx: Queryable,
  { id, lease }: Holding,
  result: unknown,
): Promise<string[] | undefined> {
  const done = await tx.execute(
    `UPDATE jobs SET state = 'done', result = $3, error = NULL, progress = 1, finished_ms = $4,
       lease = NULL, lease_until_ms = NULL WHERE ${HELD}`,
    [id, lease, JSON.stringify(result), Date.now()],
  );
  return done > 0 ? releaseDependents(tx, id) : undefined;
}

/** Returns what becomes of the job, or undefined when the lease is no longer held. */
export async function endAttempt(
  tx: Queryable,
  { id, lease }: Holding,
  error: string,
  delayMs: number,
  final: boolean,
): Promise<'queued' | 'failed' | undefined> {
  const nowMs = Date.now();
  const [row] = await tx.query<{ state: 'queued' | 'failed' }>(
    `UPDATE jobs SET error = $3, lease = NULL, lease_until_ms = NULL, run_at_ms = $4,
       state = CASE WHEN attempt >= attempts OR $5 = 1 THEN 'failed' ELSE 'queued' END,
       finished_ms = CASE WHEN attempt >= attempts OR $5 = 1 THEN CAST($6 AS BIGINT) ELSE NULL END
     WHERE ${HELD} RETURNING state`,
    [id, lease, error, Math.round(nowMs + delayMs), final ? 1 : 0, nowMs],
  );
  if (row?.state === 'failed') await failDependents(tx, [id]);
  return row?.state;
}

export async function releaseJob(tx: Queryable, { id, lease }: Holding): Promise<boolean> {
  const released = await tx.execute(
    `UPDATE jobs SET state = 'queued', attempt = attempt - 1, lease = NULL, lease_until_ms = NULL
     WHERE ${HELD}`,
    [id, lease],
  );
  return released > 0;
}
