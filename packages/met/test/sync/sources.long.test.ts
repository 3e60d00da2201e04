import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { encodeNetcdf } from '@contrails/formats';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openMet, openSource, type SourceSettings, samplePoint } from '../../src/index.ts';
import {
  type GeneratedSource,
  PROVIDERS,
  registeredSources,
  type SyncOptions,
  syncSource,
} from '../../src/providers/index.ts';
import { openHdf5 } from '../../src/sources/netcdf/hdf5.ts';
import type { Manifest } from '../../src/sync/folder.ts';
import { type Mirror, startMirror } from '../support/mirror.ts';
import { expected, toleranceOf } from '../support/weather-sync.ts';

const AS_OF_MS = Date.parse('2026-09-14T13:00Z');
const DAY_MS = Date.parse('2024-06-15T00:00Z');

let mirror: Mirror;
beforeAll(async () => {
  mirror = await startMirror();
});
afterAll(() => mirror.close());
afterEach(() => mirror.reset());

/** Of files that are converted one at a time: each thread that converts beside it loads the libraries first. */
const CHOICES: Readonly<Record<string, Partial<SyncOptions>>> = {
  ecmwf: { hours: 36, runMs: Date.parse('2026-09-14T00:00Z') },
  gfs: { hours: 12 },
  ukmo: { hours: 3, connections: 1 },
  'icon-eu': { hours: 3, connections: 1 },
  era5: { days: [DAY_MS, DAY_MS], connections: 1 },
  'era5-cds': { days: [DAY_MS, DAY_MS], key: 'test-key' },
};

const newFolder = () => mkdtempSync(join(tmpdir(), 'sync-'));

async function sync(name: string, directory: string, more: Partial<SyncOptions> = {}) {
  const provider = PROVIDERS.find((one) => one.name === name);
  if (provider === undefined) throw new Error(`no provider ${name}`);
  const folder = name === 'era5-cds' ? 'cds' : name;
  const [result] = await syncSource(provider, {
    directory,
    roots: [`${mirror.url}/${folder}`],
    asOfMs: AS_OF_MS,
    pauseMs: 1,
    stallMs: 1000,
    ...CHOICES[name],
    ...more,
  });
  if (result === undefined) throw new Error('nothing was synced');
  return result;
}

function settingsOf(source: GeneratedSource): SourceSettings {
  const { radiation_accumulated, radiation_intervals, estimate_radiation, radiation_from, ...rest } = source;
  return {
    ...rest,
    directory: '/',
    accumulatedFromStart: radiation_accumulated ?? false,
    ...(radiation_intervals === undefined ? {} : { radiationIntervals: radiation_intervals }),
    ...(estimate_radiation === undefined ? {} : { estimateRadiation: estimate_radiation }),
    ...(radiation_from === undefined ? {} : { radiationFrom: radiation_from }),
  };
}

const openRegistered = async (directory: string) =>
  openMet({
    sources: await Promise.all(registeredSources(directory).map((one) => openSource(settingsOf(one)))),
    memoryBytes: 64 * 2 ** 20,
    threads: 1,
  });

async function wrongValues(directory: string, source: string, points: (typeof expected)[string]['points']) {
  const weather = await openRegistered(directory);
  const wrong: string[] = [];
  for (const { time, values, ...at } of points) {
    const sample = await samplePoint(weather, { source, timeMs: Date.parse(time), ...at });
    for (const [variable, value] of Object.entries(values)) {
      const found = sample.values[variable] ?? Number.NaN;
      if (!(Math.abs(found - value) <= toleranceOf(variable, value))) {
        wrong.push(
          `${variable} ${time} ${at.longitude} ${at.latitude} ${at.level}: ${found} instead of ${value}`,
        );
      }
    }
  }
  await weather.close();
  return wrong;
}

function manifestOf({ directory }: Awaited<ReturnType<typeof sync>>): Manifest {
  return JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as Manifest;
}

const checksumsOf = (result: Awaited<ReturnType<typeof sync>>) =>
  manifestOf(result).files.map(({ name, sha256 }) => [name, sha256]);

