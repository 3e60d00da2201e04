/** Weather and contrail costs that a route reads, at knots of time. */
import { floorMod, lastKnotNotAbove } from '../numerics/lerp.ts';

/** Fields on the levels of a route, known at some times. */
export interface RouteLayer {
  /** [s since 1970], ascending. */
  readonly timesS: Float64Array;
  /** Whether the first and last values hold beyond the times; otherwise they are unknown there. */
  readonly holdsBeyond: boolean;
  /** Fills `out`, one column for each variable, at every point and level (point · levels + level) at one of the times. */
  sample(longitude: Float64Array, latitude: Float64Array, time: number, out: readonly Float64Array[]): void;
}

/** What a route is searched in; `contrails` has one variable, energy forcing per metre [J m⁻¹]. */
export interface RouteFields {
  readonly levels: number;
  /** Temperature [K], eastward and northward wind [m s⁻¹]. */
  readonly air: RouteLayer;
  readonly contrails?: RouteLayer | undefined;
}

/** Values on a regular grid: time, level, latitude and longitude, the last fastest; ascending axes. */
export interface GriddedLayer {
  readonly timesS: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly levels: number;
  /** One array for each variable. */
  readonly values: readonly (Float64Array | Float32Array)[];
}

/** A layer of gridded values, bilinear between grid points and held constant beyond the edges. */
export function griddedLayer({ timesS, longitude, latitude, levels, values }: GriddedLayer): RouteLayer {
  const [columns, rows] = [longitude.length, latitude.length];
  const first = longitude[0] as number;
  return {
    timesS,
    holdsBeyond: true,
    sample(lon, lat, time, out) {
      for (let point = 0; point < lon.length; point++) {
        const x = first + floorMod((lon[point] as number) - first, 360);
        const [i, ofEast] = cell(longitude, x);
        const [j, ofNorth] = cell(latitude, lat[point] as number);
        const east = Math.min(i + 1, columns - 1);
        const north = Math.min(j + 1, rows - 1);
        for (let level = 0; level < levels; level++) {
          const plane = (time * levels + level) * rows;
          values.forEach((of, variable) => {
            const at = (row: number, column: number) => of[(plane + row) * columns + column] as number;
            const south = at(j, i) + ofEast * (at(j, east) - at(j, i));
            const northern = at(north, i) + ofEast * (at(north, east) - at(north, i));
            (out[variable] as Float64Array)[point * levels + level] = south + ofNorth * (northern - south);
          });
        }
      }
    },
  };
}

/** Index of the knot at or before a coordinate, and the share of the next one. */
function cell(axis: Float64Array, x: number): [number, number] {
  if (axis.length === 1) return [0, 0];
  const index = lastKnotNotAbove(x, axis);
  const [from, to] = [axis[index] as number, axis[index + 1] as number];
  return [index, Math.min(Math.max((x - from) / (to - from), 0), 1)];
}
