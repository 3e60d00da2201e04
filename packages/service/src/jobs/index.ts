export { defineJob, handleJob, requestJob } from './define.ts';
export type {
  Enqueued,
  JobContext,
  JobHandler,
  JobKind,
  JobOptions,
  JobPage,
  JobQuery,
  JobRecord,
  JobRequest,
  JobState,
  Jobs,
  Worker,
  WorkOptions,
} from './jobs.ts';
export { JOB_STATES } from './jobs.ts';
export { type MaintenanceTask, maintenanceJob, maintenanceKind } from './maintenance.ts';
export { type JobsOptions, openJobs } from './open.ts';
export { FinalJobError } from './outcome.ts';
