/** Runs the configured feeds. */
import { runFeed } from '@contrails/platform/feeds/feed-loop';
import type { Log } from '@contrails/platform/log';
import type { FeedConfig, TelemetryRules } from '../../../telemetry-store/config.ts';
import type { TelemetryServices } from '../../../telemetry-store/services.ts';
import { addGap, type FeedTurn, listSources, syncSources } from '../../../telemetry-store/sources.ts';
import { readFolder } from './folder.ts';
import { pollOnce } from './poll.ts';
import { makeTraffic } from './synthetic.ts';

export interface Feeds {
  /** Finishes what is under way. */
  stop(): Promise<void>;
}

/** So many intervals without a success are a gap, but not less than the time of which one report is kept. */
const GAP_INTERVALS = 3;
const MIN_GAP_MS = 30_000;

/** Of every kind; what is pushed has no turns. */
const TURNS: Readonly<Record<FeedConfig['kind'], FeedTurn | undefined>> = {
  folder: readFolder,
  poll: pollOnce,
  push: undefined,
  synthetic: makeTraffic,
};

export async function startFeeds(
  services: TelemetryServices,
  rules: TelemetryRules,
  log: Log,
): Promise<Feeds> {
  const { database } = services;
  await syncSources(database, rules.feeds, Date.now());
  const stopping = new AbortController();
  const running = rules.feeds.flatMap((feed) => {
    const look = TURNS[feed.kind];
    if (!feed.isEnabled || look === undefined) return [];
    const loop = {
      table: 'telemetry_sources',
      source: feed.name,
      intervalMs: feed.intervalMs,
      failureMessage: 'a telemetry source cannot be read; it is tried again',
      async turn(held: AbortSignal, lastError: string | undefined) {
        const state = (await listSources(database, Date.now())).find(({ name }) => name === feed.name);
        await look(services, rules, feed, held);
        await noteGap(services, feed, state?.lastBatchMs ?? null, lastError);
      },
    } as const;
    return runFeed(database, loop, log, stopping.signal);
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** A live source that failed, or was not asked for a while, has a gap, which a folder of archives has not. */
async function noteGap(
  { database }: TelemetryServices,
  feed: FeedConfig,
  lastBatchMs: number | null,
  failure: string | undefined,
): Promise<void> {
  const nowMs = Date.now();
  if (feed.kind !== 'poll' || lastBatchMs === null) return;
  const isLong = nowMs - lastBatchMs > Math.max(GAP_INTERVALS * feed.intervalMs, MIN_GAP_MS);
  if (failure === undefined && !isLong) return;
  const reason = failure ?? 'the source was not asked';
  await addGap(database, { source: feed.name, fromMs: lastBatchMs, toMs: nowMs, reason });
}
