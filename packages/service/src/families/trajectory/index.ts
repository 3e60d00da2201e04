export { toJson } from '../../http/json.ts';
export { csvHead, csvLines } from './csv.ts';
export type { TrajectoryModel } from './models.ts';
export { type EvaluatedBody, type OfflineTrajectories, openOffline } from './offline.ts';
