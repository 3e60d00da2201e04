import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './sqlite-faults.ts';

const LONGEST_PAUSE_MS = 25;

/** Tries again while another process holds the lock; the pauses leave the event loop free. */
export async function patiently<T>(run: () => T, patienceMs: number): Promise<T> {
  let deadlineMs: number | undefined;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!isBusy(error)) throw error;
      deadlineMs ??= performance.now() + patienceMs;
      if (performance.now() >= deadlineMs) throw error;
      // Random, so that many waiting processes do not ask in step.
      await sleep(1 + Math.random() * LONGEST_PAUSE_MS);
    }
  }
}
