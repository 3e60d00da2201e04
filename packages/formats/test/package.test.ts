import { expect, test } from 'vitest';
import * as formats from '../src/index.ts';

test('the package offers these names and no others', () => {
  expect(Object.keys(formats).sort()).toEqual([
    'DEFAULT_SIMPLIFICATION',
    'GEOJSON_FRAME',
    'IGNORE_STATISTICS',
    'MAX_SIMPLIFICATION',
    'ParquetWriter',
    'TextCodes',
    'USE_STATISTICS',
    'altitudeOf',
    'checkParquet',
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
    'writeZip',
  ]);
});
