/** Stretches of the circle of longitudes, as [west, east]; east is east of west whatever the numbers. */
import { isGlobal } from './longitudes.ts';

/**
 * How far a meridian lies east of another [°], 0 … 360. Adding 360 before the second remainder rounds every distance to the
 * same 6e-14°, so ends which differ only by rounding compare as equal; an exact remainder would not do that.
 */
export const eastOf = (from: number, to: number): number => (((to - from) % 360) + 360) % 360;

/** Whether a stretch is the whole circle: [−180, 180] is, [180, −180] and [0, 0] are a single meridian. */
export const isCircle = ([west, east]: readonly [number, number]): boolean => east - west >= 360;

/** Whether every longitude of a stretch lies between stored meridians. */
export function coversCircle(stored: readonly number[], stretch: readonly [number, number]): boolean {
  const region = regionOf(stored);
  if (region === 'circle') return true;
  if (isCircle(stretch)) return false;
  const [west, width] = region;
  const from = eastOf(west, stretch[0]);
  return from <= width && from + eastOf(stretch[0], stretch[1]) <= width;
}

/** Whether any longitude of a stretch lies between stored meridians. */
export function meetsCircle(stored: readonly number[], stretch: readonly [number, number]): boolean {
  const region = regionOf(stored);
  if (region === 'circle' || isCircle(stretch)) return true;
  const [west, width] = region;
  return eastOf(west, stretch[0]) <= width || eastOf(stretch[0], west) <= eastOf(stretch[0], stretch[1]);
}

/** West and east end of what some meridians span [°]; [−180, 180] when they go all around. */
export function spanOf(stored: readonly number[]): readonly [west: number, east: number] {
  const region = regionOf(stored);
  if (region === 'circle') return [-180, 180];
  const [west, width] = region;
  const from = west > 180 ? west - 360 : west;
  const to = from + width;
  return [from, to > 180 ? to - 360 : to];
}

type Region = 'circle' | readonly [west: number, width: number];

const known = new WeakMap<readonly number[], Region>();

/** What some meridians span; cached, because every request needs it. */
function regionOf(stored: readonly number[]): Region {
  const region = known.get(stored) ?? (isGlobal(stored) ? 'circle' : allButWidestGap(stored));
  known.set(stored, region);
  return region;
}

function allButWidestGap(stored: readonly number[]): readonly [west: number, width: number] {
  const turned = [...new Set(stored.map((longitude) => eastOf(0, longitude)))].sort((a, b) => a - b);
  let west = turned[0] ?? Number.NaN;
  let gap = -1;
  turned.forEach((longitude, i) => {
    const next = turned[(i + 1) % turned.length] as number;
    const width = i + 1 < turned.length ? next - longitude : next + 360 - longitude;
    if (width <= gap) return;
    gap = width;
    west = next;
  });
  return [west, 360 - gap];
}
