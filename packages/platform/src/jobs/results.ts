/** Where jobs that were asked for by a request keep what they need and what they made. */

import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '@contrails/runtime';
import { RefusedError, ValidationError } from '@contrails/runtime/errors';
import type { Store } from '../store/index.ts';
import type { JobRecord } from './index.ts';
import { FinalJobError } from './outcome.ts';

const REQUESTS = 'jobs/requests/';
const RESULTS = 'jobs/results/';
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

/** The key of a part of it that is done, from which an interrupted job goes on. */
export function partKeyOf(jobId: string, index: number): string {
  return `${RESULTS}${jobId}.parts/${String(index).padStart(6, '0')}.json`;
}

/** Removes what has been kept long enough; returns how many. */
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

/** Begins the error of a job that its client is to know; what follows is shown to the client. */
const REQUEST_ERROR = 'request: ';

/** An error of a job as it is stored: errors of the request and refusals are marked, all others are for the operator. */
export function jobError(error: unknown): unknown {
  const isRequestError =
    error instanceof ValidationError || error instanceof FinalJobError || error instanceof RefusedError;
  return isRequestError ? new FinalJobError(`${REQUEST_ERROR}${error.message}`, { cause: error }) : error;
}

/**
 * The error of a job as its client sees it: what went wrong with the request, or what to do when nothing did. The
 * error of an attempt before the job was cancelled no longer matters.
 */
export function clientError({ state, error }: Pick<JobRecord, 'state' | 'error'>): string | undefined {
  if (error === null || state === 'cancelled') return undefined;
  if (error.startsWith(REQUEST_ERROR)) return error.slice(REQUEST_ERROR.length);
  return state === 'failed'
    ? 'the service could not compute this; send the request again, and give the operator the id of this job if that fails too'
    : 'an attempt failed for a reason that is not in the request; the job is tried again by itself';
}
