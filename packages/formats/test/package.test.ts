import { expect, test } from 'vitest';
import * as formats from '../src/index.ts';

test('the package offers these names and no others', () => {
  expect(Object.keys(formats).sort()).toEqual([
    'DEFAULT_SIMPLIFICATION',
    'HIGHEST_SIMPLIFICATION',
    'altitudeOf',
    'encodeGeojson',
    'encodeKml',
    'encodeNetcdf',
    'polygonsOf',
    'simplificationOf',
    'thresholdTest',
  ]);
});
