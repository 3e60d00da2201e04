import { defineKernel } from '../compute.ts';
import { type RollInput, type RollOutput, rollFrames } from './roll-frames.ts';

/** Attribution outside the thread that serves requests. */
export default defineKernel<RollInput, RollOutput>((input) => () => rollFrames(input));
