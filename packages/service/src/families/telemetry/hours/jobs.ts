/** Hours as background jobs: one finds what is due every minute, one builds and publishes an hour. */

import {
  defineJob,
  handleJob,
  type JobHandler,
  type Jobs,
  MAX_PRIORITY,
  requestJob,
} from '@contrails/platform/jobs';
import { isoHour } from '@contrails/runtime';
import { UnavailableError } from '@contrails/runtime/errors';
import { Type } from 'typebox';
import type { TelemetryRules } from '../../../telemetry-store/config.ts';
import type { TelemetryServices } from '../../../telemetry-store/services.ts';
import { type DueHour, dueHours } from './plan.ts';
import { type PublishOutcome, publishHour } from './publish.ts';

const planKind = defineJob({
  name: 'telemetry.plan',
  payload: Type.Object({}),
  attempts: 3,
  priority: MAX_PRIORITY,
});
/** Takes seconds, while tasks of a forecast take minutes and are always queued. */
const buildKind = defineJob({
  name: 'telemetry.build',
  payload: Type.Object({ hourMs: Type.Integer() }),
  attempts: 20,
  priority: 900,
  subject: ({ hourMs }) => `${isoHour(hourMs)}Z`,
});

export const telemetryKinds = [planKind, buildKind];

const SCHEDULE = 'telemetry';
/** An hour still due after this time is planned again, regardless of its job. */
const REPLAN_MS = 10 * 60_000;

export async function scheduleTelemetry(jobs: Jobs): Promise<void> {
  await jobs.schedule(SCHEDULE, '* * * * *', planKind, {});
}

export function telemetryHandlers(
  services: TelemetryServices & { readonly jobs: Pick<Jobs, 'enqueueAll'> },
  rules: TelemetryRules,
): JobHandler[] {
  return [
    handleJob(planKind, async () => {
      const due = await dueHours(services.database, rules, Date.now());
      return { hours: due.length, new: await enqueueBuilds(services.jobs, due, Date.now()) };
    }),
    handleJob(buildKind, async ({ hourMs }) => ({
      hour: isoHour(hourMs),
      ...(await publishWithRetry(services, rules, hourMs)),
    })),
  ];
}

/** Queues the builds of hours; returns how many were not queued already. */
async function enqueueBuilds(
  jobs: Pick<Jobs, 'enqueueAll'>,
  due: readonly DueHour[],
  nowMs: number,
): Promise<number> {
  const turn = Math.floor(nowMs / REPLAN_MS);
  const requests = due.map(({ hourMs, changedMs }) =>
    requestJob(buildKind, { hourMs }, { key: `${hourMs}/${changedMs}/${turn}` }),
  );
  return (await jobs.enqueueAll(requests)).filter(({ created }) => created).length;
}

const ATTEMPTS = 5;

/** Two builders of one hour publish in turn. */
export async function publishWithRetry(
  services: TelemetryServices,
  rules: TelemetryRules,
  hourMs: number,
  nowMs: () => number = Date.now,
): Promise<PublishOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await publishHour(services, rules, hourMs, nowMs());
    } catch (error) {
      const isCollision = error instanceof UnavailableError && error.retryAfterSeconds === 1;
      if (!isCollision || attempt === ATTEMPTS) throw error;
    }
  }
}
