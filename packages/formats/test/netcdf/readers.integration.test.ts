import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTools } from '../../../../test/support/tools.ts';
import type { NetcdfFile, NetcdfVariable } from '../../src/netcdf/file.ts';
import { bytesOf, type NumericArray, typeOf } from '../../src/netcdf/types.ts';
import { encodeNetcdf } from '../../src/netcdf/write.ts';
import { gridFile } from '../support/grid-file.ts';

const { python, ncdump, missing } = readTools();
const withoutPython = python === null;
const because = withoutPython ? ` (skipped: ${missing.python})` : '';

const folder = mkdtempSync(join(tmpdir(), 'contrails-netcdf-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface FoundVariable {
  readonly type: string;
  readonly dimensions: string[];
  readonly sha256: string;
  readonly attributes: Record<string, unknown>;
  readonly chunks: number[] | string;
  readonly filters: Record<string, unknown>;
  readonly fill: unknown;
}

interface Found {
  readonly dimensions: Record<string, number>;
  readonly attributes: Record<string, unknown>;
  readonly model: string;
  readonly variables: Record<string, FoundVariable>;
}

const READERS = ['netcdf4', 'h5netcdf', 'netCDF4-python', 'h5py'] as const;
type Findings = Record<(typeof READERS)[number], Found> & {
  decoded: Record<'netcdf4' | 'h5netcdf', Record<string, { type: string; first: string }>>;
};

async function write(name: string, file: NetcdfFile): Promise<string> {
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat(await encodeNetcdf(file)));
  return path;
}

function openEverywhere(paths: readonly string[]): Findings[] {
  const script = fileURLToPath(new URL('../support/netcdf_readers.py', import.meta.url));
  const answer = execFileSync(python as string, [script, ...paths], { encoding: 'utf8', maxBuffer: 1 << 26 });
  return JSON.parse(answer);
}

const sha256 = (values: NumericArray) => createHash('sha256').update(bytesOf(values)).digest('hex');

const index = (name: string, length: number): NetcdfVariable => ({
  name,
  dimensions: [name],
  data: Int32Array.from({ length }, (_, k) => k),
});

/** Patterns with every bit in use, among them NaN, infinities and the extremes of the integers. */
function samples(count: number): NumericArray[] {
  const bits = (size: number) =>
    Uint8Array.from({ length: count * size }, (_, k) => Math.imul(k + 1, 2_654_435_761) >>> 24).buffer;
  return [
    new Int8Array(bits(1)),
    new Uint8Array(bits(1)),
    new Int16Array(bits(2)),
    new Uint16Array(bits(2)),
    new Int32Array(bits(4)),
    new Uint32Array(bits(4)),
    new BigInt64Array(bits(8)),
    Float32Array.from({ length: count }, (_, k) => (k === 0 ? Number.NaN : k === 1 ? -Infinity : k / 3)),
    Float64Array.from({ length: count }, (_, k) => (k === 0 ? Number.NaN : k === 1 ? Infinity : -k / 7)),
  ];
}

const ROWS = 11;
const COLUMNS = 7;
const values = samples(ROWS * COLUMNS);
const allTypes: NetcdfFile = {
  dimensions: { row: ROWS, column: COLUMNS },
  variables: [
    index('row', ROWS),
    index('column', COLUMNS),
    ...values.flatMap((data): NetcdfVariable[] => [
      { name: `${typeOf(data)}_whole`, dimensions: ['row', 'column'], data },
      { name: `${typeOf(data)}_chunked`, dimensions: ['row', 'column'], data, chunks: [4, 3] },
    ]),
  ],
};

const ATTRIBUTES = {
  ascii: 'J / m',
  utf8: 'Höhe in m, 10⁸ J m⁻¹, 雲',
  empty: '',
  long: 'x'.repeat(5000),
  number: 0.3,
  int8: Int8Array.of(-1),
  uint8: Uint8Array.of(255),
  int16: Int16Array.of(-300, 300),
  uint16: Uint16Array.of(65_535),
  int32: Int32Array.of(-70_000, 70_000, 1),
  uint32: Uint32Array.of(4_000_000_000),
  int64: BigInt64Array.of(-5_000_000_000n),
  float32: Float32Array.of(0.5, Number.NaN),
  float64: Float64Array.of(1e300),
};

const attributes: NetcdfFile = {
  dimensions: { x: 2 },
  attributes: ATTRIBUTES,
  variables: [
    { ...index('x', 2), attributes: ATTRIBUTES },
    { name: 'plain', dimensions: ['x'], data: Float32Array.of(1, 2), attributes: ATTRIBUTES },
    {
      name: 'filled',
      dimensions: ['x'],
      data: Float32Array.of(1, Number.NaN),
      chunks: [2],
      fillValue: Number.NaN,
    },
    { name: 'counted', dimensions: ['x'], data: Int16Array.of(1, -999), chunks: [1], fillValue: -999 },
  ],
};

