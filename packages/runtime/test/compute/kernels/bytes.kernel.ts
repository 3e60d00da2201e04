import { defineKernel } from '../../../src/compute/index.ts';

/** Makes bytes and hands their memory over instead of copying it. */
export default defineKernel<{ length: number }, Uint8Array>(({ length }) => async (_index, context) => {
  const bytes = new Uint8Array(length).fill(7);
  context.transfer(bytes.buffer);
  return bytes;
});
