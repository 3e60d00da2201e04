/** The days that requests name: their runs, or why they are not served. */
import { ProblemError } from '@contrails/platform/http/problem';
import { atOnce, DAY_MS, isoDate } from '@contrails/runtime';
import { type RunManifest, readRunManifest } from '../../inventory-store/manifest.ts';
import type { Services } from '../../services.ts';
import { findDate, listDates } from './run/state.ts';

export type DayServices = Pick<Services, 'database' | 'store'>;

/** A date that is being computed is asked for again after this time. */
const RETRY_SECONDS = 300;
const READS_AT_ONCE = 8;

/** The run of a date that is served, or a given one. */
export async function requireRun(
  { store, database }: DayServices,
  date: string,
  runId?: string,
): Promise<RunManifest> {
  const manifest = await readRunManifest(store, date, runId);
  if (manifest !== undefined) return manifest;
  throw await notFound({ database }, date, runId);
}

export interface PublishedDays {
  readonly manifests: readonly RunManifest[];
  /** Dates of the range without a run. */
  readonly missing: readonly string[];
}

/** The runs of some days from a first one on, in their order; at least one of them is served. */
export async function requireRuns(
  services: DayServices,
  firstMs: number,
  days: number,
): Promise<PublishedDays> {
  const firstDay = Math.floor(firstMs / DAY_MS);
  const dates = Array.from({ length: days }, (_, k) => isoDate((firstDay + k) * DAY_MS));
  const runs: (RunManifest | undefined)[] = [];
  await atOnce(READS_AT_ONCE, dates, async (date, k) => {
    runs[k] = await readRunManifest(services.store, date);
  });
  const manifests = runs.filter((run) => run !== undefined);
  if (manifests.length === 0) throw await notFound(services, dates[0] as string);
  return { manifests, missing: dates.filter((_, k) => runs[k] === undefined) };
}

/** The state of a date that is not served, with the dates that are. */
export async function notFound(
  { database }: Pick<DayServices, 'database'>,
  date: string,
  runId?: string,
): Promise<ProblemError> {
  const known = await findDate(database, date);
  const dates = (await listDates(database)).filter((one) => one.runId !== null).map((one) => one.date);
  const served =
    dates.length === 0 ? 'no date is served yet' : `served are dates from ${dates[0]} to ${dates.at(-1)}`;
  if (runId !== undefined && known?.runId != null) {
    return new ProblemError(
      'not-found',
      `${date} has no run ${runId}; the current one is ${known.runId}`,
      {},
    );
  }
  if (known === undefined) {
    return new ProblemError('not-found', `${date} is not in the inventory; ${served}`, {
      members: { reason: 'no_data' },
    });
  }
  return new ProblemError('not-found', `${date}: ${known.message}; ${served}`, {
    ...(known.state === 'computing' ? { headers: { 'retry-after': String(RETRY_SECONDS) } } : {}),
    members: { reason: known.state },
  });
}
