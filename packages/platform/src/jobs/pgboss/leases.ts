import type { PgBoss } from 'pg-boss';
import type { Database } from '../../database/database.ts';
import type { Claim, Loss } from '../engine.ts';
import { JOB, QUEUE, within } from './boss.ts';
import { announce } from './changes.ts';
import { transact } from './collisions.ts';
import { failDependents } from './dependencies.ts';
import type { JobData } from './records.ts';
import { IN_IDS, type JobRow, leaseOf, lockHeld } from './rows.ts';

/** Fetches through pg-boss; `foreign` collects the kinds that this process meets and does not know. */
export async function claimJobs(
  database: Database,
  boss: PgBoss,
  kinds: readonly string[],
  count: number,
  foreign: Set<string>,
): Promise<Claim[]> {
  for (;;) {
    const jobs = await boss.fetch<JobData>(QUEUE, {
      ...within(database),
      batchSize: count,
      includeMetadata: true,
      ignoreGroups: [...foreign].filter((kind) => !kinds.includes(kind)),
    });
    const claims = jobs.map((job) => ({
      id: job.id,
      kind: job.groupId ?? '',
      payload: job.data.payload,
      owner: job.data.owner,
      attempt: job.retryCount + 1,
      lease: leaseOf(job.retryCount, job.startedOn),
      leaseSeconds: job.heartbeatSeconds ?? 10,
      backoffSeconds: job.retryDelay,
    }));
    const known = claims.filter((claim) => kinds.includes(claim.kind));
    for (const claim of claims) {
      if (known.includes(claim)) continue;
      foreign.add(claim.kind);
      await releaseJob(database, claim);
    }
    if (known.length > 0 || claims.length === 0) return known;
  }
}

export async function lostClaims(database: Database, claims: readonly Claim[]): Promise<Map<string, Loss>> {
  const rows = await database.query<JobRow>(
    `SELECT id, state, retry_count, started_on FROM ${JOB} WHERE name = $1 AND id ${IN_IDS('$2')}`,
    [QUEUE, JSON.stringify(claims.map((claim) => claim.id))],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const losses = new Map<string, Loss>();
  for (const { id, lease } of claims) {
    const row = byId.get(id);
    if (row?.state === 'cancelled') losses.set(id, 'cancelled');
    else if (row?.state !== 'active' || leaseOf(row.retry_count, row.started_on) !== lease) {
      losses.set(id, 'taken over');
    }
  }
  return losses;
}

export async function noteProgress(
  database: Database,
  claim: Claim,
  fraction: number,
  note: string | null,
): Promise<void> {
  await database.execute(
    `INSERT INTO job_notes (id, attempt, progress, note)
     SELECT id, retry_count, $4, $5 FROM ${JOB}
       WHERE name = $1 AND id = $2 AND state = 'active' AND retry_count = $3
     ON CONFLICT (id) DO UPDATE SET attempt = excluded.attempt, progress = excluded.progress,
       note = excluded.note`,
    [QUEUE, claim.id, claim.attempt - 1, fraction, note],
  );
}

/** Returns whether the lease was held and, if so, whether other jobs wait for this one. */
export async function completeJob(
  database: Database,
  boss: PgBoss,
  claim: Claim,
  result: unknown,
): Promise<{ held: boolean; blocking: boolean }> {
  return transact(database, async (tx) => {
    const row = await lockHeld(tx, claim);
    if (row === undefined) return { held: false, blocking: false };
    await boss.complete(QUEUE, claim.id, { result }, within(tx));
    return { held: true, blocking: row.blocking };
  });
}

export async function failJob(
  database: Database,
  boss: PgBoss,
  claim: Claim,
  error: string,
  final: boolean,
): Promise<boolean> {
  return transact(database, async (tx) => {
    const row = await lockHeld(tx, claim);
    if (row === undefined) return false;
    // Written to its table: pg-boss itself fails a job for good only when it has no attempts left.
    if (final) {
      await tx.execute(`UPDATE ${JOB} SET retry_limit = retry_count WHERE name = $1 AND id = $2`, [
        QUEUE,
        claim.id,
      ]);
    }
    await boss.fail(QUEUE, claim.id, { error }, within(tx));
    if (final || row.retry_count >= row.retry_limit) await failDependents(tx, boss, [claim.id]);
    else if (claim.backoffSeconds === 0) await announce(tx, 'queued');
    return true;
  });
}

export async function releaseJob(database: Database, claim: Claim): Promise<boolean> {
  return transact(database, async (tx) => {
    if ((await lockHeld(tx, claim)) === undefined) return false;
    // Written to its table, as pg-boss does for its own workers; a job without a start has spent no attempt.
    await tx.execute(
      `UPDATE ${JOB} SET state = 'created', started_on = NULL, heartbeat_on = NULL
       WHERE name = $1 AND id = $2`,
      [QUEUE, claim.id],
    );
    await announce(tx, 'queued');
    return true;
  });
}
