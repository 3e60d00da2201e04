/** Where jobs that were asked for by a request keep what they need and what they made. */
import { randomUUID } from 'node:crypto';
import type { Store } from '../../store/index.ts';

const REQUESTS = 'jobs/requests/';
const RESULTS = 'jobs/results/';
const HOUR_MS = 3_600_000;
/** How long a result can be fetched. */
export const RESULT_HOURS = 24;
/** A job may wait long for a worker, and may be retried. */
const REQUEST_HOURS = 14 * 24;

/** A key for what a job is to work on. */
export function newRequestKey(): string {
  return `${REQUESTS}${randomUUID()}`;
}

/** The key of what a job made: the same in every attempt. */
export function resultKeyOf(jobId: string): string {
  return `${RESULTS}${jobId}.json`;
}

/** Removes what has been kept long enough; answers how many. */
export async function forgetResults(
  store: Pick<Store, 'list' | 'remove'>,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const [prefix, hours] of [
    [REQUESTS, REQUEST_HOURS],
    [RESULTS, RESULT_HOURS],
  ] as const) {
    for await (const { key, modifiedMs } of store.list(prefix)) {
      signal.throwIfAborted();
      if (modifiedMs > nowMs - hours * HOUR_MS) continue;
      if (await store.remove(key)) removed++;
    }
  }
  return removed;
}
