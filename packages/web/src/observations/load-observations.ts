/** Reads what satellites saw from the service. */
import type { FrameList, Verification } from '@contrails/client';
import { service } from '../service.ts';
import type { MapPicture } from '../stage/stage.ts';
import { DAY_MS, dateText } from '../text.ts';

export type Frame = FrameList['frames'][number];

export interface FrameDay {
  readonly date: string;
  readonly satellite: string;
  /** In the order of time. */
  readonly frames: readonly Frame[];
}

const LOOK_BACK_DAYS = 10;

/** The frames of a day, or without one of the newest day that has any. Throws an error that lists what is available. */
export async function openFrames(date: string | undefined, signal: AbortSignal): Promise<FrameDay> {
  const from = date ?? new Date(Date.now() - (LOOK_BACK_DAYS - 1) * DAY_MS);
  const to = date === undefined ? new Date() : new Date(Date.parse(date) + DAY_MS);
  const { satellite, frames } = await service.observations.frames({ from, to }, { signal });
  if (satellite === null) {
    throw new Error('No satellite is configured. The operator sets observations.sources; see the manual.');
  }
  const newest = frames.findLast(isServed) ?? frames.at(-1);
  const day = date ?? newest?.time.slice(0, 10);
  if (day === undefined) {
    throw new Error(`There is no image of the last ${LOOK_BACK_DAYS} days. Choose another day.`);
  }
  const ofDay = frames.filter(({ time }) => time.startsWith(day));
  if (ofDay.length === 0) throw new Error(`There is no image of ${dateText(day)}. Choose another day.`);
  return { date: day, satellite, frames: ofDay };
}

export function isServed({ levels }: Frame): boolean {
  return levels.length === 2;
}

/** The infrared composite of a frame, drawn for the map; undefined where there is none. */
export async function loadPicture(
  { time, picture }: Frame,
  signal: AbortSignal,
): Promise<MapPicture | undefined> {
  if (picture === null) return undefined;
  const file = await service.observations.picture({ time }, { signal });
  const image = await createImageBitmap(new Blob([await file.arrayBuffer()], { type: 'image/png' }));
  const canvas = document.createElement('canvas');
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  image.close();
  return { canvas, bounds: picture.bbox as unknown as MapPicture['bounds'] };
}

/** Observed and modelled contrails of a day; throws an error that lists what is missing. */
export async function verify(date: string, signal: AbortSignal): Promise<Verification> {
  const { dates } = await service.inventory.dates({ signal });
  if (!dates.some((one) => one.date === date && one.served)) {
    throw new Error(
      `${dateText(date)} has no inventory yet, so there is nothing to compare the images with.`,
    );
  }
  return service.observations.verification({ date }, { signal });
}
