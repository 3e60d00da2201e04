/** Weather as a GPU is given it. */
import type { RadiationPair } from '../weather.ts';

/** An evenly spaced axis, or any axis where `perUnit` is 0. */
export interface Axis {
  readonly knots: Float64Array;
  readonly perUnit: number;
}

/** Weather on a regular map, laid out [latitude][longitude][level][variable], an array for each time. */
export interface GpuField {
  readonly longitude: Axis;
  readonly latitude: Axis;
  /** [hPa] */
  readonly level: Axis;
  /** [ms since 1970] */
  readonly time: Axis;
  readonly slabs: readonly (Float32Array | Float64Array)[];
}

export interface GpuRadiation {
  /** Shortwave and longwave. */
  readonly field: GpuField;
  readonly pair: RadiationPair;
  readonly fluxPerUnit: number;
  /** What goes on where the field ends, on the same map. */
  readonly later?: GpuRadiation;
}

/** Where contrails of a time and an aircraft live. */
export interface GpuWeather {
  /** Identifies this weather; what has the same name on the device is not uploaded again. */
  readonly name: string;
  readonly levels: GpuField;
  readonly radiation: GpuRadiation | undefined;
  /** Between which the weather is read [hPa]. */
  readonly levelRange: readonly [top: number, bottom: number];
}

/** Temperature, wind, humidity, pressure velocity and cirrus. */
const VARIABLES = 6;

/**
 * Whether the weather has the variables that contrails need and no other, on evenly spaced meridians and parallels, and all of the
 * radiation is on one map in one unit.
 */
export function isRegular({ levels, radiation }: GpuWeather): boolean {
  const points = levels.longitude.knots.length * levels.latitude.knots.length * levels.level.knots.length;
  if (levels.slabs.some(({ length }) => length !== VARIABLES * points)) return false;
  const maps = [levels, ...radiationsOf(radiation).map(({ field }) => field)];
  const isOneKind = radiationsOf(radiation?.later).every(
    ({ field, fluxPerUnit }) =>
      radiation !== undefined &&
      fluxPerUnit === radiation.fluxPerUnit &&
      isSameMap(field, radiation.field) &&
      field.longitude.perUnit === radiation.field.longitude.perUnit,
  );
  return isOneKind && maps.every(({ longitude, latitude }) => longitude.perUnit > 0 && latitude.perUnit > 0);
}

/** A radiation and what goes on after it. */
export function radiationsOf(radiation: GpuRadiation | undefined): GpuRadiation[] {
  return radiation === undefined ? [] : [radiation, ...radiationsOf(radiation.later)];
}

export function isSameMap(a: GpuField, b: GpuField): boolean {
  return (['longitude', 'latitude'] as const).every(
    (axis) => a[axis].knots.length === b[axis].knots.length && a[axis].knots[0] === b[axis].knots[0],
  );
}
