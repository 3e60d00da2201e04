import { defineKernel } from '../compute.ts';
import { type FleetWork, type FlightOutcome, prepareBlocks } from './flight-block.ts';

/** Each block is a group of flights. */
export default defineKernel<FleetWork, FlightOutcome[]>((work) => {
  const run = prepareBlocks(work);
  return (index, context) => {
    const outcomes = run(index, (fraction) => {
      context.throwIfCancelled();
      context.progress(fraction);
    });
    for (const outcome of outcomes) {
      if (!('facts' in outcome)) continue;
      const { contrail, contrailRows, contrailStates } = outcome.facts;
      if (contrail !== undefined) context.transfer(contrail.buffer);
      if (contrailRows !== undefined) context.transfer(contrailRows.values.buffer);
      if (contrailStates !== undefined) context.transfer(contrailStates.values.buffer);
    }
    return outcomes;
  };
});
