import { HOUR_MS } from '@contrails/runtime';
import { describe, expect, test } from 'vitest';
import { type Attributes, decodeLevels, packingOf, roleOf } from '../../src/dataset/conventions.ts';
import { decodeTimes } from '../../src/dataset/time-encoding.ts';
import { MetError } from '../../src/errors.ts';
import { radiationConvention } from '../../src/radiation/radiation-convention.ts';
import { findVariable, type VariableDefinition } from '../../src/variables.ts';

describe('times', () => {
  const at = (value: number | bigint, units: string, calendar?: string) => {
    const attributes: Attributes = calendar === undefined ? { units } : { units, calendar };
    return new Date(decodeTimes([value], 'time', attributes)[0] as number).toISOString();
  };

  test.each([
    [0, 'seconds since 1970-01-01', undefined, '1970-01-01T00:00:00.000Z'],
    [1_711_929_600n, 'seconds since 1970-01-01', 'proleptic_gregorian', '2024-04-01T00:00:00.000Z'],
    [1_089_048, 'hours since 1900-01-01 00:00:00.0', 'gregorian', '2024-03-28T00:00:00.000Z'],
    [90, 'minutes since 2024-01-01T00:00:00Z', 'standard', '2024-01-01T01:30:00.000Z'],
    [19_814.041666666668, 'days since 1970-1-1', 'standard', '2024-04-01T01:00:00.000Z'],
    [6, 'hours since 2024-01-01 00:00:00 +01:00', 'standard', '2024-01-01T05:00:00.000Z'],
    [6, 'hours since 2024-01-01 00:00:00 -0130', 'standard', '2024-01-01T07:30:00.000Z'],
    [1.5e12, 'microseconds since 2024-01-01', 'standard', '2024-01-18T08:40:00.000Z'],
    // The reform of the calendar lies between origin and value, as in the files of the NCEP reanalysis.
    [17_584_272, 'hours since 1-1-1 00:00:0.0', 'standard', '2007-01-01T00:00:00.000Z'],
    [17_584_224, 'hours since 1-1-1 00:00:0.0', 'proleptic_gregorian', '2007-01-01T00:00:00.000Z'],
  ])('%s %s (%s) is %s', (value, units, calendar, expected) => {
    expect(at(value, units, calendar)).toBe(expected);
  });

  test.each([
    ['months since 1970-01-01', 'standard'],
    ['hours since yesterday', 'standard'],
    ['hours', 'standard'],
    ['', 'standard'],
    ['hours since 1970-01-01', '360_day'],
    ['hours since 1970-01-01', 'noleap'],
  ])('%s in the %s calendar is refused', (units, calendar) => {
    expect(() => at(0, units, calendar)).toThrow(MetError);
  });
});

describe('levels', () => {
  test.each([
    ['level', 'millibars', 250],
    ['pressure_level', 'hPa', 250],
    ['lev', 'mb', 250],
    ['plev', 'Pa', 25_000],
    ['isobaricInhPa', undefined, 250],
    ['plev', undefined, 25_000],
  ])('%s in %s become hPa', (name, units, stored) => {
    const attributes: Attributes = units === undefined ? {} : { units };
    expect([...decodeLevels([stored], name, attributes)]).toEqual([250]);
  });

  test('a unit of height is refused', () => {
    expect(() => decodeLevels([10_000], 'level', { units: 'm' })).toThrow(/"m"/);
  });
});

describe('roles of coordinates', () => {
  test.each([
    ['valid_time', {}, 'time'],
    ['time', { standard_name: 'forecast_reference_time' }, undefined],
    ['t', { standard_name: 'time' }, 'time'],
    ['level', { units: 'millibars' }, 'level'],
    ['level', { long_name: 'model_level_number' }, 'model-level'],
    ['hybrid', {}, 'model-level'],
    ['x', { standard_name: 'longitude' }, 'longitude'],
    ['number', {}, 'member'],
    ['member', {}, 'member'],
    ['realization', {}, 'member'],
    ['expver', {}, 'expver'],
    ['step', {}, undefined],
  ])('%s %o', (name, attributes, role) => {
    expect(roleOf(name, attributes)).toBe(role);
  });
});

