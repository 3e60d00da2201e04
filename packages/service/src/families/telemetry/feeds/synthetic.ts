import { createHash } from 'node:crypto';
import { contains } from '@contrails/engine/grid/layout';
import { worldAirports } from '@contrails/flights';
import { HOUR_MS, hourOf, MINUTE_MS, SECOND_MS } from '@contrails/runtime';
import { nextTurn } from '@contrails/runtime/turns';
import { openSyntheticTraffic, type SyntheticTraffic } from '@contrails/testbed/traffic';
import type { FeedConfig } from '../../../telemetry-store/config.ts';
import { type FeedTurn, listSources } from '../../../telemetry-store/sources.ts';
import { applyBatch } from '../ingest/batch.ts';
import { bytesReader } from '../ingest/import.ts';

const FORMAT = 'target_ndjson';
/** Batches are as long as the time since the last one allows; reports of now come in the shortest. */
const WINDOWS_MS = [HOUR_MS, 5 * MINUTE_MS, 10 * SECOND_MS] as const;
const LIVE_MS = WINDOWS_MS[2];
const SEED = 1;
/** Airframes whose reports are made before other work has a turn. */
const AIRFRAMES_AT_ONCE = 8;

const traffics = new Map<string, SyntheticTraffic>();

/**
 * Reports of traffic that was never flown, up to now. A window of the clock always has the same reports, so a batch
 * which is made again after a crash is known already.
 */
export const makeTraffic: FeedTurn = async (services, rules, feed, signal) => {
  const { memoryMiB, closeAfterMs } = rules;
  const key = JSON.stringify([feed.legsPerDay, feed.box]);
  const traffic = traffics.get(key) ?? openTraffic(feed);
  traffics.set(key, traffic);
  const state = (await listSources(services.database, Date.now())).find(({ name }) => name === feed.name);
  let fromMs = nextWindow(state?.lastEventMs ?? null, Date.now() - feed.backfillMs);
  for (;;) {
    const nowMs = Date.now();
    const start = fromMs;
    const windowMs = WINDOWS_MS.find((length) => start % length === 0 && start + length <= nowMs);
    if (windowMs === undefined || signal.aborted) return;
    const toMs = fromMs + windowMs;
    const bytes = await windowBytes(traffic, fromMs, toMs);
    const header = {
      source: feed.name,
      format: FORMAT,
      name: `synthetic traffic from ${new Date(fromMs).toISOString()}`,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      isLive: true,
      receivedMs: nowMs,
    } as const;
    await applyBatch(services, header, bytesReader(bytes, { format: FORMAT, nowMs }), {
      memoryMiB,
      closeAfterMs,
      latenessMs: feed.latenessMs,
    });
    fromMs = toMs;
  }
};

function openTraffic({ legsPerDay, box }: Pick<FeedConfig, 'legsPerDay' | 'box'>): SyntheticTraffic {
  return openSyntheticTraffic({
    airports: worldAirports().all,
    legsPerDay,
    seed: SEED,
    ...(box && { isServed: ({ longitude, latitude }) => contains(box, longitude, latitude) }),
  });
}

/** The window after the one with the last report that was applied. */
function nextWindow(lastEventMs: number | null, firstMs: number): number {
  if (lastEventMs === null || lastEventMs < firstMs) return hourOf(firstMs);
  return Math.floor(lastEventMs / LIVE_MS) * LIVE_MS + LIVE_MS;
}

async function windowBytes(traffic: SyntheticTraffic, fromMs: number, toMs: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (const lines of traffic.lines(fromMs, toMs)) {
    chunks.push(Buffer.from(lines));
    if (chunks.length % AIRFRAMES_AT_ONCE === 0) await nextTurn();
  }
  return Buffer.concat(chunks);
}
