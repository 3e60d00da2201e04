import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fillCirrus, iceToCirrus } from '../../src/field/cirrus.ts';
import { allocateField, type FieldValues, type MetField, offsetOf } from '../../src/field/field.ts';

type Columns = readonly (readonly number[])[];
const file = new URL('../../../physics/test/reference/cocip/units/tau-cirrus.json', import.meta.url);
const data: {
  readonly level: readonly number[];
  readonly inputs: Record<'air_temperature' | 'cloud_ice' | 'geopotential' | 'geopotential_height', Columns>;
  readonly outputs: Record<string, Columns>;
} = JSON.parse(readFileSync(file, 'utf8'));

test.each([
  ['tau_from_geopotential', 'geopotential'],
  ['tau_from_geopotential_height', 'geopotential_height'],
  ['tau_without_height', undefined],
] as const)('%s equals the reference', (output, height) => {
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

describe('heights from another field', () => {
  const LEVELS = [200, 250, 300];

  /** Values that depend on the level alone, over two columns. */
  function fieldOn(levels: readonly number[], values: Record<string, (level: number) => number>): MetField {
    const names = Object.keys(values);
    const axes = { longitude: [0, 10], latitude: [0], level: levels, time: [0] };
    const field = allocateField(names, axes, 'float64');
    for (const [v, name] of names.entries()) {
      for (const [k, level] of levels.entries()) {
        for (const i of [0, 1]) field.slabs[0]?.fill(values[name]?.(level) ?? 0, ...place(field, i, k, v));
      }
    }
    return field;
  }

  const place = (field: MetField, i: number, k: number, v: number): [number, number] => {
    const at = offsetOf(field, i, 0, k, v);
    return [at, at + 1];
  };

  function depths(heightLevels: readonly number[], below: readonly number[] = []): number[] {
    const ice = fieldOn(LEVELS, { air_temperature: () => 220, tau_cirrus: () => 1e-5 });
    const heights = fieldOn(heightLevels, { geopotential_height: (level) => 7000 * Math.log(1013 / level) });
    iceToCirrus(ice, 1, heights, Float64Array.of(...LEVELS, ...below));
    return LEVELS.flatMap((_, k) => [0, 1].map((i) => ice.slabs[0]?.[offsetOf(ice, i, 0, k, 1)] as number));
  }

  test('are found by the value of the level, not by its number', () => {
    const same = depths(LEVELS);
    expect(same.every((depth) => depth > 0)).toBe(true);
    expect(depths([100, 150, 200, 225, 250, 275, 300, 400])).toEqual(same);
    expect(depths([150, 200, 250, 300, 350], [350])).toEqual(depths([200, 250, 300, 350], [350]));
  });

  test('are refused where they lack a level', () => {
    expect(() => depths([200, 300])).toThrow(/no heights \(geopotential\) on the level 250 hPa/);
  });
});
