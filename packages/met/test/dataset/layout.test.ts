import { describe, expect, test } from 'vitest';
import type { Attributes } from '../../src/dataset/conventions.ts';
import type { FileHeader, StoredVariable } from '../../src/dataset/header.ts';
import { entriesOf } from '../../src/dataset/layout.ts';

const FILE = { path: '/data/era5.nc', size: 1, modifiedMs: 0, inode: 1 };
const AXES = {
  time: { values: [0, 1], attributes: { units: 'hours since 2024-04-01' } },
  level: { values: [200, 250, 300], attributes: { units: 'hPa' } },
  latitude: { values: [10, 10.25, 10.5, 10.75], attributes: { units: 'degrees_north' } },
  longitude: { values: [0, 0.25, 0.5, 0.75], attributes: { units: 'degrees_east' } },
} as const;

type Axis = keyof typeof AXES;
type ChangedAxis = { readonly values?: readonly number[]; readonly attributes?: Attributes };

/** A file with one variable `q`, as a reader describes it. */
function header(
  changes: Partial<Record<Axis, ChangedAxis>> = {},
  weather: Partial<StoredVariable> = {},
): FileHeader {
  const axes = Object.entries(AXES).map(([name, axis]) => ({ name, ...axis, ...changes[name as Axis] }));
  const coordinates: StoredVariable[] = axes.map(({ name, values, attributes }) => ({
    name,
    type: 'float64',
    dimensions: [name],
    shape: [values.length],
    attributes,
  }));
  const q: StoredVariable = {
    name: 'q',
    type: 'float32',
    dimensions: axes.map(({ name }) => name),
    shape: axes.map(({ values }) => values.length),
    attributes: { units: 'kg kg-1', standard_name: 'specific_humidity' },
    ...weather,
  };
  return {
    variables: [...coordinates, q],
    coordinates: new Map(axes.map(({ name, values }) => [name, Float64Array.from(values)])),
  };
}

const radians = (degrees: readonly number[]) => degrees.map((value) => (value * Math.PI) / 180);

describe('what a file holds', () => {
  test('is used where coordinates and attributes can be right', () => {
    expect(entriesOf(FILE, 'classic', header()).unusable).toEqual([]);
    const { entries } = entriesOf(FILE, 'classic', header());
    expect(entries.map(({ variable }) => variable)).toEqual(['specific_humidity']);
  });

  test.each([
    [
      'latitudes in radians',
      {
        latitude: { values: radians([10, 10.25, 10.5, 10.75]) },
        longitude: { values: radians([0, 0.25, 0.5, 0.75]) },
      },
      /radians/,
    ],
    [
      'latitudes in radians of single precision',
      {
        latitude: { values: radians([-90, -89.75, -89.5]).map(Math.fround) },
        longitude: { values: radians([0, 0.25, 0.5]).map(Math.fround) },
      },
      /radians/,
    ],
    [
      'a unit of radians',
      { latitude: { attributes: { units: 'radians' } } },
      /latitude.*"radians"; only degrees/,
    ],
    [
      'a latitude beyond the pole',
      { latitude: { values: [10, 20, 30, 99] } },
      /latitude 99 at index 3; possible are -90 to 90/,
    ],
    [
      'a longitude that is not a number',
      { longitude: { values: [0, Number.NaN, 2, 3] } },
      /longitude NaN at index 1/,
    ],
    ['a level below 0', { level: { values: [200, -250, 300] } }, /level -250 at index 1/],
    [
      'times 240,000 years ago',
      { time: { values: [-2_103_840_000, 1] } },
      /time -\d+-.* at index 0; possible are 1900/,
    ],
    [
      'times of the last century but one',
      { time: { values: [0, 1], attributes: { units: 'days since 1850-01-01' } } },
      /time 1850-01-01T00:00:00\.000Z at index 0/,
    ],
    [
      'times of the next century but one',
      { time: { values: [0, 1], attributes: { units: 'hours since 2150-06-01' } } },
      /time 2150-06-01T00:00:00\.000Z at index 0/,
    ],
    [
      'times beyond every calendar',
      { time: { values: [0, 1e300] } },
      /time Infinity|ms since 1970 at index 1/,
    ],
  ] as const)('%s is left out, and the reason names the file', (_, changes, reason) => {
    const { entries, unusable } = entriesOf(FILE, 'classic', header(changes));
    expect(entries).toEqual([]);
    expect(unusable[0]?.reason.message).toMatch(reason);
    expect(unusable[0]?.reason.message).toContain('/data/era5.nc');
  });

  test('the start of a forecast that cannot be right leaves the file out', () => {
    const { variables, coordinates } = header();
    const reference: StoredVariable = {
      name: 'forecast_reference_time',
      type: 'float64',
      dimensions: [],
      shape: [],
      attributes: { units: 'hours since 1024-04-01', standard_name: 'forecast_reference_time' },
    };
    const { entries, unusable } = entriesOf(FILE, 'classic', {
      variables: [...variables, reference],
      coordinates: new Map([...coordinates, [reference.name, Float64Array.of(0)]]),
    });
    expect(entries).toEqual([]);
    expect(unusable[0]?.reason.message).toMatch(/forecast that starts at 1024-04-/);
  });

  test('coarse grids near the equator are not taken for radians', () => {
    const near = { latitude: { values: [-1, 0, 1] }, longitude: { values: [-0.5, 0, 0.5, 1] } };
    expect(entriesOf(FILE, 'classic', header(near)).unusable).toEqual([]);
    const fine = { latitude: { values: [0, 0.0175, 0.035] }, longitude: { values: [0, 0.0175, 0.035] } };
    expect(entriesOf(FILE, 'classic', header(fine)).unusable).toEqual([]);
  });

  test.each([
    ['u called northward', 'u', { units: 'm s-1', standard_name: 'northward_wind' }],
    ['v called eastward', 'v', { units: 'm s-1', standard_name: 'eastward_wind' }],
  ])('%s is left out: the components may be swapped', (_, name, attributes) => {
    const { entries, unusable } = entriesOf(FILE, 'classic', header({}, { name, attributes }));
    expect(entries).toEqual([]);
    expect(unusable[0]?.reason.message).toMatch(/by its name and .* by its standard_name/);
  });

  test('the name of radiation decides before its standard name', () => {
    const ttr = { units: 'W m**-2', standard_name: 'toa_outgoing_longwave_flux' };
    const { entries } = entriesOf(
      FILE,
      'classic',
      header({ level: { values: [1000] } }, { name: 'ttr', attributes: ttr }),
    );
    expect(entries.map(({ variable }) => variable)).toEqual(['top_net_thermal_radiation']);
  });
});