/** Of the files of each source, which hold the expected values. */
const checksums = new Map<string, string[][]>();

describe.each(['ecmwf', 'gfs', 'ukmo', 'icon-eu', 'era5'])('a sync of %s', (name) => {
  const { points, steps, levels, missing, radiation } = expected[name] as (typeof expected)[string];

  test('makes a source with the expected values at every point', async () => {
    const directory = newFolder();
    const result = await sync(name, directory, { connections: 4 });
    expect(result).toMatchObject({ state: 'synced', levels, missing, radiation });
    if (name !== 'era5') expect(result.steps).toEqual(steps);
    expect(await wrongValues(directory, name, points)).toEqual([]);
    expect((await sync(name, directory)).state).toBe('up-to-date');
    checksums.set(name, checksumsOf(result));
  });
});

const FILES = '\\.(nc|bz2|f\\d{3})$';
/** Bits that flip in packed values of GRIB cannot be seen. */
const FAULTS = { gfs: 'corrupt', ukmo: 'flip', 'icon-eu': 'flip', era5: 'flip' } as const;
/** Half of the files that hold the expected values are enough. */
const HALF: Partial<Record<keyof typeof FAULTS, Partial<SyncOptions>>> = {
  ukmo: { hours: 1 },
  'icon-eu': { hours: 1 },
};

describe.each(Object.keys(FAULTS) as (keyof typeof FAULTS)[])('files of %s', (name) => {
  async function syncSameFiles(): Promise<void> {
    const files = checksumsOf(await sync(name, newFolder(), HALF[name]));
    const all = checksums.get(name) ?? [];
    expect(files).toHaveLength(name in HALF ? all.length / 2 : all.length);
    expect(all).toEqual(expect.arrayContaining(files));
  }

  test('end as the same bytes although each fault hits one of them', async () => {
    const faults = ['500', 'short', 'cut', FAULTS[name]];
    await mirror.faults(
      ...faults.map((fault, k) => ({ match: FILES, fault, method: 'GET', times: 1, skip: 2 * k + 1 })),
    );
    await syncSameFiles();
    const requests = (await mirror.log()).filter(({ method, path }) => method === 'GET' && path.match(FILES));
    expect(requests.length).toBeGreaterThan(2 * faults.length);
    expect(requests.filter(({ status }) => status === 500)).toHaveLength(1);
  });

  test('end as the same bytes from a server without ranges', async () => {
    await mirror.faults({ match: FILES, fault: 'norange', method: 'GET' });
    await syncSameFiles();
  });
});

test('vertical velocity of the Met Office is taken where it has the levels', async () => {
  const copy = await startMirror({ copy: true });
  onTestFinished(() => copy.close());
  const upward = 0.1;
  for (const step of [0, 1]) {
    const hour = String(step).padStart(2, '0');
    const prefix = `ukmo/global-deterministic-10km/20260914T0000Z/20260914T${hour}00Z-PT00${hour}H00M-`;
    const temperature = openHdf5(join(copy.tree, `${prefix}temperature_on_pressure_levels.nc`));
    const axes = ['pressure', 'latitude', 'longitude'].map((name) => ({
      name,
      data: temperature.header.coordinates.get(name) ?? new Float64Array(),
    }));
    temperature.close();
    const scalar = (name: string, seconds: number, units = 'seconds since 1970-01-01 00:00:00') => ({
      name,
      dimensions: [],
      data: Float64Array.of(seconds),
      attributes: { units },
    });
    const runSeconds = Date.parse('2026-09-14T00:00Z') / 1000;
    const chunks = await encodeNetcdf({
      dimensions: Object.fromEntries(axes.map(({ name, data }) => [name, data.length])),
      variables: [
        ...axes.map(({ name, data }) => ({
          name,
          dimensions: [name],
          data,
          attributes: { units: name === 'pressure' ? 'Pa' : 'degrees' },
        })),
        scalar('forecast_reference_time', runSeconds),
        scalar('time', runSeconds + step * 3600),
        scalar('forecast_period', step * 3600, 'seconds'),
        {
          name: 'upward_air_velocity',
          dimensions: axes.map(({ name }) => name),
          // Somewhat noisy, as a field that is hard to compress.
          data: Float64Array.from(
            { length: axes.reduce((product, { data }) => product * data.length, 1) },
            () => upward * (1 + 0.005 * Math.random()),
          ),
          attributes: { units: 'm s-1' },
        },
      ],
    });
    writeFileSync(
      join(copy.tree, `${prefix}wind_vertical_velocity_on_pressure_levels.nc`),
      Buffer.concat(chunks as Uint8Array[]),
    );
  }
  const directory = newFolder();
  const result = await sync('ukmo', directory, { hours: 1, roots: [`${copy.url}/ukmo`] });
  expect(result.missing).not.toContain('vertical_velocity');
  const weather = await openRegistered(directory);
  const at = { timeMs: Date.parse('2026-09-14T00:30Z'), longitude: 5, latitude: 45, level: 250 };
  const { values } = await samplePoint(weather, { source: 'ukmo', ...at });
  await weather.close();
  const omega = (-9.80665 * upward * 25_000) / (287.05 * (values.air_temperature as number));
  expect(values.vertical_velocity).toBeCloseTo(omega, 2);
});

