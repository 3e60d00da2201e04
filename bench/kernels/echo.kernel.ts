import { defineKernel } from '../../packages/service/src/compute/index.ts';

/** The least a task can do. */
export default defineKernel<number, number>((input) => () => input);
