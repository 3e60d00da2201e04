export { defineJob, handleJob, requestJob } from './define.ts';
export type { JobHandler, JobRecord, JobRequest, Jobs, Worker } from './jobs.ts';
export { type MaintenanceTask, maintenanceJob, maintenanceKind } from './maintenance.ts';
export { openJobs } from './open.ts';
