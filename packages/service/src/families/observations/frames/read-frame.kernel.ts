import { defineKernel } from '@contrails/engine/compute';
import type { Frame } from '@contrails/observations/frame';
import { type ReadSettings, readFrame } from '@contrails/observations/readers';

export interface ReadInput {
  readonly paths: readonly string[];
  readonly settings: ReadSettings;
}

/** Reads a frame outside the thread that serves requests; the bands are shared memory. */
export default defineKernel<ReadInput, Frame>(
  ({ paths, settings }) =>
    () =>
      readFrame(paths, settings),
);
