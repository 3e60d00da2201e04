export { toJson } from '@contrails/formats/json/writer';
export type { TrajectoryModel } from '../../trajectories/models.ts';
export { csvHead, csvLines, type EvaluatedBody, type OfflineTrajectories, openOffline } from './offline.ts';
export { openParquetTable, type ParquetTable, type TableName, toNetcdf } from './tables.ts';
