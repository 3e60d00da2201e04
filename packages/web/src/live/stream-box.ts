/** Which part of a crowded sky the view listens to. */

/** West, south, east and north [deg]; west may be above east, across the antimeridian. */
export type Box = readonly [west: number, south: number, east: number, north: number];

/** Fewer aircraft are listened to all over the world. */
const MANY_AIRCRAFT = 1500;
/** Of the view, on each side. */
const MARGIN = 0.5;
/** A view so much smaller than its box is worth another one. */
const MAX_RATIO = 16;

/** The box before as long as it serves the view, else one with room around it; undefined for the whole world. */
export function boxFor(view: Box, aircraft: number, before: Box | undefined): Box | undefined {
  const [west, south, east, north] = view;
  const [width, height] = [east - west, north - south];
  if (aircraft < MANY_AIRCRAFT || width * (1 + 2 * MARGIN) >= 360) return undefined;
  if (before !== undefined && serves(before, view)) return before;
  return [
    wrapped(Math.floor(west - MARGIN * width)),
    Math.max(Math.floor(south - MARGIN * height), -90),
    wrapped(Math.ceil(east + MARGIN * width)),
    Math.min(Math.ceil(north + MARGIN * height), 90),
  ];
}

function serves([west, south, east, north]: Box, view: Box): boolean {
  const boxWidth = (east - west + 360) % 360;
  const [width, height] = [view[2] - view[0], view[3] - view[1]];
  const fromWest = (((view[0] - west) % 360) + 360) % 360;
  const isInside = fromWest + width <= boxWidth && view[1] >= south && view[3] <= north;
  return isInside && boxWidth * (north - south) <= MAX_RATIO * width * height;
}

function wrapped(longitude: number): number {
  return ((((longitude + 180) % 360) + 360) % 360) - 180;
}
