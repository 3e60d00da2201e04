export { defineJob, handleJob, requestJob } from './define.ts';
export {
  type JobHandler,
  type JobKind,
  type JobRecord,
  type JobRequest,
  type Jobs,
  MAX_PRIORITY,
  type Worker,
} from './jobs.ts';
export { type MaintenanceTask, maintenanceJob, maintenanceKind } from './maintenance.ts';
export { openJobs } from './open.ts';
