import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from './errors.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Repeats a step that can be repeated until the store and the database it needs are there: hours of computation are not
 * thrown away, nor attempts spent, because a disk is full or a bucket cannot be reached for a while.
 */
export async function patiently<T>(
  step: () => Promise<T>,
  signal: AbortSignal,
  onPause: (error: UnavailableError) => void,
  firstPauseMs = FIRST_PAUSE_MS,
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof UnavailableError) || signal.aborted) throw error;
      onPause(error);
      await sleep(pauseMs, undefined, { signal });
    }
  }
}
