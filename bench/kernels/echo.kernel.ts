import { defineKernel } from '@contrails/engine/compute';

/** The least a task can do. */
export default defineKernel<number, number>((input) => () => input);
