import type { RadiationFamily, Weather } from '@contrails/physics';
import { CIRRUS_OPTICAL_DEPTH } from './cirrus.ts';
import type { MetField } from './field.ts';
import { type HumidityMethod, humiditySampler } from './humidity-interpolation.ts';
import { sampleInto } from './interpolate.ts';

/** Variables of a field that serves the contrail model, in the order in which the model asks for them. */
export const WEATHER_VARIABLES = [
  'air_temperature',
  'eastward_wind',
  'northward_wind',
  'specific_humidity',
  'lagrangian_tendency_of_air_pressure',
  CIRRUS_OPTICAL_DEPTH,
] as const;

const HUMIDITY = WEATHER_VARIABLES.indexOf('specific_humidity');

export interface RadiationField {
  /** Two variables, shortwave and longwave, on times that are already the middle of what they describe. */
  readonly field: MetField;
  readonly family: RadiationFamily;
  /** From the unit of the field to W m⁻², applied after interpolation. */
  readonly fluxPerUnit: number;
}

/** How many of the variables serve the criteria of formation. */
export const AIR_VARIABLES = HUMIDITY + 1;

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
  const sampleHumidity = humidityMethod === 'none' ? undefined : humiditySampler(levels, humidityMethod);
  return {
    radiationFamily: radiation?.family ?? 'net',
    sample(out, points, count) {
      if (out.length > levels.variables.length) {
        throw new RangeError(`${out.length} variables are asked of a field of ${levels.variables.length}`);
      }
      sampleInto(out, levels, 0, points, count);
      const humidity = out[HUMIDITY];
      if (sampleHumidity !== undefined && humidity !== undefined) sampleHumidity(humidity, points, count);
    },
    sampleRadiation(shortwave, longwave, points, count) {
      if (radiation === undefined) throw new RangeError('this weather has no radiation');
      sampleInto([shortwave, longwave], radiation.field, 0, points, count);
      for (let p = 0; p < count; p++) {
        shortwave[p] = (shortwave[p] as number) * radiation.fluxPerUnit;
        longwave[p] = (longwave[p] as number) * radiation.fluxPerUnit;
      }
    },
  };
}
