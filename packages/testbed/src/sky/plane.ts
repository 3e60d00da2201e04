import { type FixedGrid, toLonLat } from '@contrails/observations/navigation';

const RADIUS_KM = 6371;
const RAD = Math.PI / 180;

/** A local plane about the centre of a window [km east, km north]. */
export interface Plane {
  readonly lon: number;
  readonly lat: number;
  /** Kilometres of a degree of longitude and of latitude. */
  readonly kmPerLon: number;
  readonly kmPerLat: number;
}

/** Height at which the centre of the window is taken [m]. */
const CENTRE_HEIGHT_M = 10_500;

export function planeOf(grid: FixedGrid): Plane {
  const x = grid.x0 + (grid.dx * (grid.columns - 1)) / 2;
  const y = grid.y0 + (grid.dy * (grid.rows - 1)) / 2;
  const [lon, lat] = toLonLat(grid, x, y, CENTRE_HEIGHT_M);
  return { lon, lat, kmPerLon: RADIUS_KM * RAD * Math.cos(lat * RAD), kmPerLat: RADIUS_KM * RAD };
}

export function toPlane(plane: Plane, lon: number, lat: number): [x: number, y: number] {
  const east = ((((lon - plane.lon + 180) % 360) + 360) % 360) - 180;
  return [east * plane.kmPerLon, (lat - plane.lat) * plane.kmPerLat];
}

export function fromPlane(plane: Plane, x: number, y: number): [lon: number, lat: number] {
  const lon = plane.lon + x / plane.kmPerLon;
  return [((((lon + 180) % 360) + 360) % 360) - 180, plane.lat + y / plane.kmPerLat];
}
