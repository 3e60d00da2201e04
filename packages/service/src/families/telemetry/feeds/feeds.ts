/** Runs the configured feeds. Each is worked on by one process at a time: whichever holds its lease in the database. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause, setInterval } from 'node:timers/promises';
import type { Queryable } from '../../../database/database.ts';
import { UnavailableError } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { FeedConfig, TelemetryRules } from '../config.ts';
import type { TelemetryServices } from '../ingest/batch.ts';
import {
  addGap,
  type FeedTurn,
  leaseSource,
  listSources,
  noteError,
  releaseSource,
  syncSources,
} from '../sources.ts';
import { readFolder } from './folder.ts';
import { pollOnce } from './poll.ts';
import { makeTraffic } from './synthetic.ts';

export interface Feeds {
  /** Finishes what is under way. */
  stop(): Promise<void>;
}

const LEASE_MS = 60_000;
const MAX_BACKOFF_MS = 5 * 60_000;
/** So many intervals without a success are a gap, but not less than the time of which one report is kept. */
const GAP_INTERVALS = 3;
const MIN_GAP_MS = 30_000;
const JITTER = 0.1;

const TURNS: Readonly<Partial<Record<FeedConfig['kind'], FeedTurn>>> = {
  folder: readFolder,
  poll: pollOnce,
  synthetic: makeTraffic,
};

export async function startFeeds(
  services: TelemetryServices,
  rules: TelemetryRules,
  log: Log,
): Promise<Feeds> {
  await syncSources(services.database, rules.feeds, Date.now());
  const stopping = new AbortController();
  const running = rules.feeds
    .filter(({ isEnabled, kind }) => isEnabled && TURNS[kind] !== undefined)
    .map((feed) => runFeed(services, rules, feed, log, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function runFeed(
  services: TelemetryServices,
  rules: TelemetryRules,
  feed: FeedConfig,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const { database } = services;
  const owner = randomUUID();
  const turn = TURNS[feed.kind];
  let failures = 0;
  let lastError = '';
  while (!signal.aborted && turn !== undefined) {
    const startedMs = Date.now();
    try {
      const leaseMs = Math.max(LEASE_MS, 2 * feed.intervalMs);
      if (await leaseSource(database, feed.name, owner, startedMs, startedMs + leaseMs)) {
        const state = (await listSources(database, startedMs)).find(({ name }) => name === feed.name);
        await whileLeased(database, { source: feed.name, owner, leaseMs }, signal, (held) =>
          turn(services, rules, feed, held),
        );
        await noteSuccess(services, feed, state?.lastBatchMs ?? null, failures > 0 ? lastError : undefined);
        failures = 0;
      }
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      lastError = error instanceof Error ? error.message : String(error);
      log.warn(
        { err: error, source: feed.name, failures },
        'a telemetry source cannot be read; it is tried again',
      );
      await noteError(database, feed.name, lastError).catch(() => undefined);
    }
    await pause(nextPauseMs(feed, failures), undefined, { signal }).catch(() => undefined);
  }
  await releaseSource(database, feed.name, owner).catch(() => undefined);
}

const RENEWALS_PER_LEASE = 3;

/**
 * Renews the lease as long as the work takes, such as the import of an archive, so that no other process begins it too. The
 * work gets a signal that also aborts when the lease is lost.
 */
export async function whileLeased(
  database: Queryable,
  { source, owner, leaseMs }: { source: string; owner: string; leaseMs: number },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ended = new AbortController();
  const lost = new AbortController();
  const renew = async () => {
    for await (const _ of setInterval(leaseMs / RENEWALS_PER_LEASE, undefined, { signal: ended.signal })) {
      const nowMs = Date.now();
      // A database that is away now may be back before the lease is over.
      const isHeld = await leaseSource(database, source, owner, nowMs, nowMs + leaseMs).catch(() => true);
      if (isHeld) continue;
      lost.abort(
        new UnavailableError(`another process took over the source ${source} while this one stood still`),
      );
      return;
    }
  };
  const renewing = renew().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  try {
    await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    ended.abort();
    await renewing;
  }
}

/** Two processes, or two receivers, must not ask at the same moment; one that fails is left alone for longer and longer. */
export function nextPauseMs({ intervalMs }: Pick<FeedConfig, 'intervalMs'>, failures: number): number {
  const waitMs = Math.min(intervalMs * 2 ** failures, Math.max(MAX_BACKOFF_MS, intervalMs));
  return waitMs * (1 + JITTER * (2 * Math.random() - 1));
}

/** A live source that failed, or was not asked for a while, has a gap, which a folder of archives has not. */
async function noteSuccess(
  { database }: TelemetryServices,
  feed: FeedConfig,
  lastBatchMs: number | null,
  failure: string | undefined,
): Promise<void> {
  await noteError(database, feed.name, null);
  const nowMs = Date.now();
  if (feed.kind !== 'poll' || lastBatchMs === null) return;
  const isLong = nowMs - lastBatchMs > Math.max(GAP_INTERVALS * feed.intervalMs, MIN_GAP_MS);
  if (failure === undefined && !isLong) return;
  const reason = failure ?? 'the source was not asked';
  await addGap(database, { source: feed.name, fromMs: lastBatchMs, toMs: nowMs, reason });
}
