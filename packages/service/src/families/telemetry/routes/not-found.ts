/** Why an hour is not served: it never had data, is not complete yet, or is no longer kept. */

import type { Queryable } from '@contrails/platform/database/database';
import { ProblemError } from '@contrails/platform/http/problem';
import { HOUR_MS, isoHour } from '@contrails/runtime';
import type { TelemetryRules } from '../../../telemetry-store/config.ts';
import { findHour, servedHours } from '../../../telemetry-store/table.ts';

const SOON_SECONDS = 60;
const MAX_WAIT_SECONDS = 3600;

export async function hourNotFound(
  database: Queryable,
  rules: Pick<TelemetryRules, 'sealAfterMs'>,
  hourMs: number,
  isRemoved: boolean,
  nowMs: number,
): Promise<ProblemError> {
  const hour = isoHour(hourMs);
  const served = await servedRange(database);
  if (isRemoved) {
    const detail = `${hour} is closed and its file is no longer kept; ${served}`;
    return new ProblemError('not-found', detail, { members: { reason: 'removed' } });
  }
  const isKnown = (await findHour(database, hourMs)) !== undefined;
  const [feeds] = await database.query<{ count: number }>(
    'SELECT COUNT(*) AS count FROM telemetry_sources WHERE enabled = 1',
  );
  const endMs = hourMs + HOUR_MS;
  const isExpected = Number(feeds?.count) > 0 && endMs > nowMs - rules.sealAfterMs;
  if (!isKnown && !isExpected) {
    return new ProblemError('not-found', `${hour} never had data; ${served}`, {
      members: { reason: 'no_data' },
    });
  }
  const untilEnd = Math.max(0, Math.ceil((endMs - nowMs) / 1000));
  const seconds = Math.min(untilEnd + SOON_SECONDS, MAX_WAIT_SECONDS);
  return new ProblemError('not-found', `${hour} is not sealed yet; ask again in ${seconds} s; ${served}`, {
    headers: { 'retry-after': String(seconds) },
    members: { reason: 'not_sealed' },
  });
}

async function servedRange(database: Queryable): Promise<string> {
  const range = await servedHours(database);
  return range === undefined
    ? 'no hour is served yet'
    : `served are hours from ${isoHour(range.firstMs)} to ${isoHour(range.lastMs)}`;
}
