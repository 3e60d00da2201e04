/** A feature at a height appears displaced, away from the point below the satellite. */
import type { FixedGrid } from './grid.ts';
import { toLonLat, toScanAngle } from './projection.ts';

/** Where a point at a height [m] appears on the ellipsoid [deg]; NaN where the satellite does not see it on the disk. */
export function apparentPosition(
  grid: FixedGrid,
  lon: number,
  lat: number,
  height: number,
): [lon: number, lat: number] {
  const [x, y] = toScanAngle(grid, lon, lat, height);
  return toLonLat(grid, x, y);
}

/** Where something is that appears at a position on the ellipsoid [deg] and is at a height [m]. */
export function truePosition(
  grid: FixedGrid,
  apparentLon: number,
  apparentLat: number,
  height: number,
): [lon: number, lat: number] {
  const [x, y] = toScanAngle(grid, apparentLon, apparentLat);
  return toLonLat(grid, x, y, height);
}
