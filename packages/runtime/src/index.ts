export { didYouMean, nearMatches } from '@contrails/physics/common';
export { atOnce } from './at-once.ts';
export {
  CancelledError,
  ContrailsError,
  ErrorWithFacts,
  type Facts,
  UnavailableError,
  UsageError,
} from './errors.ts';
export { type FileLock, lockFile } from './file-lock.ts';
export { createLimiter, type Limiter } from './limiter.ts';
export { LruMap } from './lru-map.ts';
export {
  type FixedMemory,
  MemoryBudget,
  type MemoryBudgetOptions,
  type MemoryLease,
  type Reserve,
  type ReserveOptions,
} from './memory-budget.ts';
export { type RetryPolicy, withRetry } from './retry.ts';
export { sharedFloat32, sharedFloat64, sharedInt32, sharedUint8, sharedUint32 } from './shared-arrays.ts';
export {
  makeTemporaryFolder,
  sweepTemporaryFolders,
  type TemporaryFolder,
  withTemporaryFolder,
} from './temporary-folder.ts';
export {
  DAY_MS,
  HOUR_MS,
  hourOf,
  isoDate,
  isoHour,
  isoSecond,
  isoTime,
  MINUTE_MS,
  SECOND_MS,
} from './time.ts';
export { WaitLimit } from './wait-limit.ts';
