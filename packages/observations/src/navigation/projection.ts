import type { FixedGrid, Viewpoint } from './grid.ts';

const RAD = Math.PI / 180;
const DEG = 180 / Math.PI;

/**
 * Longitude and latitude [deg] of what appears at a scan angle [rad] if it is at a height above the ellipsoid [m]; NaN off
 * the disk. Exact on the ellipsoid; up to 14 km the error of the inflated ellipsoid is below 0.1 m.
 */
export function toLonLat(grid: Viewpoint, x: number, y: number, height = 0): [lon: number, lat: number] {
  const lon = [Number.NaN];
  const lat = [Number.NaN];
  toLonLats(grid, [x], [y], lon, lat, height);
  return [lon[0] as number, lat[0] as number];
}

/** Scan angle [rad] at which a point [deg, m] appears; NaN where the satellite does not see it. */
export function toScanAngle(grid: Viewpoint, lon: number, lat: number, height = 0): [x: number, y: number] {
  const x = [Number.NaN];
  const y = [Number.NaN];
  toScanAngles(grid, [lon], [lat], x, y, height);
  return [x[0] as number, y[0] as number];
}

/** Writable columns of numbers, of which scalars and typed arrays are both made. */
interface Column {
  readonly length: number;
  [index: number]: number;
}

/** {@link toLonLat} of columns; results go to `lon` and `lat`. */
export function toLonLats(
  grid: Viewpoint,
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  lon: Column,
  lat: Column,
  height = 0,
): void {
  const { longitudeOfOrigin, sweep } = grid;
  const major = grid.semiMajor + height;
  const k = (major / (grid.semiMinor + height)) ** 2;
  const H = grid.height + grid.semiMajor;
  const C = H * H - major * major;
  const isSweepX = sweep === 'x';
  for (let i = 0; i < x.length; i++) {
    const cosX = Math.cos(x[i] as number);
    const sinX = Math.sin(x[i] as number);
    const cosY = Math.cos(y[i] as number);
    const sinY = Math.sin(y[i] as number);
    const dx = cosX * cosY;
    const dy = isSweepX ? sinX : cosY * sinX;
    const dz = isSweepX ? cosX * sinY : sinY;
    const A = dx * dx + dy * dy + k * dz * dz;
    const B = -2 * H * dx;
    // NaN off the disk, which spreads to both results.
    const rho = (-B - Math.sqrt(B * B - 4 * A * C)) / (2 * A);
    const gx = H - rho * dx;
    const gy = rho * dy;
    lat[i] = Math.atan((k * rho * dz) / Math.hypot(gx, gy)) * DEG;
    lon[i] = wrap(longitudeOfOrigin + Math.atan2(gy, gx) * DEG);
  }
}

/** {@link toScanAngle} of columns; results go to `x` and `y`. Heights are one for all, or one each. */
export function toScanAngles(
  grid: Viewpoint,
  lon: ArrayLike<number>,
  lat: ArrayLike<number>,
  x: Column,
  y: Column,
  heights: number | ArrayLike<number> = 0,
): void {
  const { longitudeOfOrigin, semiMajor, semiMinor } = grid;
  const H = grid.height + semiMajor;
  const e2 = 1 - (semiMinor / semiMajor) ** 2;
  const isSweepX = grid.sweep === 'x';
  for (let i = 0; i < lon.length; i++) {
    const height = typeof heights === 'number' ? heights : (heights[i] as number);
    const phi = (lat[i] as number) * RAD;
    const delta = ((lon[i] as number) - longitudeOfOrigin) * RAD;
    const cosLat = Math.cos(phi);
    const sinLat = Math.sin(phi);
    const cosDelta = Math.cos(delta);
    const sinDelta = Math.sin(delta);
    const nu = semiMajor / Math.sqrt(1 - e2 * sinLat * sinLat);
    const sx = H - (nu + height) * cosLat * cosDelta;
    const sy = (nu + height) * cosLat * sinDelta;
    const sz = (nu * (1 - e2) + height) * sinLat;
    const isVisible = sx * cosLat * cosDelta - sy * cosLat * sinDelta - sz * sinLat > 0;
    const r = Math.sqrt(sx * sx + sy * sy + sz * sz);
    if (!isVisible) {
      x[i] = Number.NaN;
      y[i] = Number.NaN;
    } else if (isSweepX) {
      x[i] = Math.asin(sy / r);
      y[i] = Math.atan2(sz, sx);
    } else {
      x[i] = Math.atan2(sy, sx);
      y[i] = Math.asin(sz / r);
    }
  }
}

/** Angle between the vertical at a point on the ellipsoid and the satellite [deg]; above 90 the satellite does not see it. */
export function viewZenithDeg(grid: FixedGrid, lon: number, lat: number): number {
  const { semiMajor, semiMinor } = grid;
  const e2 = 1 - (semiMinor / semiMajor) ** 2;
  const phi = lat * RAD;
  const delta = (lon - grid.longitudeOfOrigin) * RAD;
  const nx = Math.cos(phi) * Math.cos(delta);
  const ny = Math.cos(phi) * Math.sin(delta);
  const nz = Math.sin(phi);
  const nu = semiMajor / Math.sqrt(1 - e2 * nz * nz);
  const vx = grid.height + semiMajor - nu * nx;
  const vy = -nu * ny;
  const vz = -nu * (1 - e2) * nz;
  const cosine = (vx * nx + vy * ny + vz * nz) / Math.sqrt(vx * vx + vy * vy + vz * vz);
  return Math.acos(Math.min(1, Math.max(-1, cosine))) * DEG;
}

function wrap(lon: number): number {
  return lon >= 180 ? lon - 360 : lon < -180 ? lon + 360 : lon;
}
