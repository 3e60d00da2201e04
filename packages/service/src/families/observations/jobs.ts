/** What workers do for observations: every minute they look for frames and flights that are due. */

import { defineJob, handleJob, type JobHandler, type Jobs, MAX_PRIORITY } from '@contrails/platform/jobs';
import { Type } from 'typebox';
import type { Services } from '../../services.ts';
import { enqueueIndex, indexHandler, indexKind } from './attribution/flight-index.ts';
import { attributionHandlers, enqueueRolls, flightKind, rollKind } from './attribution/jobs.ts';
import { searchHandler, searchKind } from './attribution/search.ts';
import type { ObservationRules, ObservationsConfig } from './config.ts';
import { frameHandler, frameKind, planFrames } from './frames/jobs.ts';

const planKind = defineJob({
  name: 'observations.plan',
  payload: Type.Object({}),
  attempts: 3,
  priority: MAX_PRIORITY,
});
export const observationKinds = [planKind, frameKind, rollKind, flightKind, indexKind, searchKind];

const SCHEDULE = 'observations';

export async function scheduleObservations(jobs: Jobs): Promise<void> {
  await jobs.schedule(SCHEDULE, '* * * * *', planKind, {});
}

export function observationHandlers(
  services: Services,
  config: ObservationsConfig,
  rules: ObservationRules,
): JobHandler[] {
  return [
    handleJob(planKind, async () => {
      const nowMs = Date.now();
      const planned = await planFrames(services, rules, nowMs);
      await enqueueRolls(services.jobs, rules, nowMs);
      await enqueueIndex(services, rules, nowMs);
      return planned;
    }) as JobHandler,
    frameHandler(services, config, rules),
    ...attributionHandlers(services, config, rules),
    indexHandler(services, config),
    searchHandler(services, config, rules),
  ];
}
