export { toJson } from '../../http/json.ts';
export type { Answer } from './answer.ts';
export { type OfflinePlans, openOfflinePlans } from './offline.ts';
export type { PlanKind } from './options.ts';
