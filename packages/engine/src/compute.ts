import { FrameError } from '@contrails/observations/frame';
import { type Compute, type ComputeOptions, openCompute as openPool } from '@contrails/runtime/compute';
import { ConflictError, NotFoundError, ValidationError } from '@contrails/runtime/errors';

export {
  type Compute,
  type ComputeOptions,
  defineKernel,
  type KernelAddress,
  kernelAt,
} from '@contrails/runtime/compute';

/** Compute threads whose kernels may throw the errors of the service: callers get them with their class. */
export function openCompute(options: Omit<ComputeOptions, 'errors'>): Compute {
  return openPool({ ...options, errors: [ConflictError, FrameError, NotFoundError, ValidationError] });
}
