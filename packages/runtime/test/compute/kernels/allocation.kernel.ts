import { defineKernel } from '../../../src/compute/index.ts';
import { sharedUint8 } from '../../../src/shared-arrays.ts';

/** Returns its own shared memory. */
export default defineKernel((bytes: number) => () => sharedUint8(bytes).fill(1));
