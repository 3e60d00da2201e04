export type { Compute, ComputeOptions, ComputeState } from './compute.ts';
export { ComputeCrashError } from './crash.ts';
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
