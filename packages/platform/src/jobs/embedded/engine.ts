import type { Database } from '../../database/database.ts';
import type { Change, Engine } from '../engine.ts';
import { cancelJob, retryJob } from '../ledger/dependencies.ts';
import { addDependencies, adoptJobs, insertJobs } from '../ledger/enqueue.ts';
import { completeJob, endAttempt, lostClaims, noteProgress, releaseJob } from '../ledger/leases.ts';
import { countJobs, deleteEnded, failedIds, getJob, listJobs } from '../ledger/records.ts';
import { retryDelaySeconds } from '../retry-delay.ts';
import { claimJobs, endExpiredLeases, renewLeases } from './claims.ts';

export interface EmbeddedOptions {
  /** How often a worker looks for jobs that other processes queued. */
  readonly pollMs?: number;
  /** How often a worker looks for leases that ran out. */
  readonly upkeepMs?: number;
}

/** The queue of one machine, on the SQLite file: one row per job, one short transaction per step. */
export function createEmbeddedEngine(database: Database, options: EmbeddedOptions = {}): Engine {
  const listeners = new Set<(change: Change) => void>();
  const emit = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  /** Notifies workers of this process; those of others poll. */
  const telling = async <T>(change: Change, step: Promise<T>): Promise<T> => {
    const answer = await step;
    emit(change);
    return answer;
  };

  return {
    pollMs: options.pollMs ?? 100,
    upkeepMs: options.upkeepMs ?? 1_000,
    enqueue(jobs) {
      const enqueued = database.transaction(async (tx) => {
        const made = await insertJobs(tx, jobs);
        await addDependencies(tx, made);
        return new Set(made.map((job) => job.id));
      });
      return telling('queued', enqueued);
    },
    adopt: async (records) => (await database.transaction((tx) => adoptJobs(tx, records))).length,
    get: (id) => getJob(database, id),
    list: (query) => listJobs(database, query),
    counts: () => countJobs(database),
    failedIds: (kind) => failedIds(database, kind),
    async prune(endedBeforeMs) {
      let pruned = 0;
      for (;;) {
        const { length } = await deleteEnded(database, endedBeforeMs);
        pruned += length;
        if (length === 0) return pruned;
      }
    },
    cancel: (id) =>
      telling(
        'cancelled',
        database.transaction((tx) => cancelJob(tx, id)),
      ),
    async retry(id) {
      await database.transaction((tx) => retryJob(tx, id));
      emit('queued');
    },
    claim: (kinds, count) => claimJobs(database, kinds, count),
    lost: (claims) => lostClaims(database, claims),
    renew: (claims) => renewLeases(database, claims),
    progress: (claim, fraction, note) => noteProgress(database, claim, fraction, note),
    async complete(claim, result) {
      const released = await database.transaction((tx) => completeJob(tx, claim, result));
      emit('queued');
      return released !== undefined;
    },
    async fail(claim, error, final) {
      const delayMs = 1000 * retryDelaySeconds(claim.backoffSeconds, claim.attempt);
      const state = await database.transaction((tx) => endAttempt(tx, claim, error, delayMs, final));
      emit('queued');
      return state !== undefined;
    },
    release: (claim) => telling('queued', releaseJob(database, claim)),
    async upkeep() {
      if (await endExpiredLeases(database)) emit('queued');
    },
    listen(onChange) {
      listeners.add(onChange);
      return {
        async close() {
          listeners.delete(onChange);
        },
      };
    },
    async close() {
      listeners.clear();
    },
  };
}
