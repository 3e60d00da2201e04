import { describe, expect, test } from 'vitest';
import { type HeldPart, heldVariables, holdingsOf } from '../../../src/dataset/dataset-index.ts';

const file = { path: 'a.zarr', size: 1, modifiedMs: 0, inode: 1 };

function part(variable: string, levelType: HeldPart['levelType']): HeldPart {
  const axis = Float64Array.of(0);
  return { file, variable, levelType, axes: { longitude: axis, latitude: axis, level: axis, time: axis } };
}

describe('a source with both kinds of levels', () => {
  const parts = [
    part('air_temperature', 'model'),
    part('air_temperature', 'pressure'),
    part('specific_humidity', 'pressure'),
    part('surface_pressure', 'none'),
  ];

  test('is refused with the remedy', () => {
    expect(() => holdingsOf(parts, [], undefined)).toThrow(
      /pressure levels, others on model levels.*\(levels\)/,
    );
  });

  test('has its model levels, where levels are named to bring them to', () => {
    const holdings = holdingsOf(parts, [], [200, 250]);
    expect(holdings.levelType).toBe('model');
    expect(heldVariables(holdings)).toEqual(['air_temperature', 'surface_pressure']);
    expect(holdings.parts.get('air_temperature')).toEqual([parts[0]]);
  });
});

test('levels that are named for model levels change nothing where there are none', () => {
  const holdings = holdingsOf([part('air_temperature', 'pressure')], [], [200, 250]);
  expect(holdings.levelType).toBe('pressure');
  expect(heldVariables(holdings)).toEqual(['air_temperature']);
});
