import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import type { Claim } from '../engine.ts';
import { CLAIM, type ClaimRow, claimOf, endAttempt, executeRelaxed } from '../ledger/leases.ts';
import { WORKER_DIED } from '../sentences.ts';

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
  const rows = await database.query<ClaimRow>(
    `UPDATE jobs SET state = 'running', attempt = attempt + 1, lease = $4, started_ms = $1,
       lease_until_ms = CAST($1 + lease_seconds * 1000 AS BIGINT), progress = 0, note = NULL
     WHERE id IN (${NEXT_QUEUED} LIMIT $3) RETURNING ${CLAIM}`,
    [...due, count, randomUUID()],
  );
  return rows.map(claimOf);
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
