/** Why a frame is not served: outside the archive, never received, in processing, unusable, or no longer kept. */

import { FRAME_STEP_MS } from '@contrails/observations/frame';
import type { Queryable } from '@contrails/platform/database/database';
import { ProblemError } from '@contrails/platform/http/problem';
import { isoSecond } from '@contrails/runtime';
import { EXPECTED_MS, type FrameRecord, servedRange } from '../frames/table.ts';

const SOON_SECONDS = 60;

export type MissingReason = 'outside_archive' | 'not_received' | 'in_processing' | 'quarantined' | 'removed';

export async function frameNotFound(
  database: Queryable,
  satellite: string,
  timeMs: number,
  record: FrameRecord | undefined,
  nowMs: number,
): Promise<ProblemError> {
  const range = await servedRange(database, satellite);
  const time = isoSecond(timeMs);
  const served =
    range === undefined
      ? `no frame of ${satellite} is served yet`
      : `frames of ${satellite} are served from ${isoSecond(range.firstMs)} to ${isoSecond(range.lastMs)}`;
  const problem = (reason: MissingReason, what: string, retrySeconds?: number) =>
    new ProblemError('not-found', `${what}; ${served}`, {
      ...(retrySeconds === undefined ? {} : { headers: { 'retry-after': String(retrySeconds) } }),
      members: { reason },
    });
  if (record?.manifest !== undefined) {
    return problem('removed', `the frame of ${time} was processed, but this file is no longer kept`);
  }
  if (record?.state === 'queued' || record?.state === 'collecting') {
    return problem('in_processing', `the frame of ${time} is being processed`, SOON_SECONDS);
  }
  if (record?.state === 'quarantined') {
    return problem('quarantined', `the frame of ${time} was received but cannot be used (${record.reason})`);
  }
  const isExpected = timeMs <= nowMs && timeMs > nowMs - EXPECTED_MS - FRAME_STEP_MS;
  if (isExpected) {
    return problem('not_received', `the frame of ${time} has not been received yet`, SOON_SECONDS);
  }
  const isInside = range !== undefined && timeMs >= range.firstMs && timeMs <= range.lastMs;
  return isInside
    ? problem('not_received', `the frame of ${time} was never received`)
    : problem('outside_archive', `${time} is outside the archive`);
}
