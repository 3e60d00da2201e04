import { expect, test } from 'vitest';
import { saturationPressureIceInto, tabulatedSaturationIce } from '../../src/atmosphere/saturation-table.ts';
import { InputError } from '../../src/errors.ts';
import { inBlocks } from '../../src/numerics/columns.ts';
import * as physics from '../support/physics.ts';

const LONG = 10_001;

test('every row of a long column is visited once', () => {
  const visits = new Float64Array(LONG);
  inBlocks((block) => {
    if (block !== undefined) for (let i = 0; i < block.length; i++) block[i] = (block[i] as number) + 1;
  }, visits);
  expect(visits.every((count) => count === 1)).toBe(true);
});

test('a long column equals its rows', () => {
  const temperatureK = Float64Array.from({ length: LONG }, (_, i) => 200 + (i % 977) / 10);
  const pressure = saturationPressureIceInto(new Float64Array(LONG), temperatureK);
  expect([...pressure]).toEqual([...temperatureK].map(tabulatedSaturationIce));
});

test.each([
  ['saturation over ice', physics.saturationPressureIceInto, physics.tabulatedSaturationIce],
  ['saturation over liquid', physics.saturationPressureLiquidInto, physics.tabulatedSaturationLiquid],
])('%s equals its rows, also between temperatures beyond its table', (_, into, scalar) => {
  const beyond = [Number.NaN, 0, -50, 183.999, 184, 312, 400, 1e9, 2 ** 28 + 200, Number.POSITIVE_INFINITY];
  const temperatureK = Float64Array.from({ length: LONG }, (_, i) =>
    i % 7 < 3 ? (beyond[i % beyond.length] as number) : 200 + (i % 97),
  );
  const expected = [...temperatureK].map(scalar);
  expect([...into(new Float64Array(LONG), temperatureK)]).toEqual(expected);
  expect([...into(temperatureK, temperatureK)], 'written over its input').toEqual(expected);
});

test.each([
  ['ice', physics.relativeHumidityIceInto, physics.relativeHumidityIce],
  ['liquid', physics.relativeHumidityLiquidInto, physics.relativeHumidityLiquid],
])(
  'relative humidity over %s of temperatures beyond the table is that of the formula',
  (_, into, formula) => {
    const temperatureK = Float64Array.of(100, 220, 183, 230, 320, 330);
    const humidity = new Float64Array(temperatureK.length).fill(1e-4);
    const pressurePa = new Float64Array(temperatureK.length).fill(25_000);
    const found = into(humidity, humidity, temperatureK, pressurePa);
    temperatureK.forEach((T, i) => {
      expect((found[i] as number) / formula(1e-4, T, 25_000)).toBeCloseTo(1, 9);
    });
  },
);

test('columns of different length are refused with their lengths', () => {
  expect(() => saturationPressureIceInto(new Float64Array(LONG), new Float64Array(LONG - 1))).toThrow(
    InputError,
  );
  expect(() => saturationPressureIceInto(new Float64Array(LONG), new Float64Array(LONG - 1))).toThrow(
    /10000 .*10001/,
  );
});
