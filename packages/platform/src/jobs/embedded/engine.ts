import type { Database } from '../../database/database.ts';
import type { Change, Engine } from '../engine.ts';
import { cancelJob, retryJob } from './dependencies.ts';
import { adoptJobs, enqueueJobs } from './enqueue.ts';
import {
  claimJobs,
  completeJob,
  endExpiredLeases,
  failJob,
  lostClaims,
  noteProgress,
  releaseJob,
  renewLeases,
} from './leases.ts';
import { countJobs, failedIds, getJob, listJobs, pruneJobs } from './records.ts';

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
  /** Tells the workers of this process; those of others poll. */
  const telling = async <T>(change: Change, step: Promise<T>): Promise<T> => {
    const answer = await step;
    emit(change);
    return answer;
  };

  return {
    pollMs: options.pollMs ?? 100,
    upkeepMs: options.upkeepMs ?? 1_000,
    enqueue: (jobs) => telling('queued', enqueueJobs(database, jobs)),
    adopt: (records) => adoptJobs(database, records),
    get: (id) => getJob(database, id),
    list: (query) => listJobs(database, query),
    counts: () => countJobs(database),
    failedIds: (kind) => failedIds(database, kind),
    prune: (endedBeforeMs) => pruneJobs(database, endedBeforeMs),
    cancel: (id) =>
      telling(
        'cancelled',
        database.transaction((tx) => cancelJob(tx, id)),
      ),
    retry: (id) =>
      telling(
        'queued',
        database.transaction((tx) => retryJob(tx, id)),
      ),
    claim: (kinds, count) => claimJobs(database, kinds, count),
    lost: (claims) => lostClaims(database, claims),
    renew: (claims) => renewLeases(database, claims),
    progress: (claim, fraction, note) => noteProgress(database, claim, fraction, note),
    complete: (claim, result) => telling('queued', completeJob(database, claim, result)),
    fail: (claim, error, final) => telling('queued', failJob(database, claim, error, final)),
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
