/** Weather that is written as netCDF-4, in the names and units that the models use. */
import { open } from 'node:fs/promises';
import { encodeNetcdf, type NetcdfVariable } from '@contrails/formats';
import { findImplausible } from '../field/plausibility.ts';

export interface ConvertedFile {
  /** Start of the forecast [ms since 1970]; none of a reanalysis. */
  readonly runMs?: number;
  /** [ms since 1970] */
  readonly timesMs: readonly number[];
  /** [hPa]; none of fields without levels. */
  readonly levels: readonly number[];
  readonly latitudes: ArrayLike<number>;
  readonly longitudes: ArrayLike<number>;
  readonly variables: readonly ConvertedVariable[];
  /** Besides those above. */
  readonly withoutLevels?: readonly ConvertedVariable[];
}

export interface ConvertedVariable {
  readonly name: string;
  readonly unit: string;
  /** The field of a time and a level, by latitude and longitude. */
  readonly field: (time: number, level: number) => Float32Array | Promise<Float32Array>;
}

const SECONDS = 'seconds since 1970-01-01 00:00:00';

export async function writeConverted(path: string, file: ConvertedFile): Promise<void> {
  const { runMs, timesMs, levels, latitudes, longitudes, variables, withoutLevels = [] } = file;
  const hasLevels = levels.length > 0;
  const axis = (
    name: string,
    values: ArrayLike<number>,
    attributes: Record<string, string>,
  ): NetcdfVariable => ({
    name,
    dimensions: [name],
    data: Float64Array.from(values),
    attributes,
  });
  const stored = ({ name, unit, field }: ConvertedVariable, isOnLevels: boolean): NetcdfVariable => ({
    name,
    dimensions: ['time', ...(isOnLevels ? ['level'] : []), 'latitude', 'longitude'],
    type: 'float32',
    chunks: [1, ...(isOnLevels ? [1] : []), latitudes.length, longitudes.length],
    data: async ([time = 0, level = 0]) => {
      const values = await field(time, isOnLevels ? level : 0);
      const wrong = findImplausible(name, isOnLevels ? values : new Float32Array());
      if (wrong !== undefined) throw new RangeError(`a value of ${name} is ${wrong} ${unit}`);
      return values;
    },
    fillValue: Number.NaN,
    attributes: { units: unit },
  });
  const chunks = await encodeNetcdf({
    dimensions: {
      time: timesMs.length,
      ...(hasLevels ? { level: levels.length } : {}),
      latitude: latitudes.length,
      longitude: longitudes.length,
    },
    variables: [
      axis(
        'time',
        timesMs.map((ms) => ms / 1000),
        { units: SECONDS, standard_name: 'time' },
      ),
      ...(hasLevels ? [axis('level', levels, { units: 'hPa', standard_name: 'air_pressure' })] : []),
      axis('latitude', latitudes, { units: 'degrees_north', standard_name: 'latitude' }),
      axis('longitude', longitudes, { units: 'degrees_east', standard_name: 'longitude' }),
      ...(runMs === undefined
        ? []
        : [
            {
              name: 'forecast_reference_time',
              dimensions: [],
              data: Float64Array.of(runMs / 1000),
              attributes: { units: SECONDS, standard_name: 'forecast_reference_time' },
            },
          ]),
      ...variables.map((variable) => stored(variable, hasLevels)),
      ...withoutLevels.map((variable) => stored(variable, false)),
    ],
    attributes: { Conventions: 'CF-1.8' },
  });
  const handle = await open(path, 'w');
  try {
    for (const chunk of chunks) await handle.write(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
