/** Removes runs that others have replaced, and files between the steps of days that nothing needs any more. */

import type { Queryable } from '@contrails/platform/database/database';
import type { Store } from '@contrails/platform/store/store';
import { DAY_MS } from '@contrails/runtime';
import { CancelledError } from '@contrails/runtime/errors';
import type { InventoryConfig } from '../../../inventory-store/config.ts';
import { runPrefix } from '../../../inventory-store/manifest.ts';
import type { Services } from '../../../services.ts';
import { listDates } from './state.ts';

type PruneServices = Pick<Services, 'database' | 'store'>;

/** What is younger may be in use: by a unit, a publication or a client. */
const MIN_AGE_MS = DAY_MS;

interface RunRow {
  readonly run_id: string;
  readonly date: string;
  readonly day_key: string;
  readonly previous_day_key: string | null;
  readonly started_ms: number;
}

/** Keeps the newest runs of each date and the one that is served. Returns how many runs are removed. */
export async function pruneRuns(
  { database, store }: PruneServices,
  { inventory: { keep_runs } }: InventoryConfig,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  if (keep_runs === 0) return 0;
  const served = new Set((await listDates(database)).map(({ runId }) => runId));
  const runs = await database.query<RunRow>('SELECT * FROM inventory_runs ORDER BY date, generation DESC');
  const seen = new Map<string, number>();
  let removed = 0;
  for (const { run_id, date, started_ms } of runs) {
    const newer = seen.get(date) ?? 0;
    seen.set(date, newer + 1);
    if (newer < keep_runs || served.has(run_id) || started_ms > nowMs - MIN_AGE_MS) continue;
    await removeAll(store, `${runPrefix(run_id)}/`, signal);
    await database.execute('DELETE FROM inventory_runs WHERE run_id = $1', [run_id]);
    removed++;
  }
  return removed;
}

/**
 * Keeps the days of dates that are computed, or that the schedule still checks, and those that the runs they serve were made
 * of: unchanged flights are taken from them. Returns how many days are removed.
 */
export async function pruneWork(
  { database, store }: PruneServices,
  { inventory: { days_back } }: InventoryConfig,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  const needed = await neededDays(database, nowMs - (days_back + 1) * DAY_MS);
  const isOfDate = new Set(
    (await listDates(database)).flatMap(({ dayKey, previousDayKey }) => [dayKey, previousDayKey]),
  );
  const days = await database.query<{ day_key: string }>(
    `SELECT day_key FROM inventory_days d WHERE created_ms < $1
       AND EXISTS (SELECT 1 FROM inventory_units u WHERE u.day_key = d.day_key) ORDER BY created_ms`,
    [nowMs - MIN_AGE_MS],
  );
  let removed = 0;
  for (const { day_key } of days) {
    if (needed.has(day_key)) continue;
    // First its units are undone: a day that is wanted again meanwhile is computed again, not read from files that are gone.
    await database.execute(
      `UPDATE inventory_units SET state = 'pending', files = NULL, updated_ms = $2 WHERE day_key = $1`,
      [day_key, nowMs],
    );
    await removeAll(store, `inventory/work/day=${day_key}/`, signal);
    await database.transaction(async (tx) => {
      await tx.execute('DELETE FROM inventory_units WHERE day_key = $1', [day_key]);
      // The inputs of a date show, even without its units, that it need not be computed again.
      if (!isOfDate.has(day_key))
        await tx.execute('DELETE FROM inventory_days WHERE day_key = $1', [day_key]);
    });
    removed++;
  }
  return removed;
}

async function neededDays(database: Queryable, sinceMs: number): Promise<ReadonlySet<string | null>> {
  const dates = (await listDates(database)).filter(
    ({ date, state }) => state !== 'published' || Date.parse(date) >= sinceMs,
  );
  const served = new Set(dates.map(({ runId }) => runId));
  const runs = await database.query<RunRow>('SELECT * FROM inventory_runs');
  return new Set([
    ...dates.flatMap(({ dayKey, previousDayKey }) => [dayKey, previousDayKey]),
    ...runs
      .filter(({ run_id }) => served.has(run_id))
      .flatMap(({ day_key, previous_day_key }) => [day_key, previous_day_key]),
  ]);
}

async function removeAll(store: Store, prefix: string, signal: AbortSignal): Promise<void> {
  for await (const { key } of store.list(prefix)) {
    if (signal.aborted) throw new CancelledError('the rest is removed next time', { cause: signal.reason });
    await store.remove(key);
  }
}
