import { getPriority } from 'node:os';
import { defineKernel } from '../../../src/compute/index.ts';

/** Answers how much the thread that runs it stands back. */
export default defineKernel<unknown, number>(() => () => getPriority());
