import { defineKernel } from '../compute.ts';
import { prepareSamples, type SampleWork } from './sample-runs.ts';

/** Each block is a few runs of one flight. */
export default defineKernel<SampleWork, void>((work) => {
  const run = prepareSamples(work);
  return (block, context) => run(block, () => context.throwIfCancelled());
});
