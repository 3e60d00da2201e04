import { allocateField, type FieldAxes, type MetField, offsetOf } from '../../../met/src/field/field.ts';
import {
  fillLevels,
  fillSurface,
  LEVEL_VARIABLES,
  makeAtmosphere,
  SURFACE_VARIABLES,
} from '../../src/weather/atmosphere.ts';

export const range = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => from + i * step);

/** The weather of some places, levels and times, which need not be those of the source. */
export function weatherAt(axes: Partial<FieldAxes>, seed = 1): MetField {
  const field = allocateField([...LEVEL_VARIABLES], { ...DEFAULT_AXES, ...axes }, 'float64');
  fillLevels(makeAtmosphere(seed), field, new Uint8Array(field.longitude.knots.length).fill(1));
  return field;
}

export function surfaceAt(axes: Partial<FieldAxes>): MetField {
  const field = allocateField([...SURFACE_VARIABLES], { ...DEFAULT_AXES, ...axes, level: [-1] }, 'float64');
  fillSurface(makeAtmosphere(1), field, new Uint8Array(field.longitude.knots.length).fill(1));
  return field;
}

const DEFAULT_AXES: FieldAxes = {
  longitude: range(-180, 170, 10),
  latitude: range(-90, 90, 10),
  level: [100, 150, 200, 250, 300, 400, 500, 700, 850],
  time: [Date.UTC(2024, 0, 15)],
};

/** A value of a field by the indexes of its axes. */
export function valueAt(field: MetField, name: string, i: number, j: number, k = 0, l = 0): number {
  const variable = field.variables.indexOf(name);
  return field.slabs[l]?.[offsetOf(field, i, j, k, variable)] as number;
}

/** Every value of a variable, with the indexes of its point. */
export function* points(field: MetField): Generator<[i: number, j: number, k: number]> {
  for (let j = 0; j < field.latitude.knots.length; j++)
    for (let i = 0; i < field.longitude.knots.length; i++)
      for (let k = 0; k < field.level.knots.length; k++) yield [i, j, k];
}

export const SEASONS = ['2024-01-15', '2024-04-15', '2024-07-15', '2024-10-15'].map((day) =>
  Date.parse(`${day}T06:00Z`),
);

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
