import type { Database } from '@contrails/platform/database/database';
import type { FamilyMetric } from '@contrails/platform/family';
import { listSources } from '../../telemetry-store/sources.ts';

/** State of the sources and hours; of all processes together. */
export function telemetryMetrics(database: Database): FamilyMetric[] {
  const bySource = async (read: (source: Awaited<ReturnType<typeof listSources>>[number]) => number) =>
    Object.fromEntries(
      (await listSources(database, Date.now())).map((source) => [source.name, read(source)]),
    );
  return [
    {
      name: 'contrails_telemetry_last_report_seconds',
      help: 'Time of the newest report of each source, in seconds since 1970; 0 without any.',
      label: 'source',
      read: () => bySource(({ lastEventMs }) => (lastEventMs ?? 0) / 1000),
    },
    {
      name: 'contrails_telemetry_source_stalled',
      help: '1 for each source without a new report for longer than stalled_after, else 0.',
      label: 'source',
      read: () => bySource(({ isStalled }) => (isStalled ? 1 : 0)),
    },
    {
      name: 'contrails_telemetry_hours',
      help: 'Hours by state.',
      label: 'state',
      async read() {
        const rows = await database.query<{ state: string; count: number }>(
          'SELECT state, COUNT(*) AS count FROM telemetry_hours GROUP BY state',
        );
        const counts = { open: 0, sealed: 0, revised: 0, closed: 0, removed: 0 };
        return { ...counts, ...Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)])) };
      },
    },
    {
      name: 'contrails_telemetry_pending',
      help: 'Stored reports that are in no published hour yet.',
      async read() {
        const [row] = await database.query<{ records: number | null }>(
          `SELECT SUM(records) AS records FROM telemetry_wal WHERE generation IS NULL AND kind <> 'ground'`,
        );
        return Number(row?.records ?? 0);
      },
    },
    {
      name: 'contrails_telemetry_refused',
      help: 'Refused records by code, since the beginning, without those that a retry of the quarantine accepted.',
      label: 'code',
      async read() {
        const rows = await database.query<{ code: string; records: number }>(
          'SELECT code, SUM(records) AS records FROM telemetry_refused GROUP BY code',
        );
        return Object.fromEntries(rows.map(({ code, records }) => [code, Number(records)]));
      },
    },
  ];
}
