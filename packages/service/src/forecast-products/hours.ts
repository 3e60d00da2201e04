import { FLIGHT_LEVELS } from '@contrails/engine/grid/layout';
import type { Queryable } from '@contrails/platform/database/database';
import { HOUR_MS } from '@contrails/runtime';
import { PRODUCT_GROUP } from './manifest.ts';

export interface HourRange {
  /** First and last hour, both inclusive [ms since 1970]. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Hours at which one edition of one run has every flight level of a kind, ascending [ms since 1970]. */
export async function completeHours(database: Queryable, kind: string): Promise<number[]> {
  const rows = await database.query<{ time: number; run: number | null; attributes: string }>(
    `SELECT valid_time_ms AS time, reference_time_ms AS run, attributes FROM products
     WHERE family = $1 AND kind = $2 AND valid_time_ms IS NOT NULL`,
    [PRODUCT_GROUP, kind],
  );
  const levels = new Map<string, { time: number; levels: Set<string> }>();
  for (const { time, run, attributes } of rows) {
    const { levels: held, edition } = JSON.parse(attributes);
    const key = `${time}/${run}/${edition}`;
    const entry = levels.get(key) ?? { time, levels: new Set<string>() };
    for (const level of String(held).split(',')) entry.levels.add(level);
    levels.set(key, entry);
  }
  const complete = [...levels.values()].filter((entry) => entry.levels.size === FLIGHT_LEVELS.length);
  return [...new Set(complete.map(({ time }) => time))].sort((a, b) => a - b);
}

/** Hours without a gap that every one of the lists has: those around now, or else those nearest to it. */
export function contiguousHours(lists: readonly (readonly number[])[], nowMs: number): HourRange | undefined {
  const [first = [], ...others] = lists;
  const sets = others.map((list) => new Set(list));
  const common = first.filter((hour) => sets.every((set) => set.has(hour)));
  const stretches: HourRange[] = [];
  for (const hour of common) {
    const last = stretches.at(-1);
    if (last?.lastMs === hour - HOUR_MS) stretches[stretches.length - 1] = { ...last, lastMs: hour };
    else stretches.push({ firstMs: hour, lastMs: hour });
  }
  const distance = ({ firstMs, lastMs }: HourRange) => Math.max(firstMs - nowMs, nowMs - lastMs, 0);
  return stretches.reduce<HourRange | undefined>(
    (best, one) => (best === undefined || distance(one) <= distance(best) ? one : best),
    undefined,
  );
}

/** First and last of the hours without a gap that every kind has on every level [ms since 1970]. */
export async function availableHours(
  database: Queryable,
  kinds: readonly string[],
  nowMs: number,
): Promise<readonly [firstMs: number, lastMs: number] | undefined> {
  const lists = await Promise.all(kinds.map((kind) => completeHours(database, kind)));
  const range = contiguousHours(lists, nowMs);
  return range && [range.firstMs, range.lastMs];
}
