import { FrameError } from '@contrails/observations/frame';
import {
  openCompute as openPool,
  type ComputeOptions as PoolOptions,
  type Compute as Threads,
} from '@contrails/runtime/compute';
import { ConflictError, NotFoundError, ValidationError } from '@contrails/runtime/errors';
import type { GridGpu } from './gpu/grid-gpu.ts';

export {
  defineKernel,
  type KernelAddress,
  kernelAt,
} from '@contrails/runtime/compute';

/** Compute threads, and the GPU where grids may use one. */
export interface Compute extends Threads {
  readonly gpu?: GridGpu | undefined;
}

export interface ComputeOptions extends Omit<PoolOptions, 'errors'> {
  readonly gpu?: GridGpu | undefined;
}

/** Compute threads whose kernels may throw the errors of the service: callers get them with their class. */
export function openCompute({ gpu, ...options }: ComputeOptions): Compute {
  const pool = openPool({
    ...options,
    errors: [ConflictError, FrameError, NotFoundError, ValidationError],
  });
  return gpu === undefined ? pool : Object.assign(pool, { gpu });
}
