import { defineKernel } from '../compute.ts';
import { type LiveLeg, legsOf, type TrackOfLegs } from './legs.ts';

export interface LegsTask {
  readonly tracks: readonly TrackOfLegs[];
  readonly tracksPerBlock: number;
}

/** Each block is a group of airframes. */
export default defineKernel<LegsTask, LiveLeg[][]>(({ tracks, tracksPerBlock }) => (block, context) => {
  const own = tracks.slice(block * tracksPerBlock, (block + 1) * tracksPerBlock);
  const legs = own.map((track) => {
    context.throwIfCancelled();
    return legsOf(track);
  });
  for (const { minutes } of legs.flat())
    if (minutes !== undefined) context.transfer(minutes.timeMs.buffer as ArrayBuffer);
  return legs;
});
