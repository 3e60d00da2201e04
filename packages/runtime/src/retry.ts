import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryPolicy {
  /** How often the step runs before its error is thrown; without a limit unless given. */
  readonly attempts?: number;
  /** How long after the first failure the step is repeated [ms]; without a limit unless given. */
  readonly timeoutMs?: number;
  /** Pause before the second attempt, doubled before each further one [ms]. */
  readonly pauseMs: number;
  /** The longest pause [ms]; without a limit unless given. */
  readonly maxPauseMs?: number;
  /** Aborting ends the pause, and the last error of the step is not retried. */
  readonly signal?: AbortSignal;
  /** Whether an error is worth another attempt; every error unless given. */
  readonly isTransient?: (error: unknown) => boolean;
  /** The pause that an error asks for [ms], such as a server's `Retry-After`; at most `maxPauseMs`. */
  readonly pauseOf?: (error: unknown) => number | undefined;
  /** Called before each pause. */
  readonly onPause?: (error: unknown) => void;
}

/** Repeats a step until it succeeds, its error is not transient, or the attempts or the time are used up; then throws that error. */
export async function withRetry<T>(step: () => T | Promise<T>, policy: RetryPolicy): Promise<T> {
  const { attempts = Number.POSITIVE_INFINITY, pauseMs, maxPauseMs = Number.POSITIVE_INFINITY } = policy;
  const { timeoutMs = Number.POSITIVE_INFINITY, signal, isTransient = () => true } = policy;
  let deadlineMs: number | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await step();
    } catch (error) {
      if (attempt >= attempts || signal?.aborted || !isTransient(error)) throw error;
      deadlineMs ??= performance.now() + timeoutMs;
      if (performance.now() >= deadlineMs) throw error;
      policy.onPause?.(error);
      const wanted = policy.pauseOf?.(error) ?? pauseMs * 2 ** (attempt - 1);
      await sleep(Math.min(wanted, maxPauseMs), undefined, signal === undefined ? {} : { signal });
    }
  }
}
