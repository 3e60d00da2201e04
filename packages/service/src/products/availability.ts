import type { Queryable } from '../database/database.ts';
import { completeHours, contiguousHours } from './hours.ts';

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
