import { UnavailableError } from './errors.ts';

/** Runs a piece of work when its turn has come. */
export type Limiter = <T>(work: () => T | Promise<T>) => Promise<T>;

export interface LimiterOptions {
  /** Waiting beyond this many is refused with an `UnavailableError`; without it, all wait. */
  readonly maxWaiting?: number;
  /** What waits, for the error: `filtered requests`. */
  readonly what?: string;
}

/** At most `limit` pieces of work at a time; the others wait in the order of their arrival. */
export function createLimiter(
  limit: number,
  { maxWaiting, what = 'requests' }: LimiterOptions = {},
): Limiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < limit) running += 1;
    else if (maxWaiting !== undefined && waiting.length >= maxWaiting) {
      throw new UnavailableError(`too many ${what} wait`, { retryAfterSeconds: 5 });
    } else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
