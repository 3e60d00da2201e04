import { expect, test } from 'vitest';
import { inBlocks } from '../../src/columns.ts';
import { InputError } from '../../src/errors.ts';
import { saturationPressureIceInto, tabulatedSaturationIce } from '../../src/saturation-table.ts';

const LONG = 10_001;

test('every row of a long column is visited once', () => {
  const visits = new Float64Array(LONG);
  inBlocks((block) => {
    if (block !== undefined) for (let i = 0; i < block.length; i++) block[i] = (block[i] as number) + 1;
  }, visits);
  expect(visits.every((count) => count === 1)).toBe(true);
});

test('a long column is what its rows are', () => {
  const temperatureK = Float64Array.from({ length: LONG }, (_, i) => 200 + (i % 977) / 10);
  const pressure = saturationPressureIceInto(new Float64Array(LONG), temperatureK);
  expect([...pressure]).toEqual([...temperatureK].map(tabulatedSaturationIce));
});

test('columns of different length are refused with their lengths', () => {
  expect(() => saturationPressureIceInto(new Float64Array(LONG), new Float64Array(LONG - 1))).toThrow(
    InputError,
  );
  expect(() => saturationPressureIceInto(new Float64Array(LONG), new Float64Array(LONG - 1))).toThrow(
    /10000 .*10001/,
  );
});