const age: NetcdfFile = {
  dimensions: { time: 2 },
  variables: [
    {
      name: 'time',
      dimensions: ['time'],
      data: BigInt64Array.of(1_718_161_200n, 1_718_164_800n),
      attributes: { units: 'seconds since 1970-01-01', calendar: 'proleptic_gregorian' },
    },
    {
      name: 'forecast_reference_time',
      dimensions: ['time'],
      data: BigInt64Array.of(1_718_150_400n, 1_718_150_400n),
      attributes: { units: 'seconds since 1970-01-01', calendar: 'proleptic_gregorian' },
    },
    {
      name: 'contrail_age',
      dimensions: ['time'],
      data: Float32Array.of(1.5, Number.NaN),
      attributes: { units: 'hours' },
    },
  ],
};

/** A long variable in many chunks of four values, the last one cut short. */
function manyChunks(chunks: number): { file: NetcdfFile; data: Float64Array } {
  const data = Float64Array.from({ length: 4 * chunks - 1 }, (_, k) => Math.sin(k));
  const variables: NetcdfVariable[] = [
    index('x', data.length),
    { name: 'wave', dimensions: ['x'], data, chunks: [4] },
  ];
  return { file: { dimensions: { x: data.length }, variables }, data };
}

/** A square of many chunks: the index then has several levels and two dimensions. */
function tiles(side: number): { file: NetcdfFile; data: Int16Array } {
  const data = Int16Array.from({ length: side * side }, (_, k) => k);
  const variables: NetcdfVariable[] = [
    index('x', side),
    index('y', side),
    { name: 'tile', dimensions: ['x', 'y'], data, chunks: [2, 3] },
  ];
  return { file: { dimensions: { x: side, y: side }, variables }, data };
}

const [chunks65, chunks200, chunks5000, square] = [
  manyChunks(65),
  manyChunks(200),
  manyChunks(5000),
  tiles(101),
];
const oneCell = gridFile(1, 1, [340], () => Float32Array.of(1));

let found: Record<string, Findings> = {};

beforeAll(async () => {
  if (withoutPython) return;
  const files = {
    allTypes,
    attributes,
    age,
    chunks65: chunks65.file,
    chunks200: chunks200.file,
    chunks5000: chunks5000.file,
    square: square.file,
    oneCell,
  };
  const paths: string[] = [];
  for (const [name, file] of Object.entries(files)) paths.push(await write(`${name}.nc`, file));
  const findings = openEverywhere(paths);
  found = Object.fromEntries(Object.keys(files).map((name, k) => [name, findings[k] as Findings]));
});

describe.each(READERS)('read by %s', (reader) => {
  const variable = (file: string, name: string) => found[file]?.[reader].variables[name] as FoundVariable;

  test.skipIf(withoutPython)(`reads every type, whole and chunked, bit by bit${because}`, () => {
    for (const data of values) {
      for (const form of ['whole', 'chunked']) {
        const { type, sha256: hash, dimensions } = variable('allTypes', `${typeOf(data)}_${form}`);
        expect({ type, hash, dimensions }, `${typeOf(data)} ${form}`).toEqual({
          type: typeOf(data),
          hash: sha256(data),
          dimensions: ['row', 'column'],
        });
      }
    }
  });

  test.skipIf(withoutPython)(`finds every one of 65, 200 and 5000 chunks${because}`, () => {
    expect(variable('chunks65', 'wave').sha256).toBe(sha256(chunks65.data));
    expect(variable('chunks200', 'wave').sha256).toBe(sha256(chunks200.data));
    expect(variable('chunks5000', 'wave').sha256).toBe(sha256(chunks5000.data));
  });

  test.skipIf(withoutPython)(`finds every one of 1734 tiles${because}`, () => {
    expect(variable('square', 'tile').sha256).toBe(sha256(square.data));
  });

  test.skipIf(withoutPython)(`reads a grid of one cell${because}`, () => {
    expect(variable('oneCell', 'issr').sha256).toBe(sha256(Float32Array.of(1)));
    expect(variable('oneCell', 'issr').dimensions).toEqual(['longitude', 'latitude', 'flight_level', 'time']);
  });
});

