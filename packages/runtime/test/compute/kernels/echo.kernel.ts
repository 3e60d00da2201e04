import { defineKernel } from '../../../src/compute/index.ts';

/** Answers its input. */
export default defineKernel<unknown, unknown>((input) => () => input);
