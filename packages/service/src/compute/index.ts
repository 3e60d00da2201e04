export type { Compute, ComputeOptions } from './compute.ts';
export { ComputeCrashError } from './crash.ts';
export { defineKernel, kernelAt } from './kernel.ts';
export { openCompute } from './pool.ts';
