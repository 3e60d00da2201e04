export { type Compute, ComputeCrashError, type ComputeOptions, type ComputeState } from './compute.ts';
export {
  type Block,
  type BlockContext,
  defineKernel,
  type Kernel,
  type KernelAddress,
  kernelAt,
} from './kernel.ts';
export { openCompute } from './pool.ts';
export type { TaskOptions } from './task.ts';
