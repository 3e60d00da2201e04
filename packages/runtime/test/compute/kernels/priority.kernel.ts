import { getPriority } from 'node:os';
import { defineKernel } from '../../../src/compute/index.ts';

/** Returns how much the thread that runs it stands back. */
export default defineKernel<unknown, number>(() => () => getPriority());
