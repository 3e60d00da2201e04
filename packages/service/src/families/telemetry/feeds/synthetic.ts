import { createHash } from 'node:crypto';
import { contains } from '@contrails/engine/grid/layout';
import { worldAirports } from '@contrails/flights';
import type { Queryable } from '@contrails/platform/database/database';
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
/** What the live sky looks back at, at least. */
const FIRST_MS = 4 * HOUR_MS;
/** Airframes whose reports are made before other work has a turn. */
const AIRFRAMES_AT_ONCE = 8;

const traffics = new Map<string, SyntheticTraffic>();

/** Hours that feeds have left out so far, by their name. */
const leftOut = new WeakMap<Queryable, Map<string, number[]>>();

/**
 * Reports of traffic that was never flown, up to now. A window of the clock always has the same reports, so a batch
 * which is made again after a crash is known already. The last hours come first, because the live sky waits for them.
 */
export const makeTraffic: FeedTurn = async (services, rules, feed, signal) => {
  const key = JSON.stringify([feed.legsPerDay, feed.box]);
  const traffic = traffics.get(key) ?? openTraffic(feed);
  traffics.set(key, traffic);
  const state = (await listSources(services.database, Date.now())).find(({ name }) => name === feed.name);
  const sinceMs = hourOf(Date.now() - feed.backfillMs);
  let fromMs = nextWindow(state?.lastEventMs ?? null, sinceMs);
  const { database } = services;
  const ofFeeds = leftOut.get(database) ?? new Map<string, number[]>();
  const older = ofFeeds.get(feed.name) ?? (await hoursWithout(database, feed.name, sinceMs, fromMs));
  leftOut.set(database, ofFeeds.set(feed.name, older));
  for (;;) {
    const nowMs = Date.now();
    for (; fromMs % HOUR_MS === 0 && fromMs < hourOf(nowMs - FIRST_MS); fromMs += HOUR_MS) older.push(fromMs);
    const start = fromMs;
    const windowMs = WINDOWS_MS.find((length) => start % length === 0 && start + length <= nowMs);
    if (signal.aborted) return;
    if (windowMs !== undefined) {
      await applyWindow(services, rules, feed, traffic, fromMs, fromMs + windowMs);
      fromMs += windowMs;
      continue;
    }
    const hourMs = older.at(-1);
    if (hourMs === undefined) return;
    await applyWindow(services, rules, feed, traffic, hourMs, hourMs + HOUR_MS);
    older.pop();
  }
};

async function applyWindow(
  services: Parameters<FeedTurn>[0],
  { memoryMiB, closeAfterMs }: Parameters<FeedTurn>[1],
  { name, latenessMs }: Parameters<FeedTurn>[2],
  traffic: SyntheticTraffic,
  fromMs: number,
  toMs: number,
): Promise<void> {
  const nowMs = Date.now();
  const bytes = await windowBytes(traffic, fromMs, toMs);
  const header = {
    source: name,
    format: FORMAT,
    name: `synthetic traffic from ${new Date(fromMs).toISOString()}`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    isLive: true,
    receivedMs: nowMs,
  } as const;
  const reader = bytesReader(bytes, { format: FORMAT, nowMs });
  await applyBatch(services, header, reader, { memoryMiB, closeAfterMs, latenessMs });
}

/** Hours between two times without a batch of the feed, in order; a process that stopped has left them out. */
async function hoursWithout(
  database: Queryable,
  source: string,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  const rows = await database.query<{ hour: number }>(
    `SELECT DISTINCT first_ms / ${HOUR_MS} AS hour FROM telemetry_batches
     WHERE source = $1 AND first_ms >= $2 AND first_ms < $3
     UNION SELECT hour_ms / ${HOUR_MS} FROM telemetry_hours WHERE hour_ms >= $2 AND hour_ms < $3 AND reports > 0`,
    [source, fromMs, toMs],
  );
  const known = new Set(rows.map(({ hour }) => Math.floor(Number(hour)) * HOUR_MS));
  const hours: number[] = [];
  for (let hourMs = fromMs; hourMs + HOUR_MS <= toMs; hourMs += HOUR_MS)
    if (!known.has(hourMs)) hours.push(hourMs);
  return hours;
}

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
  if (lastEventMs === null || lastEventMs < firstMs) return firstMs;
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
