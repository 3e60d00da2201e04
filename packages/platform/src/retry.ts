import { withRetry } from '@contrails/runtime';
import { UnavailableError } from '@contrails/runtime/errors';

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
    isTransient: (error) => error instanceof UnavailableError,
    pauseMs: firstPauseMs,
    maxPauseMs: Math.max(firstPauseMs, MAX_PAUSE_MS),
    signal,
    onPause: (error) => {
      if (error instanceof UnavailableError) onPause(error);
    },
  });
}
