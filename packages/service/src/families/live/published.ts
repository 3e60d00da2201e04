/** What the computing process leaves for others: the sky of each minute as an object of the store, and which one is the newest. */
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createGzip, gunzip } from 'node:zlib';
import type { LiveCycle, LiveSky } from '@contrails/engine/live/cycle';
import type { LiveSummary } from '@contrails/engine/live/summary';
import type { Queryable } from '@contrails/platform/database/database';
import type { Store } from '@contrails/platform/store';
import { MINUTE_MS } from '@contrails/runtime';
import { nextTurn } from '@contrails/runtime/turns';

/** The sky as it is stored; a past minute that was computed later has no summary. */
export interface PublishedSky extends LiveSky {
  readonly cycle: number;
  readonly summary: PublishedSummary | null;
  readonly run: { readonly source: string; readonly referenceTime: number | null } | null;
}

/** What is in the sky, and where that is known from. */
interface PublishedSummary extends LiveSummary, SummaryOrigin {}

interface SummaryOrigin {
  /** How far back past minutes reach. */
  readonly hours: number;
  readonly feeds: readonly FeedSummary[];
}

export interface FeedSummary {
  readonly name: string;
  readonly kind: string;
  readonly newest_report: string | null;
  /** Without a report for longer than `stalled_after` of the source. */
  readonly stalled: boolean;
}

export interface LiveRow {
  readonly cycle: number;
  readonly time_ms: number | null;
  readonly took_ms: number | null;
  readonly key: string | null;
  readonly error: string | null;
}

const PREFIX = 'live/';
const unpack = promisify(gunzip);
/** Levels above it take many times as long for a tenth less. */
const GZIP = { level: 2 };

function keyOf(timeMs: number): string {
  return `${PREFIX}${new Date(Math.floor(timeMs / MINUTE_MS) * MINUTE_MS).toISOString().slice(0, 16).replace(':', '-')}.json.gz`;
}

export async function readRow(database: Queryable): Promise<LiveRow | undefined> {
  const [row] = await database.query<LiveRow>(
    `SELECT cycle, time_ms, took_ms, key, error FROM live_state WHERE name = 'live'`,
  );
  return row;
}

export async function readSky(store: Pick<Store, 'read'>, key: string): Promise<PublishedSky | undefined> {
  const found = await store.read(key);
  if (found === undefined) return undefined;
  return JSON.parse((await unpack(await buffer(found.body))).toString()) as PublishedSky;
}

/** The sky of the newest cycle of a minute. */
export function readMinute(store: Pick<Store, 'read'>, timeMs: number): Promise<PublishedSky | undefined> {
  return readSky(store, keyOf(timeMs));
}

export function skyOf(
  { timeMs, flights, contrails, summary, run }: LiveCycle,
  cycle: number,
  origin: SummaryOrigin,
): PublishedSky {
  const { source, referenceTime = null } = run ?? {};
  return {
    ...{ cycle, timeMs, flights, contrails, summary: { ...summary, ...origin } },
    run: source === undefined ? null : { source, referenceTime },
  };
}

/** Makes a cycle known; false when another process holds the lease by now. */
export async function publishCycle(
  { database, store }: { readonly database: Queryable; readonly store: Pick<Store, 'put'> },
  owner: string,
  sky: PublishedSky,
  past: readonly LiveSky[],
  tookMs: number,
): Promise<boolean> {
  for (const one of past) await putSky(store, { ...one, cycle: sky.cycle, summary: null, run: sky.run });
  const key = await putSky(store, sky);
  const changed = await database.execute(
    `UPDATE live_state SET cycle = $2, time_ms = $3, took_ms = $4, key = $5, error = NULL
     WHERE name = 'live' AND lease_owner = $1`,
    [owner, sky.cycle, sky.timeMs, Math.round(tookMs), key],
  );
  return changed > 0;
}

/** In pieces: the text of a crowded sky is as large as the sky, and takes half a second. */
async function putSky(store: Pick<Store, 'put'>, sky: PublishedSky): Promise<string> {
  const key = keyOf(sky.timeMs);
  // An error in one stream destroys the other, so the store sees it.
  await store.put(
    key,
    pipeline(Readable.from(piecesOf(sky)), createGzip(GZIP), () => {}),
  );
  return key;
}

const PIECE_FEATURES = 250;

async function* piecesOf({ flights, contrails, ...rest }: PublishedSky): AsyncGenerator<string> {
  yield JSON.stringify(rest).slice(0, -1);
  for (const [name, features] of Object.entries({ flights, contrails })) {
    yield `,"${name}":[`;
    for (let first = 0; first < features.length; first += PIECE_FEATURES) {
      const some = features.slice(first, first + PIECE_FEATURES);
      yield (first === 0 ? '' : ',') + JSON.stringify(some).slice(1, -1);
      await nextTurn();
    }
    yield ']';
  }
  yield '}';
}

/** Minutes that are published; those before a time are removed. */
export async function publishedMinutes(
  store: Pick<Store, 'list' | 'remove'>,
  sinceMs: number,
): Promise<(timeMs: number) => boolean> {
  const known = new Set<string>();
  const oldest = keyOf(sinceMs);
  for await (const { key } of store.list(PREFIX)) {
    if (key < oldest) await store.remove(key);
    else known.add(key);
  }
  return (timeMs) => known.has(keyOf(timeMs));
}
