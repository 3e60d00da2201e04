/** Typed client of the Contrails HTTP API, for browsers and Node. */
export {
  type CallOptions,
  type ClientOptions,
  type ContrailsClient,
  createClient,
  type FileEndpoint,
  type GridEndpoint,
  type GridQuery,
  type PlanningEndpoint,
  type ProductOptions,
  type TrajectoryEndpoint,
  type TrajectoryOptions,
  type WorkOptions,
} from './client.ts';
export { ContrailsError, type ErrorCode, type FieldProblem } from './error.ts';
export type { RemoteFile, RemoteRanges } from './files.ts';
export type { components, operations, paths } from './generated/openapi.ts';
export type { JobProgress, WaitOptions } from './jobs.ts';
export type { LiveEvent, StreamOptions } from './live.ts';
export type { RetryOptions } from './transport.ts';
export type * from './types.ts';
