/** Writes 14 hours of synthetic weather as a netCDF file that both sides of the benchmark read. Arguments: file, degrees. */

import { writeFile } from 'node:fs/promises';
import { HOUR_MS } from '@contrails/runtime';
import { openSynthetic } from '@contrails/testbed/weather';
import { encodeNetcdf, type NetcdfVariable } from '../../packages/formats/src/index.ts';
import type { MetField } from '../../packages/met/src/index.ts';

const [file = '', degrees = '2'] = process.argv.slice(2);
const FIRST = Date.UTC(2024, 0, 15, 12);
const LEVELS = [
  'air_temperature',
  'specific_humidity',
  'eastward_wind',
  'northward_wind',
  'lagrangian_tendency_of_air_pressure',
  'specific_cloud_ice_water_content',
];
/** What the source has, and the names and signs of fluxes that both readers know. */
const RADIATION = ['top_net_solar_radiation', 'top_net_thermal_radiation'];
const FLUXES = ['toa_net_downward_shortwave_flux', 'toa_outgoing_longwave_flux'];
const UNITS: Readonly<Record<string, string>> = {
  air_temperature: 'K',
  specific_humidity: 'kg kg**-1',
  eastward_wind: 'm s**-1',
  northward_wind: 'm s**-1',
  lagrangian_tendency_of_air_pressure: 'Pa s**-1',
  specific_cloud_ice_water_content: 'kg kg**-1',
  toa_net_downward_shortwave_flux: 'W m**-2',
  toa_outgoing_longwave_flux: 'W m**-2',
};

const source = openSynthetic({ name: 'bench', resolutionDeg: Number(degrees) });
const window = {
  time: [FIRST, FIRST + 13 * HOUR_MS],
  level: [100, 500],
  latitude: [-90, 90],
  longitude: [-180, 180],
} as const;
const levels = await source.read({ ...window, variables: LEVELS });
const radiation = await source.read({ ...window, variables: RADIATION });
await source.close();

const meridians = levels.longitude.knots.filter((longitude) => longitude >= -180 && longitude < 180);
const dimensions = {
  time: levels.time.knots.length,
  level: levels.level.knots.length,
  latitude: levels.latitude.knots.length,
  longitude: meridians.length,
};
const axis = (name: string, values: ArrayLike<number>, units: string): NetcdfVariable => ({
  name,
  dimensions: [name],
  data: Float64Array.from(values),
  attributes: { units, standard_name: name === 'level' ? 'air_pressure' : name },
});
const chunks = await encodeNetcdf({
  dimensions,
  variables: [
    {
      name: 'time',
      dimensions: ['time'],
      data: BigInt64Array.from(levels.time.knots, (ms) => BigInt(ms / 1000)),
      attributes: {
        units: 'seconds since 1970-01-01',
        calendar: 'proleptic_gregorian',
        standard_name: 'time',
      },
    },
    axis('level', levels.level.knots, 'hPa'),
    axis('latitude', levels.latitude.knots, 'degrees_north'),
    axis('longitude', meridians, 'degrees_east'),
    ...LEVELS.map((name, v) => variable(levels, name, v, ['time', 'level', 'latitude', 'longitude'])),
    ...FLUXES.map((name, v) =>
      variable(radiation, name, v, ['time', 'latitude', 'longitude'], v === 1 ? -1 : 1),
    ),
  ],
});
await writeFile(file, chunks);

function variable(
  field: MetField,
  name: string,
  v: number,
  order: readonly string[],
  sign = 1,
): NetcdfVariable {
  const [width, depth, count] = [
    field.longitude.knots.length,
    field.level.knots.length,
    field.variables.length,
  ];
  const first = field.longitude.knots.findIndex((longitude) => longitude >= -180);
  const rows = field.latitude.knots.length;
  const data = new Float32Array(field.slabs.length * depth * rows * meridians.length);
  let at = 0;
  for (const slab of field.slabs) {
    for (let l = 0; l < depth; l++) {
      for (let j = 0; j < rows; j++) {
        for (let i = first; i < first + meridians.length; i++) {
          data[at++] = sign * (slab[((j * width + i) * depth + l) * count + v] as number);
        }
      }
    }
  }
  return {
    name,
    dimensions: order,
    data,
    attributes: { units: UNITS[name] as string, standard_name: name },
  };
}
