/** Boxes of airspace that a profile must not touch; bounds are inclusive. */
import type { WorkingTrack } from './track.ts';

export interface AvoidBox {
  /** West and east [°]; west > east crosses the antimeridian. */
  readonly longitude: readonly [number, number];
  readonly latitude: readonly [number, number];
  readonly flightLevel: readonly [number, number];
  /** [ms since 1970]; always without it. */
  readonly timeMs?: readonly [number, number] | undefined;
}

/** Whether a waypoint of the track lies in a box when the flight is there at a level and time. */
export function isInBoxes(
  boxes: readonly AvoidBox[],
  { longitude, latitude }: Pick<WorkingTrack, 'longitude' | 'latitude'>,
  waypoint: number,
  flightLevel: number,
  timeMs: number,
): boolean {
  return boxes.some((box) => {
    const [west, east] = box.longitude;
    const lon = longitude[waypoint] as number;
    const isInLongitude = west <= east ? lon >= west && lon <= east : lon >= west || lon <= east;
    return (
      isInLongitude &&
      isWithin(box.latitude, latitude[waypoint] as number) &&
      isWithin(box.flightLevel, flightLevel) &&
      (box.timeMs === undefined || isWithin(box.timeMs, timeMs))
    );
  });
}

/** Whether a row touches a box between two waypoints, both included, with its true altitudes and times. */
export function touchesBoxes(
  boxes: readonly AvoidBox[],
  track: WorkingTrack,
  row: { readonly altitudeFt: Float64Array; readonly timeMs: Float64Array },
  first: number,
  last: number,
): boolean {
  if (boxes.length === 0) return false;
  for (let i = first; i <= last; i++) {
    if (isInBoxes(boxes, track, i, (row.altitudeFt[i] as number) / 100, row.timeMs[i] as number)) return true;
  }
  return false;
}

function isWithin([low, high]: readonly [number, number], value: number): boolean {
  return value >= low && value <= high;
}
