/** The forecast as background jobs: one looks for weather runs and plans them, one computes and publishes a task. */
import { Type } from 'typebox';
import { defineJob } from '../../../jobs/index.ts';
import { forecastTask } from './task.ts';

/** What of a run is to be planned; all that the configuration says unless it is given. */
export const planRequest = Type.Object({
  source: Type.Optional(Type.String()),
  /** A run that is wanted; the newest without. */
  referenceTimeMs: Type.Optional(Type.Integer()),
  /** First and last hour after the start of the run. */
  leadHours: Type.Optional(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 })),
  classes: Type.Optional(Type.Array(Type.String())),
});

export const planKind = defineJob({ name: 'forecast.plan', payload: planRequest, attempts: 3 });

/** A worker that is killed spends an attempt, and workers of a large run are killed now and then. */
export const taskKind = defineJob({ name: 'forecast.part', payload: forecastTask, attempts: 50 });
