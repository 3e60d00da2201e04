/** The forecast as background jobs: one looks for weather runs and plans them, one computes and publishes a task. */

import { defineJob, type Jobs, MAX_PRIORITY } from '@contrails/platform/jobs';
import { isoHour } from '@contrails/runtime';
import { Type } from 'typebox';
import type { ForecastConfig } from './config.ts';
import { type ForecastTask, forecastTask } from './task.ts';

/** Which tasks of a run to plan; those of the configuration unless given. */
export const planRequest = Type.Object({
  source: Type.Optional(Type.String()),
  /** A run that is wanted; the newest without. */
  referenceTimeMs: Type.Optional(Type.Integer()),
  /** First and last hour after the start of the run. */
  leadHours: Type.Optional(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 })),
  classes: Type.Optional(Type.Array(Type.String())),
});

export const planKind = defineJob({
  name: 'forecast.plan',
  payload: planRequest,
  attempts: 3,
  priority: MAX_PRIORITY,
  subject: ({ source, referenceTimeMs }) =>
    [source, referenceTimeMs === undefined ? undefined : `${isoHour(referenceTimeMs)}Z`]
      .filter((word) => word !== undefined)
      .join(' '),
});

/** A worker that is killed spends an attempt, and workers of a large run are killed now and then. */
export const taskKind = defineJob({
  name: 'forecast.part',
  payload: forecastTask,
  attempts: 50,
  subject: taskSubject,
});

function taskSubject({ validTimeMs, aircraftClass, type, flightLevels }: ForecastTask): string {
  return `${isoHour(validTimeMs)}Z ${aircraftClass ?? type} FL${flightLevels[0]}-${flightLevels.at(-1)}`;
}

const SCHEDULE = 'forecast';
const START_INTERVAL_MS = 60_000;

/** Looks for new weather runs on the configured schedule, and once now; workers that start together share one look. */
export async function scheduleForecast(
  jobs: Jobs,
  { forecast, met }: ForecastConfig,
  nowMs: number,
): Promise<void> {
  if (met.sources.length === 0) return;
  if (forecast.schedule === 'off') {
    await jobs.unschedule(SCHEDULE);
    return;
  }
  await jobs.schedule(SCHEDULE, forecast.schedule, planKind, {});
  const key = `start/${Math.floor(nowMs / START_INTERVAL_MS)}`;
  await jobs.enqueue(planKind, {}, { key });
}
