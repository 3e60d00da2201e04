/** Frames as background jobs: one for each frame, and one that looks every minute for what is due. */

import { FrameError } from '@contrails/observations/frame';
import { defineJob, handleJob, type JobHandler, type Jobs, requestJob } from '@contrails/platform/jobs';
import type { JobContext } from '@contrails/platform/jobs/jobs';
import { HOUR_MS, isoSecond } from '@contrails/runtime';
import { CancelledError, UnavailableError } from '@contrails/runtime/errors';
import { Type } from 'typebox';
import type { Services } from '../../../services.ts';
import type { ObservationRules, ObservationsConfig } from '../config.ts';
import { isSynthetic } from '../sources/synthetic.ts';
import { detectorKey, earlierFramesMs } from './detector.ts';
import { createMemoryBudget } from './memory-budget.ts';
import { type FrameServices, memoryOf, processFrame, UnusableFrameError } from './process.ts';
import {
  asEarlier,
  countFailure,
  type EarlierInput,
  earlierOf,
  editionOf,
  type FrameRecord,
  findFrame,
  framesAt,
  framesIn,
  outdatedFrames,
  quarantineFrame,
  queueAgain,
  timesChangedSince,
  wantFrame,
} from './table.ts';

/** An image takes seconds, and is wanted minutes after it was taken; one of a satellite that does not exist can wait longer. */
export const FRAME_PRIORITY = { recent: 920, past: 840, synthetic: 796, again: -500 };

export const frameKind = defineJob({
  name: 'observations.frame',
  payload: Type.Object({ satellite: Type.String(), timeMs: Type.Integer(), edition: Type.String() }),
  // A worker that is killed spends an attempt; what counts against a frame are its own failures.
  attempts: 50,
  priority: FRAME_PRIORITY.recent,
  subject: ({ satellite, timeMs }) => `${satellite} ${isoSecond(timeMs)}`,
});

/** Frames that are planned at once; the others follow. */
const MAX_QUEUED = 500;
/** Of the frames that a new detector sees differently, so many are processed again at a time. */
const MAX_OUTDATED = 24;
/** Older frames are those of the past. */
const PAST_MS = 3 * HOUR_MS;
/** A frame still queued after this time is planned again, regardless of its job. */
const REPLAN_MS = 30 * 60_000;
/** A frame that has failed so often is quarantined. */
const MAX_FAILURES = 3;

/** Queues the jobs of frames that are complete; returns how many were not queued already. */
export async function enqueueFrames(
  { database, jobs }: Pick<Services, 'database'> & { readonly jobs: Pick<Jobs, 'enqueueAll'> },
  nowMs: number,
): Promise<number> {
  const frames = await framesIn(database, 'queued', MAX_QUEUED);
  const requests = frames.map((frame) => {
    const { satellite, timeMs, edition, changedMs } = frame;
    return requestJob(
      frameKind,
      { satellite, timeMs, edition },
      {
        key: `${satellite}/${isoSecond(timeMs)}/${edition}/${changedMs}/${Math.floor((nowMs - changedMs) / REPLAN_MS)}`,
        priority: priorityOf(frame, nowMs),
      },
    );
  });
  return (await jobs.enqueueAll(requests)).filter(({ created }) => created).length;
}

/** New frames come before those of the past, and these before those of a new detector. */
function priorityOf(frame: FrameRecord, nowMs: number): number {
  if (frame.manifest !== undefined) return FRAME_PRIORITY.again;
  if (isSynthetic(frame)) return FRAME_PRIORITY.synthetic;
  return nowMs - frame.timeMs > PAST_MS ? FRAME_PRIORITY.past : FRAME_PRIORITY.recent;
}

