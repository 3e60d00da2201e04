import { FrameError } from '@contrails/observations/frame';
import { ConflictError, NotFoundError, ValidationError } from '@contrails/platform/errors';
import { type Compute, type ComputeOptions, openCompute as openPool } from '@contrails/runtime/compute';

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
