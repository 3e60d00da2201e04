/** What is said when a product is not stored: what is, and when to come back where it is on its way. */
import type { Queryable } from '../../database/database.ts';
import { NotFoundError } from '../../errors.ts';
import { hasHour, knownRuns } from '../../forecast/runs.ts';
import { isoSecond } from '../../grids/iso-time.ts';
import { completeHours, contiguousHours } from '../../products/hours.ts';

const HOUR_MS = 3_600_000;
/** Nearest hours are computed first, so those far ahead take longer to come. */
const SOON_SECONDS = 60;
const LATER_SECONDS = 300;

export interface AbsentProduct {
  /** In words: `forecast of class default`. */
  readonly what: string;
  readonly kind: string;
  readonly validTimeMs: number;
  readonly referenceTimeMs?: number | undefined;
}

export async function absence(database: Queryable, absent: AbsentProduct): Promise<NotFoundError> {
  const { what, kind, validTimeMs, referenceTimeMs } = absent;
  const nowMs = Date.now();
  const [hours, runs] = await Promise.all([completeHours(database, kind), knownRuns(database)]);
  const served = contiguousHours([hours], nowMs);
  const isPlanned = runs.some(
    (run) =>
      hasHour(run, validTimeMs, kind) &&
      (referenceTimeMs === undefined || run.referenceTimeMs === referenceTimeMs),
  );
  const run = referenceTimeMs === undefined ? '' : ` from the run of ${isoSecond(referenceTimeMs)}`;
  const range =
    served === undefined
      ? 'none is stored yet'
      : `served are ${isoSecond(served.firstMs)} to ${isoSecond(served.lastMs)}`;
  const hint = isPlanned ? ', and this one is on its way' : '';
  return new NotFoundError(`no ${what} is stored for ${isoSecond(validTimeMs)}${run}; ${range}${hint}`, {
    ...(isPlanned && {
      retryAfterSeconds: Math.abs(validTimeMs - nowMs) <= 2 * HOUR_MS ? SOON_SECONDS : LATER_SECONDS,
    }),
    facts: { kind, validTimeMs },
  });
}

/** Grids of whole hours were asked for at another time. */
export function betweenHours(timeMs: number): NotFoundError {
  const before = Math.floor(timeMs / HOUR_MS) * HOUR_MS;
  return new NotFoundError(
    `cocip grids are stored for whole hours; ask for ${isoSecond(before)} or ${isoSecond(before + HOUR_MS)} instead of ${isoSecond(timeMs)}`,
  );
}
