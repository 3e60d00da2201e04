/** Which hours are due: finished ones that every source has passed, and published ones with late reports. */

import type { Queryable } from '@contrails/platform/database/database';
import { DAY_MS, HOUR_MS, hourOf } from '@contrails/runtime';
import type { TelemetryRules } from '../../../telemetry-store/config.ts';
import { addHour, pendingHours } from '../../../telemetry-store/table.ts';

/** Empty hours further back are not made up when a feed starts again after a long time. */
const MAX_EMPTY_MS = 7 * DAY_MS;

export interface DueHour {
  readonly hourMs: number;
  readonly changedMs: number;
}

/** What planning reads of a source. */
interface SourceRow {
  readonly name: string;
  readonly enabled: number;
  readonly lateness_ms: number;
  readonly since_ms: number;
  readonly last_event_ms: number | null;
}

export type PlanRules = Pick<TelemetryRules, 'sealAfterMs' | 'settleMs'>;

/** Hours to build now. Hours without any report are made known where there should have been some. */
export async function dueHours(database: Queryable, rules: PlanRules, nowMs: number): Promise<DueHour[]> {
  const sources = await database.query<SourceRow>('SELECT * FROM telemetry_sources WHERE enabled = 1');
  const pending = await pendingHours(database);
  const due = pending.filter(({ hourMs, generation, changedMs }) =>
    generation === 0 ? isPast(hourMs, sources, rules, nowMs) : nowMs - changedMs >= rules.settleMs,
  );
  const empty: DueHour[] = [];
  for (const hourMs of await emptyHours(database, sources, nowMs)) {
    if (!isPast(hourMs, sources, rules, nowMs)) continue;
    await addHour(database, hourMs, nowMs);
    empty.push({ hourMs, changedMs: 0 });
  }
  const unpublished = await database.query<{ hour_ms: number }>(
    `SELECT hour_ms FROM telemetry_hours WHERE generation = 0
       AND NOT EXISTS (SELECT 1 FROM telemetry_wal w WHERE w.hour_ms = telemetry_hours.hour_ms)`,
  );
  const known = new Set(empty.map(({ hourMs }) => hourMs));
  const left = unpublished.filter(({ hour_ms }) => !known.has(hour_ms));
  return [
    ...due.map(({ hourMs, changedMs }) => ({ hourMs, changedMs })),
    ...empty,
    ...left.map(({ hour_ms }) => ({ hourMs: hour_ms, changedMs: 0 })),
  ];
}

/** Every source has passed the end of the hour, or has had its time to. */
function isPast(hourMs: number, sources: readonly SourceRow[], rules: PlanRules, nowMs: number): boolean {
  const endMs = hourMs + HOUR_MS;
  if (nowMs < endMs) return false;
  if (nowMs >= endMs + rules.sealAfterMs) return true;
  return sources.every(
    ({ last_event_ms, lateness_ms }) => last_event_ms !== null && last_event_ms - lateness_ms >= endMs,
  );
}

/** Hours without reports while a feed was configured, or on a day that has reports. */
async function emptyHours(
  database: Queryable,
  sources: readonly SourceRow[],
  nowMs: number,
): Promise<number[]> {
  const hours = new Set<number>();
  const lastMs = hourOf(nowMs) - HOUR_MS;
  const since = Math.min(...sources.map(({ since_ms }) => since_ms));
  for (let hourMs = hourOf(Math.max(since, nowMs - MAX_EMPTY_MS)); hourMs <= lastMs; hourMs += HOUR_MS) {
    hours.add(hourMs);
  }
  const days = await database.query<{ day: number }>(
    `SELECT hour_ms / ${DAY_MS} AS day FROM telemetry_hours GROUP BY hour_ms / ${DAY_MS} HAVING COUNT(*) < 24`,
  );
  for (const { day } of days) {
    const firstMs = Math.floor(Number(day)) * DAY_MS;
    for (let hourMs = firstMs; hourMs < firstMs + DAY_MS && hourMs <= lastMs; hourMs += HOUR_MS)
      hours.add(hourMs);
  }
  if (hours.size === 0) return [];
  const [first, last] = [Math.min(...hours), Math.max(...hours)];
  const known = await database.query<{ hour_ms: number }>(
    'SELECT hour_ms FROM telemetry_hours WHERE hour_ms >= $1 AND hour_ms <= $2',
    [first, last],
  );
  for (const { hour_ms } of known) hours.delete(hour_ms);
  return [...hours].sort((a, b) => a - b);
}
