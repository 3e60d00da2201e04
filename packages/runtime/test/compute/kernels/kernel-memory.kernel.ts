import { scoped, takeNumbers } from '@contrails/physics/kernel-memory';
import { defineKernel } from '../../../src/compute/index.ts';

/** Takes so many bytes of the memory of vector kernels for a moment. */
export default defineKernel<number, number>(
  (bytes) => () => scoped(() => takeNumbers(bytes / 8).fill(1).byteLength),
);
