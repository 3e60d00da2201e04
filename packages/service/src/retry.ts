import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from './errors.ts';

/** When a step is repeated. */
export interface RetryPolicy {
  /** Whether another attempt can succeed. */
  isTemporary(error: unknown): boolean;
  /** Pause after an attempt; the first is 0. */
  pauseMs(attempt: number): number;
  /** How long after the first failure attempts go on; without it for ever. */
  readonly timeoutMs?: number;
  /** Ends the attempts. */
  readonly signal?: AbortSignal;
  onPause?(error: unknown): void;
}

/** Runs a step that can be repeated until it succeeds or the policy ends the attempts. */
export async function withRetry<T>(step: () => T | Promise<T>, policy: RetryPolicy): Promise<T> {
  const { timeoutMs = Number.POSITIVE_INFINITY, signal } = policy;
  let deadlineMs: number | undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      return await step();
    } catch (error) {
      if (!policy.isTemporary(error) || signal?.aborted) throw error;
      deadlineMs ??= performance.now() + timeoutMs;
      if (performance.now() >= deadlineMs) throw error;
      policy.onPause?.(error);
      await sleep(policy.pauseMs(attempt), undefined, signal && { signal });
    }
  }
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/**
 * Repeats a step until the store and the database it needs are there: hours of computation are not thrown away, nor
 * attempts spent, because a disk is full or a bucket cannot be reached for a while.
 */
export function retryUntilAvailable<T>(
  step: () => Promise<T>,
  signal: AbortSignal,
  onPause: (error: UnavailableError) => void,
  firstPauseMs = FIRST_PAUSE_MS,
): Promise<T> {
  return withRetry(step, {
    isTemporary: (error) => error instanceof UnavailableError,
    pauseMs: (attempt) =>
      attempt === 0 ? firstPauseMs : Math.min(firstPauseMs * 2 ** attempt, MAX_PAUSE_MS),
    signal,
    onPause: (error) => {
      if (error instanceof UnavailableError) onPause(error);
    },
  });
}
