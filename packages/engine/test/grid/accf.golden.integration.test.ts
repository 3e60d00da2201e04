import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openMet, openSource } from '@contrails/met';
import { ACCF_NAMES } from '@contrails/physics/climate';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { readVariables } from '../../../formats/test/support/netcdf.ts';
import { openCompute } from '../../src/compute.ts';
import { type AccfQuery, accfRequest, computeAccf, functionWeather } from '../../src/grid/compute-accf.ts';

interface Golden {
  readonly query: {
    readonly time: string;
    readonly bbox: readonly [number, number, number, number];
    readonly flight_level: readonly number[];
  };
  readonly values: Readonly<Record<string, readonly (number | null)[]>>;
}

const golden = JSON.parse(
  readFileSync(new URL('../reference/climate/grid.json', import.meta.url), 'utf8'),
) as Golden;
const source = await openSource({
  kind: 'netcdf',
  name: 'europe',
  provider: 'ECMWF',
  dataset: 'ERA5',
  product: 'reanalysis',
  paths: ['met/europe.*.nc'],
  directory: fileURLToPath(new URL('../../../met/test/reference/climate/', import.meta.url)),
  threads: 1,
});
const met = openMet({ sources: [source], memoryBytes: 2 ** 28, threads: 1 });
const compute = openCompute({ threads: 1, maxQueue: 10 });
afterAll(() => Promise.all([compute.close(), met.close()]));

const FUNCTIONS = [...ACCF_NAMES, 'pcfa'];

test('cells have the functions of the reference', async () => {
  const file = await read({});
  for (const name of FUNCTIONS) {
    const expected = golden.values[name] as readonly (number | null)[];
    const largest = expected.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
    const { values = new Float64Array() } = file[name] ?? {};
    expect(values.length).toBe(expected.length);
    expected.forEach((value, i) => {
      if (value === null) expect(values[i]).toBeNaN();
      else expect(Math.abs((values[i] as number) - value)).toBeLessThanOrEqual(2e-6 * largest);
    });
  }
});

test('a cell has the same value in a smaller box and on one level', async () => {
  const all = await read({});
  const one = await read({ bbox: [-5.5, 44.5, -5, 44.75], flight_level: [350] });
  const [, rows = 0, levels = 0] = all.aCCF_merged?.shape ?? [];
  for (const name of FUNCTIONS) {
    const wide = all[name]?.values as Float64Array;
    const cut = [2, 3, 4].flatMap((i) => [2, 3].map((j) => wide[(i * rows + j) * levels + 1]));
    expect(Array.from(one[name]?.values ?? [])).toEqual(cut);
  }
});

test('variables select those of the file, and the layout their dimensions', async () => {
  const file = await read({ variables: ['aCCF_Cont', 'aCCF_merged'], layout: 'cf' });
  expect(Object.keys(file).filter((name) => name.startsWith('aCCF'))).toEqual(['aCCF_Cont', 'aCCF_merged']);
  expect(file.aCCF_merged?.shape).toEqual([1, 3, 7, 9]);
});

test('the criterion of formation makes no area larger', async () => {
  const [sac, issr] = [await read({ pcfa: 'sac' }), await read({})];
  sac.pcfa?.values.forEach((value, i) => {
    expect(value).toBeLessThanOrEqual((issr.pcfa as { values: Float64Array }).values[i] as number);
  });
});

test('polygons surround the cells whose merged response reaches the threshold', async () => {
  const { aCCF_merged } = await read({ flight_level: [350] });
  const sorted = Float64Array.from(aCCF_merged?.values ?? []).sort();
  const areas = [sorted[0], sorted.at(-1)].map(async (threshold) => {
    const bytes = await chunksOf({ flight_level: [350], format: 'geojson', threshold, simplify: 0 });
    const { features } = JSON.parse(Buffer.concat(bytes).toString()) as {
      features: { properties: Record<string, unknown>; geometry: { coordinates: unknown[] } }[];
    };
    expect(features[0]?.properties).toMatchObject({
      name: 'aCCF_merged',
      polygon_iso_value: threshold,
      accf_v: 'V1.0A',
      geopotential_source: 'given',
      potential_vorticity_source: 'computed',
    });
    return JSON.stringify(features[0]?.geometry.coordinates).length;
  });
  const [all = 0, few = 0] = await Promise.all(areas);
  expect(all).toBeGreaterThan(0);
  expect(few).toBeGreaterThan(0);
});

test.each([
  ['polygons without a threshold', { format: 'kml' }, /threshold is missing/],
  ['polygons of one variable', { format: 'geojson', threshold: 1, variables: ['pcfa'] }, /netCDF/],
  ['a pulse over 50 years', { time_horizon: '50' }, /future_scenario/],
] as const)('%s is refused', (_, given, message) => {
  expect(() => requestOf(given)).toThrow(message);
});

type Given = Partial<Omit<AccfQuery, 'bbox'>> & { readonly bbox?: readonly number[] };

function requestOf({ bbox = golden.query.bbox, ...given }: Given) {
  const [minLon = 0, minLat = 0, maxLon = 0, maxLat = 0] = bbox;
  return accfRequest({
    time: Date.parse(golden.query.time),
    flight_level: golden.query.flight_level,
    bbox: { minLon, minLat, maxLon, maxLat, crossesAntimeridian: false },
    format: 'netcdf',
    layout: 'default',
    interiors: true,
    simplify: 3,
    convex_hull: false,
    met_source: undefined,
    variables: undefined,
    threshold: undefined,
    ...given,
  });
}

async function chunksOf(given: Given): Promise<readonly Uint8Array[]> {
  const request = requestOf(given);
  const choice = await met.catalogue.choose(functionWeather(request));
  const { signal } = new AbortController();
  return (await computeAccf(compute, met, request, choice, { signal })).chunks;
}

async function read(given: Given) {
  const path = join(await temporaryDirectory(), 'accf.nc');
  await writeFile(path, Buffer.concat(await chunksOf(given)));
  return readVariables(path);
}
