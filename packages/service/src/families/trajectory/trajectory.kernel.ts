import { defineKernel } from '../../compute/index.ts';
import { type FleetWork, type FlightOutcome, prepareBlocks } from './flight-block.ts';

/** Each block is a flight. */
export default defineKernel<FleetWork, FlightOutcome>((work) => {
  const run = prepareBlocks(work);
  return (index, context) => {
    const outcome = run(index, (fraction) => {
      context.throwIfCancelled();
      context.progress(fraction);
    });
    if ('facts' in outcome && outcome.facts.contrail !== undefined) {
      context.transfer(outcome.facts.contrail.buffer);
    }
    return outcome;
  };
});
