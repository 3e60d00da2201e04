export type { TrajectoryModel } from '@contrails/engine/flights/models';
export { toJson } from '@contrails/formats/json/writer';
export { csvHead, csvLines, type EvaluatedBody, type OfflineTrajectories, openOffline } from './offline.ts';
export { openParquetTable, type ParquetTable, type TableName, toNetcdf } from './tables.ts';
