/** What is said when a product is not stored: what is, and when to come back where it is on its way. */

import type { Queryable } from '@contrails/platform/database/database';
import type { JobRecord, Jobs } from '@contrails/platform/jobs';
import { HOUR_MS, isoSecond } from '@contrails/runtime';
import { NotFoundError } from '@contrails/runtime/errors';
import { failedTaskJob } from './failed-task.ts';
import { completeHours, contiguousHours } from './hours.ts';
import { hasHour, knownRuns } from './planned-runs.ts';

/** Nearest hours are computed first, so those far ahead take longer to come. */
const SOON_SECONDS = 60;
const LATER_SECONDS = 300;

export interface NotFoundServices {
  readonly database: Queryable;
  readonly jobs: Pick<Jobs, 'list' | 'enqueueAll'>;
}

export interface MissingProduct {
  /** In words: `forecast of class default`. */
  readonly what: string;
  readonly kind: string;
  readonly validTimeMs: number;
  readonly flightLevels: readonly number[];
  readonly referenceTimeMs?: number | undefined;
  /** First and last hour that would be computed on request [ms since 1970]. */
  readonly onRequest?: readonly [firstMs: number, lastMs: number] | undefined;
}

export async function productNotFound(
  services: NotFoundServices,
  absent: MissingProduct,
): Promise<NotFoundError> {
  const { what, kind, validTimeMs, referenceTimeMs, onRequest } = absent;
  const nowMs = Date.now();
  const [hours, outlook] = await Promise.all([
    completeHours(services.database, kind),
    outlookFor(services, absent),
  ]);
  const served = contiguousHours([hours], nowMs);
  const run = referenceTimeMs === undefined ? '' : ` from the run of ${isoSecond(referenceTimeMs)}`;
  const range =
    served === undefined
      ? 'no hour is stored on every flight level yet'
      : `served are ${isoSecond(served.firstMs)} to ${isoSecond(served.lastMs)}`;
  const computed =
    onRequest === undefined
      ? ''
      : `, and reanalysis of ${isoSecond(onRequest[0])} to ${isoSecond(onRequest[1])} is computed on request where it covers the cells`;
  return new NotFoundError(
    `no ${what} is stored for ${isoSecond(validTimeMs)}${run}; ${range}${computed}${hintOf(outlook)}`,
    {
      ...(outlook === 'planned' && {
        retryAfterSeconds: Math.abs(validTimeMs - nowMs) <= 2 * HOUR_MS ? SOON_SECONDS : LATER_SECONDS,
      }),
      facts: { kind, validTimeMs },
    },
  );
}

/** On its way, given up by a job, or never meant to be. */
type Outlook = 'planned' | JobRecord | undefined;

async function outlookFor(
  { database, jobs }: NotFoundServices,
  { kind, validTimeMs, flightLevels, referenceTimeMs }: MissingProduct,
): Promise<Outlook> {
  // The newest that has the hour: what older ones have not computed by then they leave out.
  const run = (await knownRuns(database)).find(
    (one) =>
      hasHour(one, validTimeMs, kind) &&
      (referenceTimeMs === undefined || one.referenceTimeMs === referenceTimeMs),
  );
  if (run === undefined) return undefined;
  const wanted = { kind, validTimeMs, flightLevels, referenceTimeMs: run.referenceTimeMs };
  return (await failedTaskJob(jobs, wanted)) ?? 'planned';
}

function hintOf(outlook: Outlook): string {
  if (outlook === undefined) return '';
  if (outlook === 'planned') return ', and this one is on its way';
  const end = outlook.state === 'failed' ? 'failed for good' : 'was cancelled';
  return `, and this one will not come: job ${outlook.id}, which was to compute it, ${end}; ask the operator to retry it, or wait for the next weather run`;
}

/** Grids of whole hours were requested at another time. */
export function betweenHours(timeMs: number): NotFoundError {
  const before = Math.floor(timeMs / HOUR_MS) * HOUR_MS;
  return new NotFoundError(
    `cocip grids are stored for whole hours; ask for ${isoSecond(before)} or ${isoSecond(before + HOUR_MS)} instead of ${isoSecond(timeMs)}`,
  );
}
