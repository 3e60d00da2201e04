import { randomUUID } from 'node:crypto';
import type { Database, Queryable, SqlValue } from '../../database/database.ts';
import type { Claim, Loss } from '../engine.ts';
import { retryDelaySeconds } from '../retry-delay.ts';
import { WORKER_DIED } from '../sentences.ts';
import { failDependents, releaseDependants } from './dependencies.ts';

const HELD = `id = $1 AND lease = $2 AND state = 'running'`;

/** Out of the index in its order; left to itself, SQLite would rather sort all that is queued. */
export const NEXT_QUEUED = `SELECT id FROM jobs INDEXED BY jobs_queued
  WHERE state = 'queued' AND run_at_ms <= $1 AND kind IN (SELECT value FROM json_each($2))
  ORDER BY priority DESC, sequence`;

export async function claimJobs(
  database: Database,
  kinds: readonly string[],
  count: number,
): Promise<Claim[]> {
  const due = [Date.now(), JSON.stringify(kinds)];
  // Reading first keeps idle workers away from the write lock.
  const ready = await database.query(`${NEXT_QUEUED} LIMIT 1`, due);
  if (ready.length === 0) return [];
  const rows = await database.query<Omit<Claim, 'payload'> & { payload: string }>(
    `UPDATE jobs SET state = 'running', attempt = attempt + 1, lease = $4, started_ms = $1,
       lease_until_ms = CAST($1 + lease_seconds * 1000 AS BIGINT), progress = 0, note = NULL
     WHERE id IN (${NEXT_QUEUED} LIMIT $3)
     RETURNING id, kind, payload, owner, attempt, lease,
       lease_seconds AS "leaseSeconds", backoff_seconds AS "backoffSeconds"`,
    [...due, count, randomUUID()],
  );
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) }));
}

export async function lostClaims(database: Database, claims: readonly Claim[]): Promise<Map<string, Loss>> {
  const rows = await database.query<{ id: string; state: string; lease: string | null }>(
    'SELECT id, state, lease FROM jobs WHERE id IN (SELECT value FROM json_each($1))',
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

export async function renewLeases(database: Database, claims: readonly Claim[]): Promise<void> {
  await executeRelaxed(
    database,
    `UPDATE jobs SET lease_until_ms = CAST($1 + lease_seconds * 1000 AS BIGINT)
     WHERE state = 'running' AND id IN (SELECT value FROM json_each($2))
       AND lease IN (SELECT value FROM json_each($3))`,
    [
      Date.now(),
      JSON.stringify(claims.map((claim) => claim.id)),
      JSON.stringify(claims.map((claim) => claim.lease)),
    ],
  );
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
async function executeRelaxed(database: Database, sql: string, values: readonly SqlValue[]): Promise<void> {
  await database.transaction((tx) => tx.execute(sql, values), { durable: false });
}

export async function completeJob(database: Database, claim: Claim, result: unknown): Promise<boolean> {
  return database.transaction(async (tx) => {
    const done = await tx.execute(
      `UPDATE jobs SET state = 'done', result = $3, error = NULL, progress = 1, finished_ms = $4,
         lease = NULL, lease_until_ms = NULL WHERE ${HELD}`,
      [claim.id, claim.lease, JSON.stringify(result), Date.now()],
    );
    if (done > 0) await releaseDependants(tx, claim.id);
    return done > 0;
  });
}

export async function failJob(
  database: Database,
  claim: Claim,
  error: string,
  final: boolean,
): Promise<boolean> {
  const delayMs = 1000 * retryDelaySeconds(claim.backoffSeconds, claim.attempt);
  return database.transaction((tx) => endAttempt(tx, claim, error, delayMs, final));
}

export async function releaseJob(database: Database, claim: Claim): Promise<boolean> {
  const released = await database.execute(
    `UPDATE jobs SET state = 'queued', attempt = attempt - 1, lease = NULL, lease_until_ms = NULL
     WHERE ${HELD}`,
    [claim.id, claim.lease],
  );
  return released > 0;
}

/** Takes over the jobs of workers that died; returns whether there were any. */
export async function endExpiredLeases(database: Database): Promise<boolean> {
  const expired = `SELECT id, lease FROM jobs WHERE state = 'running' AND lease_until_ms < $1`;
  if ((await database.query(`${expired} LIMIT 1`, [Date.now()])).length === 0) return false;
  await database.transaction(async (tx) => {
    for (const claim of await tx.query<Pick<Claim, 'id' | 'lease'>>(expired, [Date.now()])) {
      await endAttempt(tx, claim, WORKER_DIED, 0, false);
    }
  });
  return true;
}

async function endAttempt(
  tx: Queryable,
  { id, lease }: Pick<Claim, 'id' | 'lease'>,
  error: string,
  delayMs: number,
  final: boolean,
): Promise<boolean> {
  const nowMs = Date.now();
  const [row] = await tx.query<{ state: string }>(
    `UPDATE jobs SET error = $3, lease = NULL, lease_until_ms = NULL, run_at_ms = $4,
       state = CASE WHEN attempt >= attempts OR $5 = 1 THEN 'failed' ELSE 'queued' END,
       finished_ms = CASE WHEN attempt >= attempts OR $5 = 1 THEN $6 ELSE NULL END
     WHERE ${HELD} RETURNING state`,
    [id, lease, error, Math.round(nowMs + delayMs), final ? 1 : 0, nowMs],
  );
  if (row?.state === 'failed') await failDependents(tx, [id]);
  return row !== undefined;
}
