import { defineKernel } from '@contrails/engine/compute';
import type { Frame } from '@contrails/observations/frame';
import { type Sky, type VisibleContrail, viewSky } from '@contrails/testbed/sky';

export interface SceneInput {
  readonly sky: Sky;
  readonly contrails: readonly VisibleContrail[];
  readonly timeMs: number;
  readonly seed: number;
}

/** What a satellite would see of contrails at a time. */
export default defineKernel<SceneInput, Frame>(
  ({ sky, contrails, timeMs, seed }) =>
    () =>
      viewSky(sky, contrails, timeMs, seed).frame,
);
