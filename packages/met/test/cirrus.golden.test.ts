import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fillCirrus } from '../src/cirrus.ts';
import { allocateField, type FieldValues, offsetOf } from '../src/field.ts';

type Columns = readonly (readonly number[])[];
const file = new URL('../../physics/test/reference/cocip/units/tau-cirrus.json', import.meta.url);
const data: {
  readonly level: readonly number[];
  readonly inputs: Record<'air_temperature' | 'cloud_ice' | 'geopotential' | 'geopotential_height', Columns>;
  readonly outputs: Record<string, Columns>;
} = JSON.parse(readFileSync(file, 'utf8'));

test.each([
  ['tau_from_geopotential', 'geopotential'],
  ['tau_from_geopotential_height', 'geopotential_height'],
  ['tau_without_height', undefined],
] as const)('%s of the reference', (output, height) => {
  const inputs = {
    air_temperature: data.inputs.air_temperature,
    specific_cloud_ice_water_content: data.inputs.cloud_ice,
    ...(height === undefined ? {} : { [height]: data.inputs[height] }),
  };
  const names = ['tau_cirrus', ...Object.keys(inputs)];
  const columns = data.inputs.air_temperature.length;
  const axes = { longitude: [...Array(columns).keys()], latitude: [0], level: data.level, time: [0] };
  const field = allocateField(names, axes, 'float64');
  const slab = field.slabs[0] as FieldValues;
  for (const [v, values] of Object.values(inputs).entries()) {
    values.forEach((column, i) => {
      column.forEach((value, k) => {
        slab[offsetOf(field, i, 0, k, v + 1)] = value;
      });
    });
  }
  fillCirrus(field);
  data.outputs[output]?.forEach((column, i) => {
    column.forEach((expected, k) => {
      const actual = slab[offsetOf(field, i, 0, k, 0)] as number;
      expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-12 + 1e-9 * Math.abs(expected));
    });
  });
});
