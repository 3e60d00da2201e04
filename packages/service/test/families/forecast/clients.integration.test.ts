import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { readTools } from '../../../../../test/support/tools.ts';
import { startForecastServer } from './support/forecast-server.ts';

const { python, missing } = readTools();
const absent = python === null;
const because = absent ? ` (skipped: ${missing.python})` : '';

interface Findings {
  readonly cocip: Record<string, unknown>;
  readonly layout: Record<string, unknown>;
  readonly engines: boolean;
  readonly cut: boolean;
  readonly cut_shape: number[];
  readonly grid: Record<string, unknown>;
  readonly ramp: number;
  readonly regions: { areas: number[]; rows: number[]; nested: boolean; cells_outside: number };
  readonly valid: Record<string, string>;
  readonly cf: Record<string, Record<string, unknown>>;
  readonly longitudes: number[];
  readonly polygons: { rows: number; valid: boolean };
}

let found: Findings;
let time: string;

beforeAll(async () => {
  if (python === null) return;
  const forecast = await startForecastServer({
    CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738',
    CONTRAILS_FORECAST__HOURS: '1',
  });
  const { tasks } = await forecast.publish();
  time = new Date(tasks[0]?.task.validTimeMs ?? 0).toISOString().slice(0, 19);
  const script = fileURLToPath(new URL('support/clients.py', import.meta.url));
  const { server } = forecast;
  const args = [script, await server.address(), server.key, await temporaryDirectory(), time];
  const { stdout } = await promisify(execFile)(python, args);
  found = JSON.parse(stdout);
}, 300_000);

test.skipIf(absent)(`xr.open_dataset shows energy forcing and a decoded age${because}`, () => {
  expect(found.cocip).toMatchObject({
    variables: ['contrail_age', 'ef_per_m'],
    dims: ['longitude', 'latitude', 'flight_level', 'time'],
    shape: [90, 46, 18, 1],
    dtype: 'float32',
    age: expect.stringMatching(/^timedelta64/),
    missing: 0,
    flight_level: 'int32',
    time: time.replace('T', ' '),
  });
  expect(found.cocip.longest_hours).toBeGreaterThan(1);
  expect(found.cocip.longest_hours).toBeLessThanOrEqual(12);
  expect(found.cocip.contrails).toBeGreaterThan(100);
});

test.skipIf(absent)(`the data set describes how it was made${because}`, () => {
  expect(found.cocip.attributes).toEqual({
    Conventions: 'CF-1.8',
    name: 'cocip',
    aircraft_type: 'B738',
    cocip_dt_integration: '5 minutes',
    cocip_max_contrail_age: '12 hours',
    humidity_scaling_name: 'exponential_boost_latitude_customization',
    humidity_scaling_formula: 'rhi -> (rhi / rhi_adj) ^ rhi_boost_exponent',
    long_name: 'Energy forcing per meter of flight trajectory',
    units: 'J / m',
    met_source_provider: 'Contrails',
    met_source_dataset: 'synthetic',
    met_source_product: 'demonstration',
    met_source_radiation: 'own',
    modeling_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
});

test.skipIf(absent)(`the file is laid out as the field expects${because}`, () => {
  const common = {
    dims: ['longitude', 'latitude', 'flight_level', 'time'],
    dtype: 'float32',
    chunks: [90, 46, 1, 1],
    filters: { zlib: true, shuffle: true, complevel: 1 },
  };
  expect(found.layout).toEqual({
    ef_per_m: {
      ...common,
      attributes: { long_name: 'Energy forcing per meter of flight trajectory', units: 'J / m' },
    },
    contrail_age: {
      ...common,
      attributes: {
        long_name: 'Total age in hours of persistent contrail',
        units: 'hours',
        dtype: 'timedelta64[ns]',
      },
    },
  });
});

test.skipIf(absent)(`netCDF4 and h5netcdf read the same${because}`, () => {
  expect(found.engines).toBe(true);
});

test.skipIf(absent)(`a box across the antimeridian holds the cells of the whole grid${because}`, () => {
  expect(found.cut).toBe(true);
  expect(found.cut_shape).toEqual([41, 13, 2, 1]);
});

test.skipIf(absent)(`the snippet for forecast grids works${because}`, () => {
  expect(found.grid).toMatchObject({
    variables: ['contrails'],
    dims: ['longitude', 'latitude', 'flight_level', 'time'],
    coordinates: ['flight_level', 'forecast_reference_time', 'latitude', 'longitude', 'time'],
    attributes: {
      Conventions: 'CF-1.8',
      aircraft_class: 'default',
      met_source_provider: 'Contrails',
      met_source_dataset: 'synthetic',
      met_source_product: 'demonstration',
      met_source_synthetic: 'true',
      modeling_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    },
    flight_level: 'int32',
    same_as_whole: true,
    smallest: 0,
  });
  // How strong the strongest contrail is depends on the weather of the current hour.
  expect(found.grid.largest).toBeGreaterThan(0);
  expect(found.grid.largest).toBeLessThanOrEqual(4);
  expect(found.ramp).toBeLessThan(1e-6);
  expect(found.valid).toEqual({ valid_min: 'float32', valid_max: 'float32' });
});

test.skipIf(absent)(
  `files with layout=cf pass the check of the conventions and are maps in GDAL${because}`,
  () => {
    const dims = ['time', 'flight_level', 'latitude', 'longitude'];
    const globe = { size: [90, 46, 18], bounds: [-182, -92, 178, 92], as_default: true };
    expect(found.cf).toEqual({
      contrails: { complaints: [], dims, same: true, ...globe },
      ef_per_m: { complaints: [], dims, same: true, ...globe },
      sac: {
        complaints: [],
        dims,
        same: true,
        size: [81, 81, 2],
        bounds: [169.875, 19.875, 190.125, 40.125],
      },
    });
    expect([found.longitudes[0], found.longitudes.at(-1)]).toEqual([170, 190]);
  },
);

test.skipIf(absent)(`the snippet for regions works, and each threshold contains the next${because}`, () => {
  const { areas, ...regions } = found.regions;
  expect(regions).toEqual({
    type: 'FeatureCollection',
    geometry: 'MultiPolygon',
    valid: true,
    rows: [18, 18, 18, 18],
    nested: true,
    cells_outside: 0,
  });
  expect(areas).toEqual([...areas].sort((a, b) => b - a));
  expect(areas[0]).toBeGreaterThan(0);
});

test.skipIf(absent)(`geopandas reads the polygons of contrail grids${because}`, () => {
  expect(found.polygons).toEqual({ rows: 18, valid: true });
});
