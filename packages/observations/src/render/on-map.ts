import type { Frame } from '../frame/index.ts';
import { type FixedGrid, toLonLat, toScanAngles } from '../navigation/index.ts';

/** West, south, east and north [deg]; east is beyond 180 where the image crosses the antimeridian. */
export type MapBounds = readonly [west: number, south: number, east: number, north: number];

export interface FrameOnMap {
  readonly frame: Frame;
  readonly bounds: MapBounds;
}

/** Pixels of a side; enough for a screen. */
const MAX_PIXELS = 1400;
/** Beyond it the Mercator projection has no end [deg]. */
const MAX_LATITUDE = 80;
/** Points along a side of the image at which its bounds are looked for. */
const PROBES = 80;
const RAD = Math.PI / 180;

/**
 * The bands of a frame in the Mercator projection of web maps, nearest pixel for each: rows have equal steps of the
 * projection, north first. Undefined where no pixel of the image lies on the Earth.
 */
export function frameOnMap(frame: Frame): FrameOnMap | undefined {
  const { grid } = frame;
  const bounds = boundsOf(grid);
  if (bounds === undefined) return undefined;
  const [west, south, east, north] = bounds;
  const [top, bottom] = [mercator(north), mercator(south)];
  const ratio = (top - bottom) / ((east - west) * RAD);
  const columns = Math.max(1, Math.round(Math.min(MAX_PIXELS, grid.columns, MAX_PIXELS / ratio)));
  const rows = Math.max(1, Math.round(columns * ratio));
  const [t11, t12, t8] = [frame.t11, frame.t12, frame.t8].map(
    (band) => band && new Float32Array(rows * columns).fill(Number.NaN),
  ) as [Float32Array, Float32Array, Float32Array | undefined];
  const lon = Float64Array.from({ length: columns }, (_, k) => west + ((k + 0.5) / columns) * (east - west));
  const lat = new Float64Array(columns);
  const [x, y] = [new Float64Array(columns), new Float64Array(columns)];
  for (let row = 0; row < rows; row++) {
    lat.fill(latitude(top - ((row + 0.5) / rows) * (top - bottom)));
    toScanAngles(grid, lon, lat, x, y);
    for (let k = 0; k < columns; k++) {
      const column = Math.round(((x[k] as number) - grid.x0) / grid.dx);
      const line = Math.round(((y[k] as number) - grid.y0) / grid.dy);
      // Also false for NaN.
      if (!(column >= 0 && column < grid.columns && line >= 0 && line < grid.rows)) continue;
      const [to, from] = [row * columns + k, line * grid.columns + column];
      t11[to] = frame.t11[from] as number;
      t12[to] = frame.t12[from] as number;
      if (t8 !== undefined && frame.t8 !== undefined) t8[to] = frame.t8[from] as number;
    }
  }
  return { frame: { ...frame, t11, t12, ...(t8 && { t8 }), rows, columns }, bounds };
}

function boundsOf(grid: FixedGrid): MapBounds | undefined {
  let [west, south, east, north] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];
  const origin = grid.longitudeOfOrigin;
  for (let i = 0; i <= PROBES; i++) {
    for (let j = 0; j <= PROBES; j++) {
      const x = grid.x0 + (i / PROBES) * (grid.columns - 1) * grid.dx;
      const y = grid.y0 + (j / PROBES) * (grid.rows - 1) * grid.dy;
      const [longitude, lat] = toLonLat(grid, x, y);
      if (Number.isNaN(longitude) || Math.abs(lat) > MAX_LATITUDE) continue;
      const lon = longitude + 360 * Math.round((origin - longitude) / 360);
      [west, east] = [Math.min(west, lon), Math.max(east, lon)];
      [south, north] = [Math.min(south, lat), Math.max(north, lat)];
    }
  }
  return west < east && south < north ? [west, south, east, north] : undefined;
}

function mercator(lat: number): number {
  return Math.log(Math.tan(Math.PI / 4 + (lat * RAD) / 2));
}

function latitude(y: number): number {
  return (2 * Math.atan(Math.exp(y)) - Math.PI / 2) / RAD;
}
