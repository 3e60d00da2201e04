import { defineKernel } from '../compute.ts';
import { type PlanSamples, type PlanSamplesWork, preparePlanSamples } from './rows.ts';

/** Each block is some samples of all rows of one flight. */
export default defineKernel<PlanSamplesWork, PlanSamples>((work) => {
  const run = preparePlanSamples(work);
  return (block, context) => run(block, () => context.throwIfCancelled());
});
