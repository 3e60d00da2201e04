import { randomUUID } from 'node:crypto';
import { UnavailableError } from '@contrails/runtime/errors';
import type { Database } from '../database/database.ts';
import { type Decision, KeyLimiter } from './key-limiter.ts';
import type { Key } from './keys.ts';
import { createLeases } from './leases.ts';

/**
 * The rate and the concurrency of every key, held in common by all servers on one database. Never more than
 * the limit is granted in total. Rejects with `UnavailableError` when the database cannot say.
 */
export interface Limits {
  /** Every grant must be released, once the answer has been sent or given up. */
  acquire(key: Pick<Key, 'id' | 'ratePerMinute' | 'concurrency'>): Decision | Promise<Decision>;
  /** Hands back everything; to be called when no request is running any more. */
  close(): Promise<void>;
}

export interface LimitsOptions {
  readonly now?: () => number;
}

/** What is idle between two rounds is returned: within 200 ms, before a waiting caller gives up. */
const TENDING_MS = 100;

export function createLimits(database: Database, options: LimitsOptions = {}): Limits {
  const now = options.now ?? Date.now;
  const leases = createLeases(database, randomUUID());
  const limiters = new Map<string, KeyLimiter>();
  let tending: NodeJS.Timeout | undefined;
  let closed = false;

  const renew = () => {
    for (const [id, limiter] of limiters) {
      if (limiter.isEmpty()) limiters.delete(id);
      // What could not be handed back or renewed now is tried again next time.
      else limiter.renew().catch(() => undefined);
    }
    if (limiters.size === 0) {
      clearInterval(tending);
      tending = undefined;
    }
  };
  const limiterOf = (key: Pick<Key, 'id' | 'ratePerMinute' | 'concurrency'>): KeyLimiter => {
    const known = limiters.get(key.id);
    if (known !== undefined) return known;
    const made = new KeyLimiter(key.id, key, leases, now);
    limiters.set(key.id, made);
    tending ??= setInterval(renew, TENDING_MS).unref();
    return made;
  };

  return {
    acquire(key) {
      if (closed) return Promise.reject(new UnavailableError('the server is stopping'));
      return limiterOf(key).acquire(key);
    },
    async close() {
      closed = true;
      clearInterval(tending);
      await Promise.allSettled([...limiters.values()].map((limiter) => limiter.handBack()));
    },
  };
}
