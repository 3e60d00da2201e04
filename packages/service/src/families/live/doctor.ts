import type { Queryable } from '@contrails/platform/database/database';
import type { Finding } from '@contrails/platform/finding';
import { isoSecond, MINUTE_MS } from '@contrails/runtime';
import { readRow } from './published.ts';

/** A cycle older than this was not just slow. */
const LATE_MS = 10 * MINUTE_MS;

/** Nothing where live contrails were never computed. */
export async function checkLive(database: Queryable, nowMs: number): Promise<Finding[]> {
  const row = await readRow(database);
  if (row === undefined || (row.time_ms === null && row.error === null)) return [];
  const check = 'live contrails';
  const last = row.time_ms === null ? 'no cycle yet' : `last cycle ${isoSecond(row.time_ms)}`;
  if (row.error !== null)
    return [
      {
        check,
        state: 'warn',
        message: `${row.error} (${last})`,
        remedy: 'check the weather and the workers',
      },
    ];
  if (row.time_ms !== null && nowMs - row.time_ms > LATE_MS) {
    const remedy = 'start a worker, or set live.enabled to false';
    return [{ check, state: 'warn', message: `stopped, ${last}`, remedy }];
  }
  return [{ check, state: 'ok', message: last }];
}