describe('a file that holds something else than its name says is refused', () => {
  let copy: Mirror;
  beforeAll(async () => {
    copy = await startMirror({ copy: true });
  });
  afterAll(() => copy.close());

  const ICON = 'icon-eu/weather/nwp/icon-eu/grib/06';
  const layer = (name: string, level: number) =>
    `${ICON}/${name}/icon-eu_europe_regular-lat-lon_model-level_2026091406_000_${level}_${name.toUpperCase()}.grib2.bz2`;
  const mean = (step: string) =>
    `${ICON}/athb_t/icon-eu_europe_regular-lat-lon_single-level_2026091406_${step}_ATHB_T.grib2.bz2`;
  const ukmo = (name: string) =>
    `ukmo/global-deterministic-10km/20260914T0000Z/20260914T0000Z-PT0000H00M-${name}_on_pressure_levels.nc`;
  const era5 = (name: string) =>
    `era5/e5.oper.an.pl/202406/e5.oper.an.pl.128_${name}.ll025sc.2024061500_2024061523.nc`;

  test.each([
    ['icon-eu', 'another layer', layer('t', 26), layer('t', 27), /t of level 26 is another field/],
    ['icon-eu', 'another variable', layer('qv', 26), layer('qi', 26), /qv of level 26 is another field/],
    ['icon-eu', 'another step', mean('000'), mean('001'), /athb_t of level 0 is of another run or step/],
    ['ukmo', 'another variable', ukmo('temperature'), ukmo('wind_speed'), /a value of t is [\d.]+ K/],
    ['era5', 'another variable', era5('130_t'), era5('133_q'), /there is Q instead of t/],
  ] as const)('%s: %s', async (name, _, asked, given, reason) => {
    const path = join(copy.tree, asked);
    const bytes = readFileSync(path);
    cpSync(join(copy.tree, given), path);
    const more = name === 'era5' ? {} : { hours: 0 };
    await expect(sync(name, newFolder(), { ...more, roots: [`${copy.url}/${name}`] })).rejects.toThrow(
      reason,
    );
    writeFileSync(path, bytes);
  });
});

test('a box beside the grid is not called a damaged file', async () => {
  await expect(sync('icon-eu', newFolder(), { hours: 0, bbox: [-130, 30, -100, 50] })).rejects.toThrow(
    'nothing of the grid lies between -130 and -100°; choose another --bbox',
  );
});

test.each(['ecmwf', 'ukmo', 'icon-eu', 'era5', 'era5-cds'])(
  'progress of %s rises to what was planned and no further',
  async (name) => {
    let planned = 0;
    const told: number[] = [];
    await sync(name, newFolder(), {
      hours: 0,
      onPlan: ({ bytes }) => {
        planned = bytes;
      },
      onProgress: (bytes) => told.push(bytes),
    });
    expect(planned).toBeGreaterThan(0);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
    expect(told.at(-1)).toBe(planned);
  },
);

