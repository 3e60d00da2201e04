/** Fetches what a satellite saw. */
import { service } from '../service.ts';
import { HOUR_MS } from './map-state.ts';
import { detectionShapes, segmentShapes } from './satellite-shapes.ts';

/** A frame of the hour, or of the hours before it, that has both levels. */
export interface SeenFrame {
  readonly time: string;
  readonly isSynthetic: boolean;
}

const LOOK_BACK_MS = 6 * HOUR_MS;
/** The newest frame that is served up to the end of an hour; undefined when there is none. */
export async function newestFrame(hourMs: number, signal: AbortSignal): Promise<SeenFrame | undefined> {
  const { frames } = await service.observations.frames(
    { from: new Date(hourMs - LOOK_BACK_MS), to: new Date(hourMs + HOUR_MS) },
    { signal },
  );
  const served = frames.findLast(({ levels }) => levels.length === 2);
  return served && { time: served.time, isSynthetic: served.is_synthetic ?? false };
}

export async function loadSegments({ time }: SeenFrame, signal: AbortSignal) {
  return segmentShapes(await service.observations.segments({ time }, { signal }));
}

export async function loadDetections({ time }: SeenFrame, signal: AbortSignal) {
  const file = await service.observations.detections({ time }, { signal });
  return detectionShapes(await file.arrayBuffer());
}
