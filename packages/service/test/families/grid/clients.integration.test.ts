import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { readTools } from '../../../../../test/support/tools.ts';
import { startGridServer } from './support/grid-server.ts';

const { python, ncdump, missing } = readTools();
const absent = python === null;
const because = absent ? ` (skipped: ${missing.python})` : '';
const noDump = ncdump === null || absent;

interface Cells {
  readonly dims: string[];
  readonly shape: number[];
  readonly dtype: string;
  readonly time: string;
  readonly values: string[];
  readonly different: number;
}

interface Findings {
  readonly cells: Record<'sac' | 'issr' | 'pcr' | 'outside', Cells>;
  readonly layout: Record<string, unknown>;
  readonly enginesAgree: boolean;
  readonly shapes: { area: number; valid: boolean; z: boolean }[];
  readonly frame: { rows: number; levels: number[]; area: number };
  readonly kml: Record<string, number>;
  readonly availability: Record<string, string[]>;
}

let found: Findings;
let folder: string;

beforeAll(async () => {
  if (python === null) return;
  folder = await temporaryDirectory();
  const { server, weather } = await startGridServer();
  const script = fileURLToPath(new URL('support/clients.py', import.meta.url));
  const args = [script, await server.address(), server.key, folder, join(weather, 'wide.nc')];
  const { stdout } = await promisify(execFile)(python, args);
  found = JSON.parse(stdout);
});

test.skipIf(absent)(`xr.open_dataarray opens the bytes of sac${because}`, () => {
  expect(found.cells.sac).toMatchObject({
    dims: ['longitude', 'latitude', 'flight_level', 'time'],
    shape: [41, 41, 18, 1],
    dtype: 'float32',
    time: '2024-06-12 03:00:00',
    values: ['0.0', '1.0'],
  });
});

test.skipIf(absent).each(['sac', 'issr', 'pcr', 'outside'] as const)(
  `%s is that of pycontrails in every cell${because}`,
  (name) => {
    expect(found.cells[name].different).toBe(0);
  },
);

test.skipIf(absent)(`cells outside the weather are NaN${because}`, () => {
  expect(found.cells.outside.values).toEqual(['0.0', '1.0', 'nan']);
});

test.skipIf(absent)(`the file has the layout of the grids${because}`, () => {
  expect(found.layout).toEqual({
    dimensions: { longitude: 81, latitude: 81, flight_level: 2, time: 1 },
    types: {
      longitude: 'float32',
      latitude: 'float32',
      flight_level: 'int32',
      time: 'int64',
      pcr: 'float32',
    },
    chunks: [81, 81, 1, 1],
    filters: { zlib: true, shuffle: true, complevel: 1 },
    attributes: {
      Conventions: 'CF-1.8',
      name: 'pcr',
      description: 'Persistent contrail regions',
      engine_efficiency: '0.3',
      humidity_scaling_name: 'exponential_boost_latitude_customization',
      humidity_scaling_formula: 'rhi -> (rhi / rhi_adj) ^ rhi_boost_exponent',
      met_source_provider: 'ECMWF',
      met_source_dataset: 'ERA5',
      met_source_product: 'reanalysis',
      modeling_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    },
    units: {
      longitude: 'degrees_east',
      latitude: 'degrees_north',
      flight_level: 'hectofeet',
      time: 'seconds since 1970-01-01',
    },
  });
  expect(found.enginesAgree).toBe(true);
});

test.skipIf(noDump)('ncdump prints it', () => {
  const text = execFileSync(ncdump as string, ['-h', join(folder, 'pcr.nc')], { encoding: 'utf8' });
  expect(text).toContain('float pcr(longitude, latitude, flight_level, time) ;');
  expect(text).toContain('pcr:_FillValue = NaNf ;');
});

test.skipIf(absent)(`shapely makes valid shapes of the features${because}`, () => {
  expect(found.shapes).toHaveLength(2);
  for (const shape of found.shapes) expect(shape).toMatchObject({ valid: true, z: true });
  expect(found.shapes[0]?.area).toBeGreaterThan(1);
});

test.skipIf(absent)(`geopandas reads GeoJSON and KML, and finds the same regions${because}`, () => {
  const area = found.shapes.reduce((sum, shape) => sum + shape.area, 0);
  expect(found.frame).toMatchObject({ rows: 2, levels: [320, 340] });
  expect(found.frame.area).toBeCloseTo(area, 9);
  expect(Object.keys(found.kml)).toEqual(['FL 320', 'FL 340']);
  expect(Object.values(found.kml)[0]).toBeCloseTo(found.shapes[0]?.area ?? 0, 9);
  expect(Object.values(found.kml)[1]).toBeCloseTo(found.shapes[1]?.area ?? 0, 9);
});

test.skipIf(absent)(`availability is what the weather has${because}`, () => {
  const range = ['2024-06-12T03:00:00Z', '2024-06-12T08:00:00Z'];
  expect(found.availability).toMatchObject({ sac: range, issr: range, pcr: range });
});
