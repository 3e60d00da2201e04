import type { FixedGrid } from '@contrails/observations/navigation';
import { makeStillSky, type StillSky } from '@contrails/observations/synthetic';
import { defineKernel } from '../../../compute/index.ts';

export interface SkyInput {
  readonly grid: FixedGrid;
  readonly seed: number;
  readonly clutter: number;
}

/** Ground and cloud of a synthetic satellite; takes some seconds. */
export default defineKernel<SkyInput, StillSky>((input) => () => makeStillSky(input));
