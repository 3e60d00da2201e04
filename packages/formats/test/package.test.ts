import { expect, test } from 'vitest';
import * as formats from '../src/index.ts';

test('the package offers these names and no others', () => {
  expect(Object.keys(formats).sort()).toEqual([
    'DEFAULT_SIMPLIFICATION',
    'GEOJSON_FRAME',
    'MAX_SIMPLIFICATION',
    'ParquetTableWriter',
    'ParquetWriter',
    'TextCodes',
    'altitudeOf',
    'encodeGeojson',
    'encodeKml',
    'encodeNetcdf',
    'encodeRowGroup',
    'geojsonFeature',
    'kmlFolder',
    'kmlFrame',
    'nestedPolygonsOf',
    'openDuckDb',
    'packChunk',
    'polygonsOf',
    'simplificationOf',
    'sqlPath',
    'sqlText',
    'thresholdTest',
    'unpackChunk',
  ]);
});
