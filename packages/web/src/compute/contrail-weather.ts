/** The weather that contrails live in, from the file of the service to what a GPU is given. */
import type { RadiationPair } from '@contrails/physics/cocip';
import { CONTRAIL_WEATHER_FIELDS, RADIATION_FIELDS } from '@contrails/physics/fields';
import type { GpuField, GpuRadiation, GpuWeather } from '@contrails/physics/gpu';
import { evenSpacing } from '@contrails/physics/numerics';
import { NetcdfError, type NetcdfFile, openNetcdf } from '../grid/read-netcdf.ts';

export interface ContrailWeather {
  readonly weather: GpuWeather;
  readonly levelType: 'pressure' | 'model';
}

/** `name` identifies the weather among those kept on the device. */
export function readContrailWeather(bytes: ArrayBuffer, name: string): ContrailWeather {
  const file = openNetcdf(bytes);
  const levels = fieldOf(file, Object.keys(CONTRAIL_WEATHER_FIELDS), '', '');
  const { knots } = levels.level;
  return {
    weather: {
      name,
      levels,
      radiation: radiationOf(file, 1),
      levelRange: [knots[0] as number, knots.at(-1) as number],
    },
    levelType: file.attributes.met_source_level_type === 'model' ? 'model' : 'pressure',
  };
}

/** Fields of radiation that go on after each other are numbered from the second on. */
function radiationOf(file: NetcdfFile, index: number): GpuRadiation | undefined {
  const after = index === 1 ? '' : `_${index}`;
  if (!file.variables.has(`shortwave${after}`)) return undefined;
  const later = radiationOf(file, index + 1);
  return {
    field: fieldOf(file, Object.keys(RADIATION_FIELDS), 'radiation_', after),
    pair: file.attributes.radiation_pair as RadiationPair,
    fluxPerUnit: 1,
    ...(later && { later }),
  };
}

function fieldOf(file: NetcdfFile, names: readonly string[], before: string, after: string): GpuField {
  const variable = (name: string) => {
    const found = file.variables.get(name);
    if (found === undefined) throw new NetcdfError(`the weather has no ${name}`);
    return found;
  };
  const axis = (name: string, perKnot = 1) => {
    const knots = variable(`${before}${name}${after}`)
      .readDoubles()
      .map((knot) => perKnot * knot);
    return { knots, perUnit: evenSpacing(knots) };
  };
  const [longitude, latitude, time] = [axis('longitude'), axis('latitude'), axis('time', 1000)];
  const level = before === '' ? axis('level') : { knots: Float64Array.of(-1), perUnit: 0 };
  const variables = names.map((name) => variable(`${name}${after}`));
  const columns = longitude.knots.length * latitude.knots.length;
  const levels = level.knots.length;
  const slabs = Array.from(time.knots, (_, t) => {
    const slab = new Float32Array(columns * levels * variables.length);
    variables.forEach((one, v) => {
      const values = one.readPart(t);
      for (let l = 0; l < levels; l++)
        for (let column = 0; column < columns; column++)
          slab[(column * levels + l) * variables.length + v] = values[l * columns + column] as number;
    });
    return slab;
  });
  return { longitude, latitude, level, time, slabs };
}
