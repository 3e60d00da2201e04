import { defineKernel } from '@contrails/engine/compute';
import type { Frame } from '@contrails/observations/frame';
import { composite, encodePng, frameOnMap, type MapBounds } from '@contrails/observations/render';

export interface MapPicture {
  readonly png: Uint8Array;
  readonly bounds: MapBounds;
}

/** The infrared composite of a frame as a picture for maps; null where nothing of it lies on the Earth. */
export default defineKernel<Frame, MapPicture | null>((frame) => async (_, { transfer }) => {
  const placed = frameOnMap(frame);
  if (placed === undefined) return null;
  const png = new Uint8Array(await encodePng(composite(placed.frame), [0, 0, 0]));
  transfer(png.buffer);
  return { png, bounds: placed.bounds };
});
