import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../../database/database.ts';
import type { Log } from '../../log.ts';
import type { Claim, Engine } from '../engine.ts';
import { cancelJob, retryJob } from '../ledger/dependencies.ts';
import { addDependencies, adoptJobs, hasEnded, insertJobs } from '../ledger/enqueue.ts';
import { inList } from '../ledger/in-list.ts';
import {
  CLAIM,
  type ClaimRow,
  claimOf,
  completeJob,
  endAttempt,
  lostClaims,
  noteProgress,
  releaseJob,
} from '../ledger/leases.ts';
import { countJobs, deleteEnded, failedIds, getJob, listJobs } from '../ledger/records.ts';
import { retryDelaySeconds } from '../retry-delay.ts';
import { WORKER_DIED } from '../sentences.ts';
import { QUEUE, queueError, startBoss, within } from './boss.ts';
import { announce, createChanges } from './changes.ts';
import { transact } from './collisions.ts';
import { deliver, deliverFormer, heartbeatSeconds, putBack, takeLost } from './delivery.ts';

export interface PgBossOptions {
  /** How often a worker looks for jobs whose time has come; new ones are announced. */
  readonly pollMs?: number;
  /** How often a worker looks for jobs of workers that died. */
  readonly upkeepMs?: number;
}

/** The queue of many machines: the ledger on PostgreSQL, whose jobs pg-boss hands out. One transaction changes both. */
export async function createPgBossEngine(
  database: Database,
  url: string,
  log: Log,
  options: PgBossOptions = {},
): Promise<Engine> {
  const boss = await startBoss(url, log);
  await deliverFormer(database, boss);
  const changes = createChanges(boss);
  const foreign = new Set<string>();

  return {
    pollMs: options.pollMs ?? 1_000,
    upkeepMs: options.upkeepMs ?? 5_000,
    listen: changes.listen,
    enqueue: (jobs) =>
      transact(database, async (tx) => {
        const made = await insertJobs(tx, jobs);
        await deliver(tx, boss, made, await addDependencies(tx, made));
        if (made.length > 0) await announce(tx, 'queued');
        return new Set(made.map((job) => job.id));
      }),
    adopt: (records) =>
      transact(database, async (tx) => {
        const made = await adoptJobs(tx, records);
        const states = new Map(records.map(({ id, state }) => [id, state]));
        const isDone = ({ id }: { id: string }) => states.get(id) === 'done';
        const open = made.filter((job) => !isDone(job));
        const held = records.filter((record) => hasEnded(record.state) && !isDone(record));
        await deliver(tx, boss, open, new Set(held.map(({ id }) => id)));
        await announce(tx, 'queued');
        return made.length;
      }),
    get: (id) => getJob(database, id),
    list: (query) => listJobs(database, query),
    counts: () => countJobs(database),
    failedIds: (kind) => failedIds(database, kind),
    async prune(endedBeforeMs) {
      let pruned = 0;
      for (;;) {
        const ids = await transact(database, async (tx) => {
          const gone = await deleteEnded(tx, endedBeforeMs);
          if (gone.length > 0) await boss.deleteJob(QUEUE, gone, within(tx));
          return gone;
        });
        pruned += ids.length;
        if (ids.length === 0) return pruned;
      }
    },
    cancel: (id) =>
      transact(database, async (tx) => {
        // In the order of `claim`, whose locks it could otherwise wait for while that waits for this.
        await boss.cancel(QUEUE, id, within(tx));
        await cancelJob(tx, id);
        await announce(tx, 'cancelled');
      }),
    retry: (id) =>
      transact(database, async (tx) => {
        if (await retryJob(tx, id)) await putBack(tx, boss, [id], new Date());
        await announce(tx, 'queued');
      }),
    async claim(kinds, count) {
      if (kinds.length === 0) return [];
      for (;;) {
        const { fetched, claims } = await transact(database, (tx) => claimOnce(tx, kinds, count));
        if (claims.length > 0 || fetched === 0) return claims;
      }
    },
    lost: (claims) => lostClaims(database, claims),
    async renew(claims) {
      await boss.touch(
        QUEUE,
        claims.map((claim) => claim.id),
        within(database),
      );
    },
    progress: (claim, fraction, note) => noteProgress(database, claim, fraction, note),
    complete: (claim, result) =>
      transact(database, async (tx) => {
        const released = await completeJob(tx, claim, result);
        if (released === undefined) return false;
        await boss.deleteJob(QUEUE, claim.id, within(tx));
        if (released.length > 0) {
          await boss.resume(QUEUE, released, within(tx));
          await announce(tx, 'queued');
        }
        return true;
      }),
    fail: (claim, error, final) =>
      transact(database, async (tx) => {
        const delayMs = 1000 * retryDelaySeconds(claim.backoffSeconds, claim.attempt);
        const state = await endAttempt(tx, claim, error, delayMs, final);
        if (state === 'failed') await boss.cancel(QUEUE, claim.id, within(tx));
        if (state === 'queued') {
          const runAt = delayMs > 0 ? new Date(Date.now() + delayMs) : undefined;
          await putBack(tx, boss, [claim.id], runAt);
          if (runAt === undefined) await announce(tx, 'queued');
        }
        return state !== undefined;
      }),
    release: (claim) =>
      transact(database, async (tx) => {
        const held = await releaseJob(tx, claim);
        if (held) {
          await putBack(tx, boss, [claim.id]);
          await announce(tx, 'queued');
        }
        return held;
      }),
    async upkeep() {
      try {
        await boss.supervise(QUEUE);
        await transact(database, async (tx) => {
          if (await takeLost(tx, boss, (ids) => endLost(tx, ids))) await announce(tx, 'queued');
        });
        await changes.ensure();
      } catch (error) {
        throw queueError(error);
      }
    },
    async close() {
      await changes.close();
      await boss.stop({ graceful: false });
    },
  };

  async function claimOnce(
    tx: Queryable,
    kinds: readonly string[],
    count: number,
  ): Promise<{ fetched: number; claims: Claim[] }> {
    const fetched = await boss.fetch(QUEUE, {
      ...within(tx),
      batchSize: count,
      ignoreGroups: [...foreign].filter((kind) => !kinds.includes(kind)),
    });
    if (fetched.length === 0) return { fetched: 0, claims: [] };
    const rows = await tx.query<ClaimRow>(
      `UPDATE jobs SET state = 'running', attempt = attempt + 1, lease = $3, started_ms = $4, progress = 0, note = NULL
       WHERE state = 'queued' AND id ${inList(tx, '$1')} AND kind ${inList(tx, '$2')} RETURNING ${CLAIM}`,
      [JSON.stringify(fetched.map(({ id }) => id)), JSON.stringify(kinds), randomUUID(), Date.now()],
    );
    const claimed = new Set(rows.map(({ id }) => id));
    const unknown = fetched.filter(({ groupId }) => !kinds.includes(groupId ?? ''));
    for (const { groupId } of unknown) foreign.add(groupId ?? '');
    await putBack(
      tx,
      boss,
      unknown.map(({ id }) => id),
    );
    // Cancelled while the job that it waited for queued it.
    const stale = fetched.filter((job) => !claimed.has(job.id) && !unknown.includes(job));
    if (stale.length > 0) {
      await boss.cancel(
        QUEUE,
        stale.map(({ id }) => id),
        within(tx),
      );
    }
    const claims = rows.map((row) => ({ ...claimOf(row), leaseSeconds: heartbeatSeconds(row.leaseSeconds) }));
    return { fetched: fetched.length, claims };
  }

  /** Ends the attempts of workers that died; returns which of the jobs are queued. */
  async function endLost(tx: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await tx.query<{ id: string; state: string; lease: string }>(
      `SELECT id, state, lease FROM jobs WHERE id ${inList(tx, '$1')} ORDER BY id FOR UPDATE`,
      [JSON.stringify(ids)],
    );
    const queued = new Set<string>();
    for (const { id, state, lease } of rows) {
      const now = state === 'running' ? await endAttempt(tx, { id, lease }, WORKER_DIED, 0, false) : state;
      if (now === 'queued') queued.add(id);
    }
    return queued;
  }
}