test('steps that are there are not converted again for more hours, but for other levels', async () => {
  const directory = newFolder();
  const filesAsked = async (more: Partial<SyncOptions>) => {
    await mirror.reset();
    const result = await sync('ukmo', directory, more);
    const paths = (await mirror.log()).filter(({ method }) => method === 'GET').map(({ path }) => path);
    const steps = new Set(paths.flatMap((path) => /-PT00(\d\d)H/.exec(path)?.[1] ?? []));
    return { steps: [...steps].sort(), levels: result.levels };
  };
  expect((await filesAsked({ hours: 1 })).steps).toEqual(['00', '01']);
  expect((await filesAsked({ hours: 2 })).steps).toEqual(['02']);
  const levels = [...(expected.ukmo?.levels ?? []), 500].sort((one, other) => one - other);
  expect(await filesAsked({ hours: 2, levels })).toEqual({ steps: ['00', '01', '02'], levels });
});

test('what an attempt with other levels left is not taken for what is wanted', async () => {
  const directory = newFolder();
  await mirror.faults({ match: 'PT0001H', fault: '403', method: 'GET' });
  await expect(sync('ukmo', directory, { hours: 1, levels: [250] })).rejects.toThrow(/403/);
  expect(existsSync(join(directory, 'ukmo/.partial/20260914T00/ukmo-20260914T00-000.nc'))).toBe(true);
  await mirror.faults();
  await sync('ukmo', directory, { hours: 1 });
  const weather = await openRegistered(directory);
  const at = { timeMs: Date.parse('2026-09-14T00:00Z'), longitude: 5, latitude: 45, level: 200 };
  const { values } = await samplePoint(weather, { source: 'ukmo', ...at });
  await weather.close();
  expect(values.air_temperature).toBeGreaterThan(200);
});

test('a day that is not there is answered with the last one that is', async () => {
  const dayMs = Date.parse('2026-06-01T00:00Z');
  await expect(sync('era5', newFolder(), { days: [dayMs, dayMs] })).rejects.toThrow(
    /2026-06-01 of era5 is not there at .*, which ends at 2024-06-15; use era5-cds, or ARCO-ERA5 as a zarr source/,
  );
});

test('sources that are synced at the same time are both registered', async () => {
  const directory = newFolder();
  const names = ['ecmwf', 'gfs', 'ukmo'];
  await Promise.all(names.map((name) => sync(name, directory, { hours: 3 })));
  expect(registeredSources(directory).map(({ name }) => name)).toEqual(names);
});

test('radiation of another source is registered with the source', async () => {
  const directory = newFolder();
  await sync('gfs', directory);
  await sync('ecmwf', directory, { radiationFrom: 'gfs' });
  const { points, source } = expected['ecmwf+gfs'] as (typeof expected)[string];
  expect(await wrongValues(directory, source, points)).toEqual([]);
});

test.each(['ukmo', 'icon-eu', 'era5'])('a box of %s has the values of the whole', async (name) => {
  const directory = newFolder();
  await sync(name, directory, { bbox: [-10, 40, 20, 60] });
  const { points } = expected[name] as (typeof expected)[string];
  const inside = points.filter(
    ({ longitude, latitude }) => longitude >= -10 && longitude <= 20 && latitude >= 40 && latitude <= 60,
  );
  expect(inside.length).toBeGreaterThan(0);
  expect(await wrongValues(directory, name, inside)).toEqual([]);
});

