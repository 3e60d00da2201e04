export { type Compute, ComputeCrashError, type ComputeOptions } from './compute.ts';
export { defineKernel, kernelAt } from './kernel.ts';
export { openCompute } from './pool.ts';
