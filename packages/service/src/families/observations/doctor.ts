import type { Queryable } from '@contrails/platform/database/database';
import type { Finding } from '@contrails/platform/finding';
import { isoSecond } from '@contrails/runtime';
import { listSources } from './sources/sources.ts';

/** Quarantined frames are of concern for so long. */
const RECENT_MS = 2 * 86_400_000;

/** Sources that stall or fail, and frames that cannot be used. */
export async function checkObservations(database: Queryable, nowMs: number): Promise<Finding[]> {
  const sources = (await listSources(database, nowMs)).filter(({ isEnabled }) => isEnabled);
  const findings = sources.map(({ name, lastFrameMs, isStalled, error }): Finding => {
    const check = `observations ${name}`;
    const last = lastFrameMs === null ? 'no frame yet' : `last frame ${isoSecond(lastFrameMs)}`;
    if (error === null && !isStalled) return { check, state: 'ok', message: last };
    return {
      check,
      state: 'warn',
      message: error === null ? `stalled, ${last}` : `${error} (${last})`,
      remedy: 'check the source in observations.sources, and that a worker runs',
    };
  });
  const quarantined = await database.query<{
    satellite: string;
    reason: string;
    count: number;
    last: number;
    message: string;
  }>(
    `SELECT satellite, reason, COUNT(*) AS count, MAX(time_ms) AS last, MAX(message) AS message FROM observation_frames
     WHERE state = 'quarantined' AND changed_ms >= $1 GROUP BY satellite, reason ORDER BY satellite, reason`,
    [nowMs - RECENT_MS],
  );
  return [
    ...findings,
    ...quarantined.map(
      ({ satellite, reason, count, last, message }): Finding => ({
        check: `observations ${satellite}`,
        state: 'warn',
        message: `${Number(count)} frames are quarantined as ${reason}, the last is ${isoSecond(last)}: ${message}`,
        remedy: 'replace the files in the source; frames whose files change are processed again',
      }),
    ),
  ];
}
