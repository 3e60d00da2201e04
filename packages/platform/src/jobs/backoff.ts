import type { Log } from '../log.ts';
import type { WakeSignal } from './wake-signal.ts';
import { createWakeSignal } from './wake-signal.ts';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/**
 * Keeps a worker going while its database is away: a step that fails is logged (once until it works again) and
 * followed by a growing pause, never thrown.
 */
export interface Backoff {
  /** The answer of the step, or undefined when it failed. */
  try<T>(step: () => Promise<T>): Promise<T | undefined>;
  /** Ends the pause that is going on, and all later ones. */
  end(): void;
}

export function createBackoff(log: Log, what: string): Backoff {
  const wakeSignal: WakeSignal = createWakeSignal();
  let pauseMs = 0;
  let ended = false;
  return {
    async try(step) {
      try {
        const answer = await step();
        if (pauseMs > 0) log.info(`${what} again`);
        pauseMs = 0;
        return answer;
      } catch (err) {
        if (pauseMs === 0) log.warn({ err }, `cannot ${what}; trying again`);
        pauseMs = Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pauseMs * 2));
        if (!ended) await wakeSignal.wait(pauseMs);
        return undefined;
      }
    },
    end() {
      ended = true;
      wakeSignal.wake();
    },
  };
}