describe.each(['netcdf4', 'h5netcdf', 'netCDF4-python'] as const)('read by %s', (reader) => {
  /** Numbers as lists; the libraries unpack lists of one. */
  const expected = Object.fromEntries(
    Object.entries(ATTRIBUTES).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      const list =
        typeof value === 'number' ? [value] : Array.from(value as ArrayLike<number | bigint>, Number);
      return [name, list.map((item) => (Number.isNaN(item) ? 'NaN' : item))];
    }),
  );
  const listed = (attributes: Record<string, unknown> = {}) =>
    Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [
        name,
        typeof value === 'object' ? (value as { values: unknown[] }).values : value,
      ]),
    );

  test.skipIf(withoutPython)(`reads attributes of every kind, of the file and of variables${because}`, () => {
    const file = found.attributes?.[reader];
    expect(listed(file?.attributes)).toEqual(expected);
    expect(listed(file?.variables.plain?.attributes)).toEqual(expected);
    expect(listed(file?.variables.x?.attributes)).toEqual(expected);
  });

  test.skipIf(withoutPython)(`keeps dimensions in the order of the file${because}`, () => {
    expect(Object.entries(found.oneCell?.[reader].dimensions ?? {})).toEqual([
      ['longitude', 1],
      ['latitude', 1],
      ['flight_level', 1],
      ['time', 1],
    ]);
  });

  test.skipIf(withoutPython)(`knows the fill values${because}`, () => {
    const variables = found.attributes?.[reader].variables;
    expect(listed(variables?.filled?.attributes)._FillValue).toEqual(['NaN']);
    expect(listed(variables?.counted?.attributes)._FillValue).toEqual([-999]);
  });
});

test.skipIf(withoutPython)(`h5py knows the fill values${because}`, () => {
  const variables = found.attributes?.h5py.variables;
  expect(variables?.filled?.fill).toMatchObject({ values: ['NaN'] });
  expect(variables?.counted?.fill).toMatchObject({ values: [-999] });
});

test.skipIf(withoutPython)(`netCDF4-python reports chunks, shuffle and deflate${because}`, () => {
  const issr = found.oneCell?.['netCDF4-python'].variables.issr;
  expect(found.oneCell?.['netCDF4-python'].model).toBe('NETCDF4');
  expect(issr?.chunks).toEqual([1, 1, 1, 1]);
  expect(issr?.filters).toMatchObject({ zlib: true, shuffle: true, complevel: 1 });
});

test.skipIf(withoutPython)(`xarray decodes times and durations${because}`, () => {
  for (const engine of ['netcdf4', 'h5netcdf'] as const) {
    const decoded = found.age?.decoded[engine];
    expect(decoded?.time?.first).toMatch(/^2024-06-12T03:00:00/);
    expect(decoded?.forecast_reference_time?.first).toMatch(/^2024-06-12T00:00:00/);
    expect(decoded?.contrail_age?.type).toMatch(/^timedelta64/);
    expect(found.oneCell?.decoded[engine].time?.first).toMatch(/^2024-06-12T03:00:00/);
  }
});

test.skipIf(withoutPython)(`the netCDF library can change a file and add to it${because}`, async () => {
  const cells = Float32Array.from({ length: 12 }, (_, k) => k);
  const path = await write(
    'append.nc',
    gridFile(4, 3, [300, 310], () => cells),
  );
  const script = fileURLToPath(new URL('../support/netcdf_append.py', import.meta.url));
  const after = JSON.parse(execFileSync(python as string, [script, path], { encoding: 'utf8' }));
  expect(after).toMatchObject({ history: 'changed', comment: 'one value changed', first: 7, rest: 2 * 66 });
  expect(after.added).toEqual([
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
  ]);
  expect(after.variables).toEqual(expect.arrayContaining(['longitude', 'issr', 'member', 'added']));
});

const withoutNcdump = ncdump === null;
const noNcdump = withoutNcdump ? ` (skipped: ${missing.ncdump})` : '';

test.skipIf(withoutNcdump)(`ncdump prints the layout of the grids${noNcdump}`, async () => {
  const path = await write(
    'dump.nc',
    gridFile(4, 3, [300, 310], () => new Float32Array(12).fill(1)),
  );
  const dump = (...args: string[]) => execFileSync(ncdump as string, [...args, path], { encoding: 'utf8' });
  expect(dump('-k').trim()).toBe('netCDF-4');
  const header = dump('-hs');
  expect(header).toContain('float issr(longitude, latitude, flight_level, time) ;');
  expect(header).toContain('issr:_FillValue = NaNf ;');
  expect(header).toContain('issr:_ChunkSizes = 4, 3, 1, 1 ;');
  expect(header).toContain('issr:_Shuffle = "true" ;');
  expect(header).toContain('int64 time(time) ;');
  expect(header).toContain(':met_source_provider = "Zürich ☁" ;');
  expect(dump('-v', 'flight_level')).toContain('flight_level = 300, 310 ;');
});
