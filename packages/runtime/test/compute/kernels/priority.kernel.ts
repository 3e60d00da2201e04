import { getPriority } from 'node:os';
import { defineKernel } from '../../../src/compute/index.ts';

/** Returns the priority of the thread that runs it. */
export default defineKernel<unknown, number>(() => () => getPriority());
