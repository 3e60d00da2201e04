import type { Database } from '@contrails/platform/database/database';
import type { FamilyMetric } from '@contrails/platform/family';
import { FRAME_STATES } from './frames/table.ts';
import { listSources, type SourceState } from './sources/sources.ts';

/** State of the sources and frames; of all processes together. */
export function observationMetrics(database: Database): FamilyMetric[] {
  const bySource = async (read: (source: SourceState) => number) =>
    Object.fromEntries(
      (await listSources(database, Date.now())).map((source) => [source.name, read(source)]),
    );
  const counted = async (sql: string) => {
    const rows = await database.query<{ label: string; count: number }>(sql);
    return Object.fromEntries(rows.map(({ label, count }) => [label, Number(count)]));
  };
  return [
    {
      name: 'contrails_observations_last_frame_seconds',
      help: 'Time of the newest published frame of each source, in seconds since 1970; 0 without any.',
      label: 'source',
      read: () => bySource(({ lastFrameMs }) => (lastFrameMs ?? 0) / 1000),
    },
    {
      name: 'contrails_observations_source_stalled',
      help: '1 for each source without a new file for longer than stalled_after, else 0.',
      label: 'source',
      read: () => bySource(({ isStalled }) => (isStalled ? 1 : 0)),
    },
    {
      name: 'contrails_observations_frames',
      help: 'Frames by state.',
      label: 'state',
      read: async () => ({
        ...Object.fromEntries(FRAME_STATES.map((state) => [state, 0])),
        ...(await counted('SELECT state AS label, COUNT(*) AS count FROM observation_frames GROUP BY state')),
      }),
    },
    {
      name: 'contrails_observations_quarantined',
      help: 'Quarantined frames by reason.',
      label: 'reason',
      read: () =>
        counted(
          `SELECT reason AS label, COUNT(*) AS count FROM observation_frames WHERE state = 'quarantined' GROUP BY reason`,
        ),
    },
    {
      name: 'contrails_observations_attributed_until_seconds',
      help: 'Time of the last frame of each satellite whose contrails are attributed, in seconds since 1970.',
      label: 'satellite',
      read: () =>
        counted(
          'SELECT satellite AS label, MAX(time_ms) / 1000 AS count FROM observation_attribution GROUP BY satellite',
        ),
    },
  ];
}
