import type { Weather } from '@contrails/physics/cocip';
import { CIRRUS_OPTICAL_DEPTH } from '../field/cirrus.ts';
import type { MetField } from '../field/field.ts';
import { type HumidityMethod, humiditySampler } from './humidity-interpolation.ts';
import { sampleInto } from './interpolate.ts';
import { interpolateInto, Layers } from './interpolate-points.ts';
import { LocatedPoints } from './points.ts';
import { estimatedAfter, type RadiationField, RadiationSampler } from './radiation-sampler.ts';

/** Variables of a field that serves the contrail model, in the order in which the model reads them. */
export const WEATHER_VARIABLES = [
  'air_temperature',
  'eastward_wind',
  'northward_wind',
  'specific_humidity',
  'lagrangian_tendency_of_air_pressure',
  CIRRUS_OPTICAL_DEPTH,
] as const;

/** What the climate change functions also need, in a field of {@link WEATHER_VARIABLES} and these. */
export const CLIMATE_VARIABLES = ['geopotential', 'potential_vorticity'] as const;

const HUMIDITY = WEATHER_VARIABLES.indexOf('specific_humidity');

/** How many of the variables serve the criteria of formation. */
export const AIR_VARIABLES = HUMIDITY + 1;
/** How many of them exhaust drifts with. */
export const DRIFT_VARIABLES = AIR_VARIABLES + 1;

/**
 * The weather of the models from a field that begins with {@link WEATHER_VARIABLES}, or with the first four of them,
 * and radiation. All of it is plain data in shared memory: a thread that is sent the arguments makes its own.
 */
export function weatherOf(
  levels: MetField,
  radiation: RadiationField | undefined,
  humidityMethod: HumidityMethod = 'none',
): Weather {
  WEATHER_VARIABLES.slice(0, Math.max(levels.variables.length, AIR_VARIABLES)).forEach((name, index) => {
    if (levels.variables[index] !== name)
      throw new RangeError(`variable ${index} of the field must be ${name}`);
  });
  const humidity = humidityMethod === 'none' ? undefined : humiditySampler(levels, humidityMethod);
  const requireVariables = (wanted: number) => {
    if (wanted > levels.variables.length)
      throw new RangeError(`${wanted} variables are asked of a field of ${levels.variables.length}`);
  };
  const locatedPoints = new LocatedPoints();
  const layers = new Layers();
  const sampler = radiation && new RadiationSampler(radiation, levels, locatedPoints);
  const estimatedAfterMs = radiation && estimatedAfter(radiation);
  const requireRadiation = (): RadiationSampler => {
    if (sampler === undefined) throw new RangeError('this weather has no radiation');
    return sampler;
  };
  const requireLocated = (located: number, count: number) => {
    if (count > located)
      throw new RangeError(`weather is asked for at ${count} of ${located} located points`);
  };
  return {
    radiationPair: radiation?.pair ?? 'net',
    ...(estimatedAfterMs === undefined ? {} : { estimatedAfterMs }),
    sample(out, points, count) {
      requireVariables(out.length);
      sampleInto(out, levels, 0, points, count);
      const column = out[HUMIDITY];
      if (column !== undefined) humidity?.sample(column, points, count);
    },
    sampleRadiation(shortwave, longwave, points, count) {
      requireRadiation().sample(shortwave, longwave, points, count);
    },
    locate(points, located) {
      locatedPoints.locate(levels, points, 0, located);
      layers.forget(located);
      sampler?.locate(points, located);
      return {
        sample(out, level, count) {
          requireVariables(out.length);
          requireLocated(located, count);
          interpolateInto(out, levels, 0, locatedPoints, level, 0, count, layers);
          const column = out[HUMIDITY];
          if (column !== undefined) humidity?.sampleAt(column, locatedPoints, level, count);
        },
        sampleRadiation(shortwave, longwave, count) {
          const radiationAt = requireRadiation();
          requireLocated(located, count);
          radiationAt.sampleLocated(shortwave, longwave, count);
        },
      };
    },
  };
}
