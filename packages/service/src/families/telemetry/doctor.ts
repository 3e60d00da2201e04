import type { Queryable } from '@contrails/platform/database/database';
import type { Finding } from '@contrails/platform/finding';
import { isoHour } from '@contrails/runtime';
import { listSources } from '../../telemetry-store/sources.ts';

/** A pending hour older than this is not just waiting for its turn. */
const LONG_PENDING_MS = 6 * 3_600_000;

/** Sources that stall or fail, and hours that are not built. */
export async function checkTelemetry(database: Queryable, nowMs: number): Promise<Finding[]> {
  const sources = (await listSources(database, nowMs)).filter(({ isEnabled }) => isEnabled);
  const findings = sources.map(({ name, lastBatchMs, isStalled, error }): Finding => {
    const check = `telemetry ${name}`;
    const last =
      lastBatchMs === null ? 'no report yet' : `last report ${new Date(lastBatchMs).toISOString()}`;
    if (error === null && !isStalled) return { check, state: 'ok', message: last };
    return {
      check,
      state: 'warn',
      message: error === null ? `stalled, ${last}` : `${error} (${last})`,
      remedy: 'check the receiver and the source in telemetry.sources, and that a worker runs',
    };
  });
  const [late] = await database.query<{ count: number; first: number | null }>(
    `SELECT COUNT(DISTINCT h.hour_ms) AS count, MIN(h.hour_ms) AS first FROM telemetry_hours h JOIN telemetry_wal w ON w.hour_ms = h.hour_ms
     WHERE w.generation IS NULL AND h.changed_ms < $1 AND h.hour_ms < $1`,
    [nowMs - LONG_PENDING_MS],
  );
  findings.push(...(await unreadFiles(database)));
  const count = Number(late?.count ?? 0);
  if (count === 0 || late?.first == null) return findings;
  const hour = isoHour(late.first);
  return [
    ...findings,
    {
      check: 'telemetry hours',
      state: 'warn',
      message: `${count} hours have reports that are not published, the first is ${hour}`,
      remedy:
        'start a worker, and look for failed jobs with "contrails jobs list --kind telemetry.build --state failed"',
    },
  ];
}

/** Files of folders that hold no telemetry, or of which not all could be read. */
async function unreadFiles(database: Queryable): Promise<Finding[]> {
  const rows = await database.query<{ source: string; count: number; first: string }>(
    'SELECT source, COUNT(*) AS count, MIN(error) AS first FROM telemetry_files WHERE error IS NOT NULL GROUP BY source ORDER BY source',
  );
  return rows.map(({ source, count, first }) => ({
    check: `telemetry ${source}`,
    state: 'warn',
    message: `${count} files of the folder were not imported, or not whole, such as: ${first}`,
    remedy: 'replace these files, or move them out of the folder',
  }));
}
