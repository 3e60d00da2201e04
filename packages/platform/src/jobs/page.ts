import type { JobPage, JobRecord } from './jobs.ts';

/** One page from rows that were asked for with one more than fits. */
export function pageOf<Row extends { readonly cursor: string }>(
  rows: readonly Row[],
  limit: number,
  recordOf: (row: Row) => JobRecord,
): JobPage {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const jobs = shown.map(recordOf);
  return rows.length > limit && last !== undefined ? { jobs, cursor: last.cursor } : { jobs };
}
