import { CIRRUS_OPTICAL_DEPTH, CLOUD_ICE } from '../field/cirrus.ts';
import { AIR_VARIABLES, DRIFT_VARIABLES, WEATHER_VARIABLES } from '../interpolate/weather.ts';
import { radiationOf } from '../radiation/radiation.ts';
import type { WeatherRequest } from '../request.ts';
import type { SourceDescription } from '../source.ts';

/** Variables that are kept together; each set has all that those before it have. */
export const WEATHER_SETS = {
  formation: ['air_temperature', 'specific_humidity'],
  air: WEATHER_VARIABLES.slice(0, AIR_VARIABLES),
  drift: WEATHER_VARIABLES.slice(0, DRIFT_VARIABLES),
  contrails: WEATHER_VARIABLES,
} as const;

export type WeatherSet = keyof typeof WEATHER_SETS;

/** Variables without which there is no weather for a request. */
export const NEEDED_VARIABLES = {
  formation: ['air_temperature', 'specific_humidity'],
  air: ['air_temperature', 'specific_humidity'],
  drift: ['air_temperature', 'eastward_wind', 'northward_wind', 'lagrangian_tendency_of_air_pressure'],
  contrails: [
    'air_temperature',
    'specific_humidity',
    'eastward_wind',
    'northward_wind',
    'lagrangian_tendency_of_air_pressure',
  ],
} as const;

/** What a source lacks of them, radiation included. */
export function missingVariables(description: SourceDescription, use: WeatherRequest['for']): string[] {
  const missing = NEEDED_VARIABLES[use].filter((name) => !description.variables.includes(name));
  const isDark = description.radiationFrom === undefined && radiationOf(description) === undefined;
  return isDark && use === 'contrails' ? [...missing, 'radiation at the top of the atmosphere'] : missing;
}

/** What of a source is read for a set: its variables as far as they are there, and the heights cirrus is made with. */
export function variablesRead(description: SourceDescription, set: WeatherSet): string[] {
  const names = WEATHER_SETS[set].map((name) => (name === CIRRUS_OPTICAL_DEPTH ? CLOUD_ICE : name));
  const height = set === 'contrails' ? heightVariable(description) : undefined;
  return [...names, ...(height === undefined ? [] : [height])].filter((name) =>
    description.variables.includes(name),
  );
}

/** Heights for cirrus, where there is cloud ice: the variable that is there at all times goes first. */
export function heightVariable({ variables, incomplete }: SourceDescription): string | undefined {
  if (!variables.includes(CLOUD_ICE)) return undefined;
  const held = ['geopotential_height', 'geopotential'].filter((name) => variables.includes(name));
  return held.find((name) => !incomplete.some(({ variable }) => variable === name)) ?? held[0];
}