describe('the Climate Data Store', () => {
  test('gives a day with a key, and its job is asked for again after an end', async () => {
    const directory = newFolder();
    await mirror.faults({ match: '/cds/files/', fault: '403', method: 'GET' });
    await expect(sync('era5-cds', directory)).rejects.toThrow(/403/);
    await mirror.faults();
    const notices: string[] = [];
    const result = await sync('era5-cds', directory, { onNotice: (notice) => notices.push(notice) });
    expect(result).toMatchObject({ state: 'synced', files: 2, radiation: 'means' });
    expect(notices.map((notice) => /has .*\)/.exec(notice)?.[0]).sort()).toEqual([
      'has 4 of the 24 hours of 2024-06-15 (levels)',
      'has 4 of the 24 hours of 2024-06-15 (radiation)',
    ]);
    const posts = (await mirror.log()).filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(2);
    expect(readFileSync(join(result.directory, 'manifest.json'), 'utf8')).not.toContain('test-key');
  });

  describe('in ZIP archives', () => {
    const NAMES = ['reanalysis-era5-pressure-levels.nc', 'reanalysis-era5-single-levels.nc'];
    /** A mirror whose results are archives, and the checksums of the files in them. */
    const packed = async (pack: (bytes: Buffer) => Buffer) => {
      const copy = await startMirror({ copy: true });
      onTestFinished(() => copy.close());
      const sums = NAMES.map((name) => {
        const path = join(copy.tree, 'cds/files', name);
        const bytes = readFileSync(path);
        writeFileSync(path, pack(bytes));
        return createHash('sha256').update(bytes).digest('hex');
      });
      return { roots: [`${copy.url}/cds`], sums };
    };

    test.each([
      ['stored', 0],
      ['deflated', 8],
    ] as const)('files that are %s are unpacked', async (_, method) => {
      const { roots, sums } = await packed((bytes) => zip([bytes], method));
      const result = await sync('era5-cds', newFolder(), { roots });
      expect(manifestOf(result).files.map(({ sha256 }) => sha256)).toEqual(sums);
    });

    test.each([
      ['are damaged', (bytes: Buffer) => flipped(zip([bytes], 8)), /is damaged/],
      ['hold several files', (bytes: Buffer) => zip([bytes, bytes], 0), /it holds 2 files/],
      ['are cut off', (bytes: Buffer) => zip([bytes], 0).subarray(0, -40), /ZIP archive is damaged/],
    ])('archives that %s are refused', async (_, pack, message) => {
      const { roots } = await packed(pack);
      const directory = newFolder();
      await expect(sync('era5-cds', directory, { roots })).rejects.toThrow(message);
      expect(existsSync(join(directory, 'era5-cds/20240615'))).toBe(false);
    });
  });

  test('sends a damaged file once: it is fetched again', async () => {
    await mirror.faults({ match: '/cds/files/', fault: 'flip', times: 1, method: 'GET' });
    await expect(sync('era5-cds', newFolder())).resolves.toMatchObject({ state: 'synced' });
  });

  test('sends a file without a variable, which is refused', async () => {
    const copy = await startMirror({ copy: true });
    onTestFinished(() => copy.close());
    const files = join(copy.tree, 'cds/files');
    cpSync(
      join(files, 'reanalysis-era5-single-levels.nc'),
      join(files, 'reanalysis-era5-pressure-levels.nc'),
    );
    await expect(sync('era5-cds', newFolder(), { roots: [`${copy.url}/cds`] })).rejects.toThrow(
      /there is no t\b/,
    );
  });

  test('says what a wrong key and a licence that was not accepted need', async () => {
    await expect(sync('era5-cds', newFolder(), { key: 'wrong' })).rejects.toThrow(/the key is not accepted/);
    await mirror.faults({ match: '/execution$', fault: '403', method: 'POST' });
    await expect(sync('era5-cds', newFolder())).rejects.toThrow(
      /please accept at https:\/\/cds\.climate\.copernicus\.eu/,
    );
  });
});

/** An archive of files that are stored (0) or deflated (8). */
function zip(files: readonly Buffer[], method: 0 | 8): Buffer {
  const [locals, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [k, file] of files.entries()) {
    const packed = method === 0 ? file : deflateRawSync(file);
    const name = Buffer.from(`file-${k}.nc`);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(file), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(file.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed]);
    const entry = Buffer.concat([
      Buffer.from('PK\x01\x02'),
      Buffer.of(20, 0),
      common,
      Buffer.alloc(14),
      name,
    ]);
    entry.writeUInt32LE(offset, 42);
    locals.push(local);
    directory.push(entry);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...directory, end]);
}

function flipped(bytes: Buffer): Buffer {
  const middle = bytes.length >> 1;
  return Buffer.concat([
    bytes.subarray(0, middle),
    Buffer.of((bytes[middle] as number) ^ 0xff),
    bytes.subarray(middle + 1),
  ]);
}