/** Looks for frames whose files do not come any more, and for those of another detector. */
export async function planFrames(
  services: Pick<Services, 'database' | 'jobs'>,
  rules: ObservationRules,
  nowMs: number,
): Promise<{ readonly queued: number; readonly overdue: number; readonly again: number }> {
  const { database } = services;
  let overdue = 0;
  for (const frame of await framesIn(database, 'collecting', MAX_QUEUED)) {
    const source = rules.sources.find(({ name }) => name === frame.source);
    if (nowMs - frame.seenMs <= (source?.completeWithinMs ?? 0)) continue;
    const names = frame.inputs.map(({ path }) => path).join(', ');
    await quarantineFrame(
      database,
      frame,
      'incomplete',
      `some files of the frame did not come; there are ${names}`,
      nowMs,
    );
    overdue++;
  }
  const detector = await detectorKey(rules);
  const enabled = rules.sources
    .filter(({ isEnabled }) => isEnabled)
    .map(({ name }) => [name, detector] as const);
  let again = 0;
  for (const frame of await outdatedFrames(database, new Map(enabled), MAX_OUTDATED)) {
    const edition = editionOf(frame, frame.inputs, detector);
    const isNew = await wantFrame(
      database,
      { ...frame, detector, edition, state: 'queued', message: 'the detector has changed' },
      nowMs,
    );
    if (isNew) again++;
  }
  again += await queueIncomplete(database, rules, detector, nowMs);
  return { queued: await enqueueFrames(services, nowMs), overdue, again };
}

/** How long after a frame arrives later frames are checked. */
const LATE_MS = 2 * HOUR_MS;

/** Queues frames that were processed without an earlier one that has come since, or with another edition of it. */
async function queueIncomplete(
  database: Services['database'],
  rules: ObservationRules,
  detector: string,
  nowMs: number,
): Promise<number> {
  const earlierMs = await earlierFramesMs(rules);
  if (earlierMs.length === 0) return 0;
  const changed = await timesChangedSince(database, nowMs - LATE_MS, MAX_QUEUED);
  let queued = 0;
  for (const [satellite, frames] of Map.groupBy(changed, (frame) => frame.satellite)) {
    const affected = new Set(frames.flatMap(({ timeMs }) => [0, ...earlierMs].map((ms) => timeMs + ms)));
    const needed = new Set([...affected].flatMap((timeMs) => [0, ...earlierMs].map((ms) => timeMs - ms)));
    const known = await framesAt(database, satellite, [...needed]);
    for (const frame of known) {
      if (!affected.has(frame.timeMs) || frame.state !== 'done' || frame.detector !== detector) continue;
      const noted = new Set(frame.manifest?.earlier?.map(inputsOf));
      const before = earlierOf(frame, earlierMs, known).map((one) => inputsOf(asEarlier(one, true)));
      if (before.length < earlierMs.length || before.every((one) => noted.has(one))) continue;
      if (await queueAgain(database, frame, 'an earlier frame has come', nowMs)) queued++;
    }
  }
  return queued;
}

function inputsOf({ time, inputs }: EarlierInput): string {
  return JSON.stringify([time, inputs]);
}

export function frameHandler(
  services: FrameServices,
  config: ObservationsConfig,
  rules: ObservationRules,
): JobHandler {
  return handleJob(frameKind, async ({ satellite, timeMs, edition }, context) => {
    const frame = await findFrame(services.database, satellite, timeMs);
    if (frame === undefined || frame.edition !== edition || frame.state !== 'queued') {
      return { skipped: 'it is done, or something else is wanted of the frame' };
    }
    return budget.use(await memoryOf(frame, rules), rules.memoryBytes, () =>
      attempt(services, config, rules, frame, context),
    );
  }) as JobHandler;
}

const budget = createMemoryBudget();

async function attempt(
  services: FrameServices,
  config: ObservationsConfig,
  rules: ObservationRules,
  frame: FrameRecord,
  { signal, log, progress }: JobContext,
): Promise<unknown> {
  const { database } = services;
  try {
    return await processFrame(services, config, rules, frame, { signal, progress });
  } catch (error) {
    if (signal.aborted || error instanceof CancelledError || error instanceof UnavailableError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const isInput = error instanceof FrameError || error instanceof UnusableFrameError;
    if (!isInput && (await countFailure(database, frame, message)) < MAX_FAILURES) throw error;
    const reason = isInput ? error.reason : 'failed';
    await quarantineFrame(database, frame, reason, message, Date.now());
    log.warn(
      { satellite: frame.satellite, time: isoSecond(frame.timeMs), reason },
      `a frame is quarantined: ${message}`,
    );
    return { quarantined: reason };
  }
}
