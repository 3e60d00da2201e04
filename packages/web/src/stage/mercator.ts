/** Positions on the square of the map: 0…1 from west to east and from north to south. */

/** Beyond it the projection is cut off [deg]. */
const MAX_LATITUDE = 85.05;
const EQUATOR_M = 40_075_016.7;
/** Pixels of the square at zoom 0. */
const WORLD_PX = 512;

export function mercatorX(longitude: number): number {
  return longitude / 360 + 0.5;
}

export function mercatorY(latitude: number): number {
  const cut = Math.min(Math.max(latitude, -MAX_LATITUDE), MAX_LATITUDE);
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + (cut * Math.PI) / 360)) / (2 * Math.PI);
}

export function latitudeOf(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
}

/** How long a metre is on the square. */
export function mercatorPerMetre(latitude: number): number {
  const cut = Math.min(Math.abs(latitude), MAX_LATITUDE);
  return 1 / (EQUATOR_M * Math.cos((cut * Math.PI) / 180));
}

/** How long a pixel of the screen is on the square. */
export function mercatorPerPixel(zoom: number): number {
  return 1 / (WORLD_PX * 2 ** zoom);
}
