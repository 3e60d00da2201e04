import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HUMIDITY_SCALING_NAMES } from '@contrails/physics/humidity-scaling';
import { UsageError } from '@contrails/runtime/errors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileSourceConfig } from '../../src/config/met-sources.ts';
import { loadConfig, settingsNode } from '../../src/configuration.ts';
import { settingsOf } from '../../src/weather/sources.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'contrails config '));
});
afterEach(() => rmSync(directory, { recursive: true }));

function load(yaml: string, environment: Record<string, string> = {}) {
  mkdirSync(join(directory, 'etc'), { recursive: true });
  const file = join(directory, 'etc', 'contrails.yaml');
  writeFileSync(file, yaml);
  return loadConfig({ file, environment, directory }).met;
}

function refusal(sources: string): string {
  try {
    load(`met:\n  sources:\n    - ${sources}\n`);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

test('without sources there are none, and the other keys have their defaults', () => {
  expect(load('')).toEqual({
    sources: [],
    humidity_scaling: 'exponential_boost_latitude_customization',
    memory_mib: 'auto',
    read_timeout_seconds: 30,
    sync: expect.objectContaining({ sources: [] }),
  });
});

test('the example of the manual is understood; relative paths start at the directory of the file', () => {
  const met = load(`
met:
  sources:
    - name: era5
      kind: netcdf
      paths: [ "met/era5-pl-*.nc", "met/era5-sl-*.nc" ]
      provider: ECMWF
      dataset: ERA5
      product: reanalysis
  humidity_scaling: exponential_boost_latitude_customization
`);
  expect(met.sources).toEqual([
    {
      name: 'era5',
      kind: 'netcdf',
      paths: ['met/era5-pl-*.nc', 'met/era5-sl-*.nc'],
      directory: join(directory, 'etc'),
      provider: 'ECMWF',
      dataset: 'ERA5',
      product: 'reanalysis',
      type: undefined,
      radiationAccumulated: false,
      radiationHours: undefined,
      member: undefined,
      levels: undefined,
      s3Endpoint: undefined,
      s3Region: undefined,
      s3Signed: false,
    },
  ]);
});

test('how radiation is found and the attribution reach the source', () => {
  const files = 'kind: grib, provider: ECMWF, dataset: IFS, product: forecast';
  const { sources } = load(
    `met: { sources: [ { name: ecmwf, ${files}, radiation_intervals: true, estimate_radiation: true, radiation_from: gfs, attribution: By ECMWF. }, { name: gfs, ${files} } ] }`,
  );
  expect(sources[0]).toMatchObject({
    radiationIntervals: true,
    estimateRadiation: true,
    radiationFrom: 'gfs',
    attribution: 'By ECMWF.',
  });
});

test('type and hours of radiation reach the source', () => {
  const own =
    '{ name: own, kind: netcdf, provider: me, dataset: model, product: run, type: forecast, radiation_hours: 3 }';
  expect(load(`met: { sources: [ ${own} ] }`).sources).toMatchObject([
    { type: 'forecast', radiationHours: 3 },
  ]);
});

test('sources in the environment replace those of the file, and start at the working directory', () => {
  const sources = JSON.stringify([
    { name: 'ifs', kind: 'grib', paths: ['a.grib2'], provider: 'ECMWF', dataset: 'IFS', product: 'forecast' },
  ]);
  const met = load('met: { sources: [ { name: demo, kind: synthetic } ] }', {
    CONTRAILS_MET__SOURCES: sources,
  });
  expect(met.sources).toMatchObject([{ name: 'ifs', directory }]);
});

test('synthetic weather needs nothing but its name', () => {
  expect(load('met: { sources: [ { name: demo, kind: synthetic } ] }').sources).toEqual([
    { name: 'demo', kind: 'synthetic', resolution: 1, seed: 1 },
  ]);
});

describe('refuses', () => {
  const complete = 'provider: ECMWF, dataset: ERA5, product: reanalysis';
  test.each([
    ['no name', '{ kind: synthetic }', /met\.sources\[0\]\.name is missing; set it to/],
    [
      'no kind',
      '{ name: a }',
      /met\.sources\[0\]\.kind is missing; set it to netcdf, zarr, grib.* or synthetic/,
    ],
    [
      'an unknown kind',
      '{ name: a, kind: hdf }',
      /line 3: met\.sources\[0\]\.kind is "hdf"; allowed: netcdf, zarr/,
    ],
    [
      'an unknown key',
      '{ name: a, kind: netcdf, path: [x] }',
      /met\.sources\[0\]\.path is not a key; did you mean met\.sources\[0\]\.paths\?/,
    ],
    ['a name that is none', '{ name: "a b", kind: synthetic }', /name is "a b"; allowed: letters, digits/],
    ['no provider', '{ name: a, kind: netcdf, paths: [x.nc] }', /met\.sources\[0\]\.provider is missing/],
    [
      'a Zarr source without a store',
      `{ name: a, kind: zarr, ${complete} }`,
      /paths is missing; name the Zarr stores/,
    ],
    [
      'paths of synthetic weather',
      '{ name: a, kind: synthetic, paths: [x] }',
      /paths has no meaning for a source of kind synthetic/,
    ],
    [
      'a type that is none',
      `{ name: a, kind: netcdf, type: analysis, ${complete} }`,
      /type is "analysis"; allowed: reanalysis(,| or) forecast/,
    ],
    [
      'hours of radiation that GRIB files say themselves',
      `{ name: a, kind: grib, radiation_hours: 3, ${complete} }`,
      /radiation_hours has no meaning for a source of kind grib/,
    ],
    [
      'radiation that is summed over two stretches',
      `{ name: a, kind: netcdf, radiation_hours: 3, radiation_accumulated: true, ${complete} }`,
      /radiation_hours is 3, but radiation_accumulated/,
    ],
    [
      'radiation of a source that is not there',
      `{ name: a, kind: grib, radiation_from: gfs, ${complete} }`,
      /met\.sources\[0\]\.radiation_from is gfs, but there is no such source/,
    ],
    [
      'radiation of the source itself',
      `{ name: a, kind: grib, radiation_from: a, ${complete} }`,
      /radiation_from is a, the source itself/,
    ],
    [
      'radiation of a source that takes it from a third one',
      `{ name: a, kind: grib, radiation_from: b, ${complete} }\n    - { name: b, kind: grib, radiation_from: c, ${complete} }\n    - { name: c, kind: grib, ${complete} }`,
      /radiation_from is b, which takes radiation from c itself; name c/,
    ],
    [
      'radiation of another type of data',
      `{ name: a, kind: grib, type: forecast, radiation_from: b, ${complete} }\n    - { name: b, kind: grib, type: reanalysis, ${complete} }`,
      /radiation_from is b, which is a reanalysis, but a is a forecast/,
    ],
    [
      'a seed of files',
      `{ name: a, kind: netcdf, seed: 2, ${complete} }`,
      /seed has no meaning for a source of kind netcdf/,
    ],
    [
      'a grid that does not close',
      '{ name: a, kind: synthetic, resolution: 0.7 }',
      /resolution is 0\.7, but 90 must be a multiple/,
    ],
    [
      'a text instead of a list',
      `{ name: a, kind: netcdf, paths: x.nc, ${complete} }`,
      /paths is "x\.nc"; allowed: a list/,
    ],
    [
      'two of a name',
      '{ name: a, kind: synthetic }\n    - { name: a, kind: synthetic }',
      /met\.sources\[1\]\.name is a, which an earlier source has/,
    ],
  ])('%s is refused', (_, sources, message) => {
    expect(refusal(sources)).toMatch(message);
  });

  test.each([
    ['ukmo, bbox: [ 0, 60, 10, 40 ]', /met\.sync\.sources\[0\]\.bbox/],
    ['era5', /met\.sync\.sources\[0\]\.source is era5, which has no newest run to look for/],
  ])('of a synced source: %s', (source, message) => {
    expect(() => load(`met: { sync: { sources: [ { source: ${source} } ] } }`)).toThrow(message);
  });

  test('an unknown humidity scaling', () => {
    expect(() => load('met: { humidity_scaling: boost }')).toThrow(
      /humidity_scaling is "boost"; allowed: none/,
    );
  });
});

test('every humidity scaling of the models can be configured', () => {
  const names = settingsNode.properties?.met?.properties?.humidity_scaling?.anyOf?.map((node) => node.const);
  expect(names).toEqual(['none', ...HUMIDITY_SCALING_NAMES]);
});

test.each([
  [
    'netcdf',
    '{ name: era5, kind: netcdf, paths: [ "*.nc" ], provider: ECMWF, dataset: ERA5, product: reanalysis }',
    3,
  ],
  [
    'zarr',
    '{ name: own, kind: zarr, paths: [ own.zarr ], provider: ECMWF, dataset: ERA5, product: reanalysis }',
    undefined,
  ],
])(
  '%s weather is read with as many threads as are configured, unless they wait for a server',
  (_, source, threads) => {
    const file = join(directory, 'contrails.yaml');
    writeFileSync(file, `workers: { threads: 3 }\nmet: { sources: [ ${source} ] }\n`);
    const config = loadConfig({ file, environment: {}, directory });
    expect(config.met.sources.map((one) => settingsOf(one as FileSourceConfig, config).threads)).toEqual([
      threads,
    ]);
  },
);

describe('weather in a private bucket', () => {
  const source =
    '{ name: own, kind: zarr, paths: [ "s3://bucket/own.zarr" ], provider: ECMWF, dataset: ERA5, product: reanalysis, s3_signed: true }';
  const keys = { CONTRAILS_S3__ACCESS_KEY_ID: 'key', CONTRAILS_S3__SECRET_ACCESS_KEY: 'secret' };
  const settings = (declared: string, section = '') => {
    const file = join(directory, 'contrails.yaml');
    writeFileSync(file, `met: { sources: [ ${declared} ] }\n${section}`);
    const config = loadConfig({ file, environment: keys, directory });
    return config.met.sources.map((one) => settingsOf(one as FileSourceConfig, config));
  };

  test('without keys is refused', () => {
    expect(refusal(source)).toMatch(/own has s3_signed.*CONTRAILS_S3__ACCESS_KEY_ID/);
  });

  test('is asked with the keys, server and region of the service', () => {
    expect(settings(source, 's3: { endpoint: "https://store.example", region: here }')).toMatchObject([
      {
        s3Credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
        s3Endpoint: 'https://store.example',
        s3Region: 'here',
      },
    ]);
  });

  test('may be on another server', () => {
    const own = source.replace(' }', ', s3_endpoint: "https://other.example", s3_region: there }');
    expect(settings(own, 's3: { endpoint: "https://store.example" }')).toMatchObject([
      { s3Endpoint: 'https://other.example', s3Region: 'there' },
    ]);
  });

  test('keys go to no bucket that does not ask for them', () => {
    const [anonymous] = settings(source.replace(', s3_signed: true', ''));
    expect(anonymous).not.toHaveProperty('s3Credentials');
  });
});
