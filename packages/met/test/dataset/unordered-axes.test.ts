import { expect, test } from 'vitest';
import { unorderedAxes } from '../../src/dataset/unordered-axes.ts';

const file = { path: 'a.nc', size: 1, modifiedMs: 0, inode: 1 };
const ordered = { longitude: [0, 90, 180, 270], latitude: [90, 0, -90], level: [200, 250], time: [0, 1, 2] };

function found(changes: Partial<typeof ordered>): string[] {
  const stored = { ...ordered, ...changes };
  const axes = {
    longitude: Float64Array.from(stored.longitude),
    latitude: Float64Array.from(stored.latitude),
    level: Float64Array.from(stored.level),
    time: Float64Array.from(stored.time),
  };
  const entry = { file, variable: 'air_temperature', axes, levelType: 'pressure' } as const;
  return unorderedAxes([entry, entry]).map(({ axis, path }) => `${axis} of ${path}`);
}

test.each([
  ['axes in any direction', {}],
  ['axes of one value or none', { level: [], time: [5] }],
  ['meridians across Greenwich and the antimeridian', { longitude: [180, 270, 0, 90] }],
  ['meridians that run westward', { longitude: [90, 0, -90, -180] }],
])('%s are in order', (_, changes) => {
  expect(found(changes)).toEqual([]);
});

test.each([
  ['times that jump back', { time: [0, 2, 1, 3] }, ['time of a.nc']],
  ['a repeated level', { level: [200, 200, 250] }, ['level of a.nc']],
  ['parallels that turn', { latitude: [0, 10, 5] }, ['latitude of a.nc']],
  ['meridians in no order', { longitude: [0, 20, 10, 30] }, ['longitude of a.nc']],
  ['an unknown value', { time: [0, Number.NaN, 2] }, ['time of a.nc']],
])('%s are named once', (_, changes, expected) => {
  expect(found(changes)).toEqual(expected);
});
