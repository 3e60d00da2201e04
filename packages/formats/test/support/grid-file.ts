import type { NetcdfFile, NetcdfVariable } from '../../src/netcdf/file.ts';

const TIME_S = 1_718_161_200n;

/** The layout of the service's grids: one chunk for each level. `plane` delivers a level, latitude running fastest. */
export function gridFile(
  longitudes: number,
  latitudes: number,
  flightLevels: readonly number[],
  plane: (level: number) => Float32Array,
): NetcdfFile {
  const axis = (name: string, units: string, values: Float32Array): NetcdfVariable => ({
    name,
    dimensions: [name],
    data: values,
    attributes: { standard_name: name, units },
  });
  return {
    dimensions: { longitude: longitudes, latitude: latitudes, flight_level: flightLevels.length, time: 1 },
    attributes: { name: 'issr', met_source_provider: 'Zürich ☁' },
    variables: [
      axis(
        'longitude',
        'degrees_east',
        Float32Array.from({ length: longitudes }, (_, i) => -180 + i / 4),
      ),
      axis(
        'latitude',
        'degrees_north',
        Float32Array.from({ length: latitudes }, (_, j) => -90 + j / 4),
      ),
      {
        name: 'flight_level',
        dimensions: ['flight_level'],
        data: Int32Array.from(flightLevels),
        attributes: { long_name: 'Flight Level', standard_name: 'FL', units: 'hectofeet' },
      },
      {
        name: 'time',
        dimensions: ['time'],
        data: BigInt64Array.of(TIME_S),
        attributes: {
          units: 'seconds since 1970-01-01',
          calendar: 'proleptic_gregorian',
          standard_name: 'time',
        },
      },
      {
        name: 'issr',
        dimensions: ['longitude', 'latitude', 'flight_level', 'time'],
        type: 'float32',
        chunks: [longitudes, latitudes, 1, 1],
        fillValue: Number.NaN,
        data: (offset) => plane(offset[2] as number),
        attributes: { long_name: 'Ice super-saturated regions' },
      },
    ],
  };
}
