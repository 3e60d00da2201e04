/** Polls a source, in one process at a time. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Queryable } from '../database/database.ts';
import type { Log } from '../log.ts';
import { leaseSource, releaseSource, type SourceName, whileLeased } from './leases.ts';

export interface Feed extends SourceName {
  readonly intervalMs: number;
  /** What is logged when a turn fails. */
  readonly failureMessage: string;
  /** One poll of the source; `lastError` is why the last one failed. */
  turn(signal: AbortSignal, lastError: string | undefined): Promise<void>;
}

const LEASE_MS = 60_000;
const MAX_BACKOFF_MS = 5 * 60_000;
const JITTER = 0.1;

/** Ends when the signal aborts and the turn that is under way has ended. */
export async function runFeed(database: Queryable, feed: Feed, log: Log, signal: AbortSignal): Promise<void> {
  const { table, source, intervalMs } = feed;
  const owner = randomUUID();
  let failures = 0;
  let lastError: string | undefined;
  while (!signal.aborted) {
    const startedMs = Date.now();
    try {
      const leaseMs = Math.max(LEASE_MS, 2 * intervalMs);
      if (await leaseSource(database, feed, owner, startedMs, startedMs + leaseMs)) {
        await whileLeased(database, { table, source, owner, leaseMs }, signal, (held) =>
          feed.turn(held, lastError),
        );
        await noteError(database, feed, null);
        failures = 0;
        lastError = undefined;
      }
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      lastError = error instanceof Error ? error.message : String(error);
      log.warn({ err: error, source, failures }, feed.failureMessage);
      await noteError(database, feed, lastError).catch(() => undefined);
    }
    await pause(nextPauseMs(feed, failures), undefined, { signal }).catch(() => undefined);
  }
  await releaseSource(database, feed, owner).catch(() => undefined);
}

/** Two processes, or two receivers, must not ask at the same moment; one that fails is left alone for longer and longer. */
export function nextPauseMs({ intervalMs }: Pick<Feed, 'intervalMs'>, failures: number): number {
  const waitMs = Math.min(intervalMs * 2 ** failures, Math.max(MAX_BACKOFF_MS, intervalMs));
  return waitMs * (1 + JITTER * (2 * Math.random() - 1));
}

/** The error of the last attempt, or null after a success. */
async function noteError(
  database: Queryable,
  { table, source }: SourceName,
  error: string | null,
): Promise<void> {
  await database.execute(`UPDATE ${table} SET error = $2 WHERE name = $1`, [source, error]);
}
