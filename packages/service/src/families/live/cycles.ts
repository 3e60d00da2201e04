/** The cycles: one process at a time computes and publishes; another takes over when it is gone. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { pastMinutes } from '@contrails/engine/live/cycle';
import type { LiveServices } from '@contrails/engine/live/run-legs';
import type { Background } from '@contrails/platform/family';
import { leaseSource, releaseSource, whileLeased } from '@contrails/platform/feeds/leases';
import type { Log } from '@contrails/platform/log';
import { HOUR_MS, isoSecond, SECOND_MS } from '@contrails/runtime';
import type { Services } from '../../services.ts';
import { listSources } from '../../telemetry-store/sources.ts';
import { type LiveBoard, openBoard } from './board.ts';
import type { LiveConfig } from './config.ts';
import { type FeedSummary, publishCycle, publishedMinutes, readRow, skyOf } from './published.ts';

const LEASE = { table: 'live_state', source: 'live' } as const;
/** Another process takes over within this time and a look. */
const LEASE_MS = 15 * SECOND_MS;
const LOOK_MS = 5 * SECOND_MS;
/** While there are no aircraft, a cycle costs nothing, and the first of them should be seen at once. */
const EMPTY_MS = 5 * SECOND_MS;
/** Aircraft and points of living contrails that a cycle makes for past minutes, which bounds its time and memory. */
const MAX_PAST_POINTS = 200_000;
const POINTS_PER_CONTRAIL = 20;

type CycleServices = Pick<Services, 'database' | 'store' | 'compute' | 'met' | 'reserve'>;

export async function startCycles(
  services: CycleServices,
  config: LiveConfig,
  log: Log,
): Promise<Background> {
  const { board, release } = await openBoard(services, config, log);
  const stopping = new AbortController();
  const running = takeTurns(services, board, log, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
      await release();
    },
  };
}

async function takeTurns(
  services: CycleServices,
  board: LiveBoard,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const { database } = services;
  const owner = randomUUID();
  await Promise.race([board.hasReports, aborted(signal)]);
  while (!signal.aborted) {
    try {
      const nowMs = Date.now();
      if (await leaseSource(database, LEASE, owner, nowMs, nowMs + LEASE_MS)) {
        const lease = { ...LEASE, owner, leaseMs: LEASE_MS };
        await whileLeased(database, lease, signal, (held) => runCycles(services, board, owner, held));
      }
    } catch (error) {
      if (signal.aborted) break;
      log.warn({ err: error }, 'live contrails cannot be computed; this is tried again');
      const message = error instanceof Error ? error.message : String(error);
      await database
        .execute(`UPDATE live_state SET error = $1 WHERE name = 'live'`, [message])
        .catch(() => undefined);
    }
    await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  await releaseSource(database, LEASE, owner).catch(() => undefined);
}

/** Until the lease is lost. */
async function runCycles(
  services: CycleServices,
  board: LiveBoard,
  owner: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const startedMs = Date.now();
    if (!(await runCycle(services, board, owner, startedMs, signal))) return;
    const { intervalMs } = board.rules;
    const isEmpty = board.sky?.flights.length === 0;
    const restMs = (isEmpty ? Math.min(EMPTY_MS, intervalMs) : intervalMs) - (Date.now() - startedMs);
    await pause(Math.max(0, restMs), undefined, { signal }).catch(() => undefined);
  }
}

/** False when another process has taken over. */
export async function runCycle(
  { database, store, compute, met, reserve }: CycleServices,
  board: LiveBoard,
  owner: string,
  nowMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const startedMs = performance.now();
  const { windowMs } = board.rules;
  const isPublished = await publishedMinutes(store, nowMs - windowMs);
  const aircraft = board.state.tracks.size;
  const points = 1 + aircraft + POINTS_PER_CONTRAIL * (board.sky?.contrails.length ?? aircraft);
  const [, ...minutes] = pastMinutes(nowMs, windowMs);
  const [firstMs, lastMs] = board.state.tracks.span();
  const missing = minutes.filter((minute) => minute >= firstMs && minute <= lastMs && !isPublished(minute));
  const past = missing.slice(0, Math.max(1, Math.floor(MAX_PAST_POINTS / points)));
  const lease = await reserve('live', cycleBytes(board), signal);
  try {
    const live: LiveServices = { met, compute };
    const computed = await board.state.run(live, nowMs, past, { signal });
    const cycle = ((await readRow(database))?.cycle ?? 0) + 1;
    const origin = { hours: windowMs / HOUR_MS, feeds: await feedsOf(database, nowMs) };
    const sky = skyOf(computed, cycle, origin);
    const tookMs = performance.now() - startedMs;
    if (!(await publishCycle({ database, store }, owner, sky, computed.past, tookMs))) return false;
    await board.show(sky);
    return true;
  } finally {
    lease.release();
  }
}

/** Sources of the live state, with how new their reports are. */
async function feedsOf(database: Services['database'], nowMs: number): Promise<FeedSummary[]> {
  const sources = await listSources(database, nowMs);
  return sources
    .filter(({ isEnabled, kind }) => isEnabled && LIVE_KINDS.has(kind))
    .map(({ name, kind, lastEventMs, isStalled }) => ({
      name,
      kind,
      newest_report: lastEventMs === null ? null : isoSecond(lastEventMs),
      stalled: isStalled,
    }));
}

const LIVE_KINDS: ReadonlySet<string> = new Set(['poll', 'push', 'synthetic']);

/** What the models need for the flights that are run at once, and the features of an aircraft, about. */
const BYTES_AT_ONCE = 40 * 2 ** 20;
const BYTES_PER_AIRCRAFT = 10_000;

function cycleBytes({ state }: LiveBoard): number {
  return BYTES_AT_ONCE + BYTES_PER_AIRCRAFT * state.tracks.size;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