describe('packing', () => {
  const definition = findVariable('t') as VariableDefinition;
  const humidity = findVariable('q') as VariableDefinition;

  test('scale and offset unpack integers', () => {
    const attributes = { units: 'K', scale_factor: 0.5, add_offset: 250, _FillValue: -32_767 };
    expect(packingOf('t', 'int16', attributes, definition)).toEqual({
      scale: 0.5,
      offset: 250,
      missing: [-32_767],
    });
  });

  test('the unit multiplies scale and offset', () => {
    const attributes = { units: 'g kg-1', scale_factor: 2, add_offset: 3, _FillValue: 0 };
    expect(packingOf('q', 'int16', attributes, humidity)).toEqual({
      scale: 0.002,
      offset: 0.003,
      missing: [0],
    });
  });

  test('two different marks of missing values both count', () => {
    const attributes = { units: 'K', _FillValue: -999, missing_value: 1e20 };
    expect(packingOf('t', 'float64', attributes, definition).missing).toEqual([-999, 1e20]);
  });

  test('a mark given in double precision is compared as stored in single precision', () => {
    const attributes = { units: 'K', _FillValue: Number.NaN, missing_value: 1e20 };
    expect(packingOf('t', 'float32', attributes, definition).missing).toEqual([Math.fround(1e20)]);
  });

  test('what was never written is missing where no mark is given', () => {
    expect(packingOf('t', 'float32', { units: 'K' }, definition).missing).toEqual([9.969209968386869e36]);
  });

  test('a valid range bounds the stored numbers', () => {
    expect(packingOf('t', 'int16', { units: 'K', valid_range: [-100, 100] }, definition).valid).toEqual([
      -100, 100,
    ]);
    expect(packingOf('t', 'int16', { units: 'K', valid_min: 0 }, definition).valid).toEqual([
      0,
      Number.POSITIVE_INFINITY,
    ]);
  });

  test.each([
    ['a scale of 0', { scale_factor: 0 }, /scale_factor 0; write a finite number other than 0/],
    ['an infinite scale', { scale_factor: Number.POSITIVE_INFINITY }, /scale_factor Infinity/],
    ['a scale that is not a number', { scale_factor: Number.NaN }, /scale_factor NaN/],
    ['an empty text', { scale_factor: '' }, /scale_factor ""/],
    ['a text', { scale_factor: '0.5' }, /scale_factor "0.5"/],
    ['two scales', { scale_factor: [1, 2] }, /scale_factor 1, 2/],
    ['an offset in words', { add_offset: 'none' }, /add_offset "none"; write a finite number/],
    ['three marks of missing values', { _FillValue: 1, missing_value: [2, 3] }, /missing_value 2, 3/],
  ])('%s is refused', (_, attributes, message) => {
    expect(() => packingOf('q', 'int16', { units: 'kg kg-1', ...attributes }, humidity)).toThrow(message);
  });

  test('a bound that is not a number bounds nothing', () => {
    const attributes = { units: 'K', valid_min: 'unknown', valid_max: 400 };
    expect(packingOf('t', 'float64', attributes, definition).valid).toEqual([Number.NEGATIVE_INFINITY, 400]);
  });

  test('an empty text marks no value as missing', () => {
    expect(packingOf('t', 'float64', { units: 'K', missing_value: '' }, definition).missing).not.toContain(0);
  });

  test.each([{ units: 'degC' }, {}])('%o is refused, naming what is understood', (attributes) => {
    expect(() => packingOf('t', 'float32', attributes, definition)).toThrow(/air_temperature.*K, kelvin/);
  });
});

describe('radiation', () => {
  const era5 = { provider: 'ECMWF', dataset: 'ERA5', product: 'reanalysis' };

  test('of the ERA5 reanalysis describes the hour before', () => {
    expect(radiationConvention(era5, 'J m-2', HOUR_MS)).toEqual({
      kind: 'past-hours',
      hours: 1,
      unit: 'J m-2',
    });
  });

  test('of the ERA5 ensemble describes the three hours before', () => {
    expect(radiationConvention({ ...era5, product: 'ensemble_members' }, 'J m-2', 3 * HOUR_MS)).toMatchObject(
      {
        hours: 3,
      },
    );
  });

  test('of archived forecasts counts from their start', () => {
    const hres = { ...era5, dataset: 'HRES', product: 'forecast', accumulatedFromStart: true };
    expect(radiationConvention(hres, 'J m-2', HOUR_MS).kind).toBe('since-run-start');
  });

  test.each(['ecmwf', ' Ecmwf ', 'Copernicus', 'ECMWF (CDS)'])(
    'in J m-2 is a sum of the past hour, also from %j',
    (provider) => {
      expect(radiationConvention({ ...era5, provider }, 'J m-2', HOUR_MS)).toEqual({
        kind: 'past-hours',
        hours: 1,
        unit: 'J m-2',
      });
    },
  );

  test.each([
    ['ecmwf', 'J m-2'],
    ['NCEP', 'W m-2'],
  ])('without a stored unit from %s is in %s', (provider, unit) => {
    expect(radiationConvention({ ...era5, provider }, undefined, HOUR_MS).unit).toBe(unit);
  });

  test('in J m-2 every three hours from an unknown data set has to be explained', () => {
    const own = { provider: 'me', dataset: 'model', product: 'forecast' };
    expect(() => radiationConvention(own, 'J m-2', 3 * HOUR_MS)).toThrow(/every 3 h.*radiation_hours/);
    const explained = { ...own, radiationHours: 3 } as const;
    expect(radiationConvention(explained, 'J m-2', 3 * HOUR_MS)).toMatchObject({ hours: 3, unit: 'J m-2' });
  });

  test('in W m-2 is not a sum since the start of a forecast', () => {
    const hres = { ...era5, accumulatedFromStart: true };
    expect(() => radiationConvention(hres, 'W m-2', HOUR_MS)).toThrow(/remove radiation_accumulated/);
  });

  test('of others holds at its time', () => {
    expect(radiationConvention({ ...era5, provider: 'NCEP' }, 'W m-2', HOUR_MS).kind).toBe('instantaneous');
  });
});
