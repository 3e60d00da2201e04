import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeNetcdf } from '@contrails/formats';
import { openSource } from '@contrails/met';
import { WIND_VARIABLES, type Winds, windsOf } from '../../src/attribution/index.ts';
import { openImageFile } from '../../src/readers/hdf5.ts';

/** All winds of a netCDF file, read as any weather of the service. */
export async function readWinds(directory: string, file: string): Promise<Winds> {
  const source = await openSource({
    ...{
      name: 'reference',
      kind: 'netcdf',
      provider: 'reference',
      dataset: 'reference',
      product: 'reanalysis',
    },
    ...{ paths: [file], directory },
  });
  try {
    const { runs, levels, latitude, longitude } = await source.describe();
    const ends = (values: readonly number[]) => [values[0] ?? 0, values.at(-1) ?? 0] as const;
    const [west, east] = [Math.min(...longitude), Math.max(...longitude)];
    const isGlobal = (east - west) * longitude.length >= 359 * (longitude.length - 1);
    const field = await source.read({
      variables: [...WIND_VARIABLES],
      time: ends(runs[0]?.times ?? []),
      level: ends(levels),
      latitude: ends(latitude),
      longitude: isGlobal ? [-180, 180] : [west, east],
    });
    return windsOf(field);
  } finally {
    await source.close();
  }
}

const DIMENSIONS = ['longitude', 'latitude', 'level', 'time'] as const;
const UNITS = { longitude: 'degrees_east', latitude: 'degrees_north', level: 'hPa' } as const;
const WIND_UNITS = ['m s-1', 'm s-1', 'Pa s-1', 'K'];

/** The same for a file whose variables have no units, which no source accepts. */
export async function readWindsWithoutUnits(path: string): Promise<Winds> {
  const file = openImageFile(path);
  const axes = DIMENSIONS.map((name) => ({ name, data: file.numbers(name) }));
  const variables = [
    ...axes.map(({ name, data }) => ({
      name,
      dimensions: [name],
      data,
      attributes: { units: name === 'time' ? String(file.attribute('time', 'units')) : UNITS[name] },
    })),
    ...WIND_VARIABLES.map((name, k) => ({
      name,
      dimensions: DIMENSIONS,
      data: Float32Array.from(file.numbers(name)),
      attributes: { units: WIND_UNITS[k] as string, standard_name: name },
    })),
  ];
  file.close();
  const dimensions = Object.fromEntries(axes.map(({ name, data }) => [name, data.length]));
  const directory = mkdtempSync(join(tmpdir(), 'winds-'));
  writeFileSync(join(directory, 'met.nc'), Buffer.concat(await encodeNetcdf({ dimensions, variables })));
  return readWinds(directory, 'met.nc');
}
