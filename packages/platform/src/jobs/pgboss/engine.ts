import type { Database } from '../../database/database.ts';
import type { Log } from '../../log.ts';
import type { Engine } from '../engine.ts';
import { JOB, QUEUE, queueError, startBoss, within } from './boss.ts';
import { announce, createChanges } from './changes.ts';
import { transact } from './collisions.ts';
import { cancelJob, failDependents, failingDependents, retryJob } from './dependencies.ts';
import { adoptJobs, enqueueJobs } from './enqueue.ts';
import { claimJobs, completeJob, failJob, lostClaims, noteProgress, releaseJob } from './leases.ts';
import { countJobs, failedIds, getJob, HEARTBEAT_TIMEOUT, listJobs, pruneJobs } from './records.ts';

export interface PgBossOptions {
  /** How often a worker looks for jobs whose time has come; new ones are announced. */
  readonly pollMs?: number;
  /** How often a worker looks for jobs of workers that died. */
  readonly upkeepMs?: number;
}

/** The queue of many machines: pg-boss on PostgreSQL, with our notes beside it. */
export async function createPgBossEngine(
  database: Database,
  url: string,
  log: Log,
  options: PgBossOptions = {},
): Promise<Engine> {
  const boss = await startBoss(url, log);
  const changes = createChanges(boss);
  const foreign = new Set<string>();
  const unblocking = createUnblocking();
  boss.on('flow', () => {
    announce(database, 'queued').catch((err: unknown) => log.warn({ err }, 'workers were not woken'));
  });

  return {
    pollMs: options.pollMs ?? 1_000,
    upkeepMs: options.upkeepMs ?? 5_000,
    listen: changes.listen,
    enqueue: (jobs) => enqueueJobs(database, boss, jobs),
    adopt: (records) => adoptJobs(database, boss, records),
    get: (id) => getJob(database, id),
    list: (query) => listJobs(database, query),
    counts: () => countJobs(database),
    failedIds: (kind) => failedIds(database, kind),
    prune: (endedBeforeMs) => pruneJobs(database, boss, endedBeforeMs),
    cancel: (id) => cancelJob(database, boss, id),
    retry: (id) => retryJob(database, boss, id),
    claim: (kinds, count) => claimJobs(database, boss, kinds, count, foreign),
    lost: (claims) => lostClaims(database, claims),
    async renew(claims) {
      await boss.touch(
        QUEUE,
        claims.map((claim) => claim.id),
        within(database),
      );
    },
    progress: (claim, fraction, note) => noteProgress(database, claim, fraction, note),
    async complete(claim, result) {
      const { held, blocking } = await completeJob(database, boss, claim, result);
      if (blocking) unblocking.request();
      return held;
    },
    fail: (claim, error, final) => failJob(database, boss, claim, error, final),
    release: (claim) => releaseJob(database, claim),
    async upkeep() {
      try {
        await boss.supervise(QUEUE);
        await boss.resolveFlow();
        await giveUpAll();
        await hurryTakeovers();
        await changes.ensure();
      } catch (error) {
        throw queueError(error);
      }
    },
    async close() {
      await changes.close();
      await unblocking.idle();
      await boss.stop({ graceful: false });
    },
  };

  /** After pg-boss itself failed a job whose worker died. */
  async function giveUpAll(): Promise<void> {
    if ((await failingDependents(database)).length > 0) {
      await transact(database, (tx) => failDependents(tx, boss));
    }
  }

  /** The backoff is for jobs that fail; one whose worker died should not wait for it. */
  async function hurryTakeovers(): Promise<void> {
    const rows = await database.query<{ id: string }>(
      `SELECT j.id FROM ${JOB} j WHERE j.name = $1 AND j.state = 'retry' AND j.start_after > now()
         AND NOT j.blocked AND ${HEARTBEAT_TIMEOUT}`,
      [QUEUE],
    );
    for (const { id } of rows) {
      await boss.update(QUEUE, undefined, { id, startAfter: 0, ...within(database) });
    }
    if (rows.length > 0) await announce(database, 'queued');
  }

  /** pg-boss unblocks dependants out of band; asking at once, and once for many, keeps chains quick. */
  function createUnblocking() {
    let running: Promise<void> | undefined;
    let again = false;
    const request = () => {
      again = running !== undefined;
      running ??= boss
        .resolveFlow()
        .catch((error: unknown) =>
          log.warn({ err: queueError(error) }, 'dependants were not unblocked; the next upkeep does it'),
        )
        .finally(() => {
          running = undefined;
          if (again) request();
        });
    };
    return { request, idle: async () => running };
  }
}
