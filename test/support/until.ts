import { setTimeout as sleep } from 'node:timers/promises';

export interface UntilOptions {
  /** Longer than it takes on a busy machine, and shorter than the time limit of a test. */
  readonly seconds?: number;
  readonly pauseMs?: number;
}

type Nothing = undefined | null | false;

/** Calls `look` until it returns something, and returns that. At the deadline it fails with `what` it waited for. */
export async function until<T>(
  what: string,
  look: () => T | Nothing | Promise<T | Nothing>,
  { seconds = 100, pauseMs = 20 }: UntilOptions = {},
): Promise<Exclude<T, Nothing>> {
  // Tests replace the clocks of `performance` and `Date`, not this one.
  const deadlineS = process.uptime() + seconds;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found as Exclude<T, Nothing>;
    if (process.uptime() > deadlineS) throw new Error(`waited ${seconds} s until ${what}`);
    await sleep(pauseMs);
  }
}
