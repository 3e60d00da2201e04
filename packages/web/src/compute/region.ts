/** The region of the map whose contrails are computed, and the air that they may drift into. */
import { type Grid, interpolatedAt } from '../grid/grid.ts';

/** Cells that the grid of the service has in a degree. */
const PER_DEGREE = 4;
const ROWS = 180 * PER_DEGREE + 1;
const COLUMNS = 360 * PER_DEGREE;
/** More are a long computation for the GPU of a phone. */
export const MAX_CELLS = 2 ** 17;
/** Beyond, a map has hardly any flights, and winds cross many meridians. */
const MAX_LATITUDE = 80;
const METRES_PER_DEGREE = 111_195;

/** A box [°]; east is beyond 180 where it crosses the antimeridian. */
export interface Region {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Whole cells of what is in view; undefined where they are too many. */
export function regionOfView([west, south, east, north]: readonly [
  west: number,
  south: number,
  east: number,
  north: number,
]): Region | undefined {
  const turn = 360 * Math.floor((west + 180) / 360);
  const inside = (value: number) => Math.min(MAX_LATITUDE, Math.max(-MAX_LATITUDE, value));
  const region = {
    west: Math.ceil(PER_DEGREE * (west - turn)) / PER_DEGREE,
    south: Math.ceil(PER_DEGREE * inside(south)) / PER_DEGREE,
    east: Math.floor(PER_DEGREE * (east - turn)) / PER_DEGREE,
    north: Math.floor(PER_DEGREE * inside(north)) / PER_DEGREE,
  };
  return region.east - region.west < 360 && cellsOf(region) <= MAX_CELLS ? region : undefined;
}

export function cellsOf(region: Region): number {
  const { longitude, latitude } = regionAxes(region);
  return longitude.length * latitude.length;
}

/** Centres of the cells [°]; across the antimeridian longitudes go on with −180. */
export function regionAxes({ west, south, east, north }: Region): {
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
} {
  const axis = (from: number, to: number) =>
    Float64Array.from({ length: PER_DEGREE * (to - from) + 1 }, (_, k) => from + k / PER_DEGREE);
  return {
    longitude: axis(west, east).map((degrees) => (degrees < 180 ? degrees : degrees - 360)),
    latitude: axis(south, north),
  };
}

/** Values of the region on the globe; the other cells have none. */
export function onGlobe(values: Float32Array, region: Region): Grid {
  const { longitude, latitude } = regionAxes(region);
  const globe = new Float32Array(COLUMNS * ROWS).fill(Number.NaN);
  const first = PER_DEGREE * ((latitude[0] as number) + 90);
  longitude.forEach((degrees, i) => {
    const column = PER_DEGREE * (degrees + 180);
    globe.set(values.subarray(i * latitude.length, (i + 1) * latitude.length), column * ROWS + first);
  });
  return { values: globe, columns: COLUMNS, rows: ROWS };
}

export interface Wind {
  readonly eastward: Grid;
  readonly northward: Grid;
}

/** Winds a little below the level and between the hours read may be faster by this factor. */
const GUST = 1.2;

/**
 * Where contrails of a region may be within some hours: the box grows every hour by the strongest winds in it, of any of the
 * given hours.
 */
export function reachOf(region: Region, winds: readonly Wind[], hours: number): Region {
  let reach = region;
  for (let hour = 0; hour < hours; hour++) {
    const [east, west] = extremes(
      reach,
      winds.map(({ eastward }) => eastward),
    );
    const [north, south] = extremes(
      reach,
      winds.map(({ northward }) => northward),
    );
    const perMetre = (GUST * 3600) / METRES_PER_DEGREE;
    const widest = Math.max(Math.abs(reach.south), Math.abs(reach.north));
    const perMetreEast = perMetre / Math.cos((Math.min(widest, 85) * Math.PI) / 180);
    reach = {
      west: reach.west + perMetreEast * Math.min(west, 0),
      south: Math.max(-90, reach.south + perMetre * Math.min(south, 0)),
      east: reach.east + perMetreEast * Math.max(east, 0),
      north: Math.min(90, reach.north + perMetre * Math.max(north, 0)),
    };
  }
  return {
    west: Math.floor(reach.west),
    south: Math.max(-90, Math.floor(reach.south)),
    east: Math.ceil(reach.east),
    north: Math.min(90, Math.ceil(reach.north)),
  };
}

/** The largest and the smallest value of a box, at every degree. */
function extremes({ west, south, east, north }: Region, grids: readonly Grid[]): [number, number] {
  let [largest, smallest] = [0, 0];
  for (const grid of grids) {
    for (let longitude = Math.floor(west); longitude <= Math.ceil(east); longitude++) {
      for (let latitude = Math.floor(south); latitude <= Math.min(90, Math.ceil(north)); latitude++) {
        const value = interpolatedAt(grid, longitude, latitude);
        if (value > largest) largest = value;
        if (value < smallest) smallest = value;
      }
    }
  }
  return [largest, smallest];
}

export function contains(outer: Region, inner: Region): boolean {
  return (
    outer.west <= inner.west &&
    outer.east >= inner.east &&
    outer.south <= inner.south &&
    outer.north >= inner.north
  );
}

/** As the service reads boxes. */
export function boxOf({ west, south, east, north }: Region): [number, number, number, number] {
  if (east - west >= 360) return [-180, south, 180, north];
  const wrapped = (degrees: number) => degrees - 360 * Math.floor((degrees + 180) / 360);
  return [wrapped(west), south, wrapped(east), north];
}
