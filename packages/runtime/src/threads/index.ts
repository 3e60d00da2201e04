export { type CarriedError, carryError, type ErrorClass, reviveError } from './carried-error.ts';
export { collectGarbage, countShortLived, threadHeapBytes } from './memory.ts';
export { lowerPriority } from './priority.ts';
export { startWorker, type WorkerEvents, type WorkerHandle, type WorkerOptions } from './worker.ts';
