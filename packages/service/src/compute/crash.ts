import { ContrailsError } from '../errors.ts';

/** The thread that ran a task is gone. The task failed; the pool and the other tasks live on. */
export class ComputeCrashError extends ContrailsError {}

/** Says how a thread ended: `fault` is what it threw uncaught, missing when it just exited. */
export function crashError(
  exitCode: number,
  fault: Error | undefined,
  heapMb: number,
  kernelUrl?: string,
): ComputeCrashError {
  const kernel = kernelUrl?.slice(kernelUrl.lastIndexOf('/') + 1);
  const thread = kernel === undefined ? 'an idle compute thread' : `the compute thread running ${kernel}`;
  const facts = { kernel, exitCode };
  if (fault === undefined) return new ComputeCrashError(`${thread} exited with code ${exitCode}`, { facts });
  if ('code' in fault && fault.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new ComputeCrashError(
      `${thread} ran out of its ${heapMb} MB of heap; split the work into smaller blocks or raise the limit`,
      { cause: fault, facts },
    );
  }
  return new ComputeCrashError(`${thread} crashed: ${fault.message}`, { cause: fault, facts });
}
