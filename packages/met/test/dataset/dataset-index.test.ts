import { describe, expect, test } from 'vitest';
import { type IndexEntry, indexDataset, indexedVariables } from '../../src/dataset/dataset-index.ts';

const file = { path: 'a.zarr', size: 1, modifiedMs: 0, inode: 1 };

function entry(variable: string, levelType: IndexEntry['levelType']): IndexEntry {
  const axis = Float64Array.of(0);
  return { file, variable, levelType, axes: { longitude: axis, latitude: axis, level: axis, time: axis } };
}

describe('a source with both kinds of levels', () => {
  const entries = [
    entry('air_temperature', 'model'),
    entry('air_temperature', 'pressure'),
    entry('specific_humidity', 'pressure'),
    entry('surface_pressure', 'none'),
  ];

  test('is refused with the remedy', () => {
    expect(() => indexDataset(entries, [], undefined)).toThrow(
      /pressure levels, others on model levels.*\(levels\)/,
    );
  });

  test('has its model levels, where levels are named to bring them to', () => {
    const dataset = indexDataset(entries, [], [200, 250]);
    expect(dataset.levelType).toBe('model');
    expect(indexedVariables(dataset)).toEqual(['air_temperature', 'surface_pressure']);
    expect(dataset.entries.get('air_temperature')).toEqual([entries[0]]);
  });
});

test('levels that are named for model levels change nothing where there are none', () => {
  const dataset = indexDataset([entry('air_temperature', 'pressure')], [], [200, 250]);
  expect(dataset.levelType).toBe('pressure');
  expect(indexedVariables(dataset)).toEqual(['air_temperature']);
});
