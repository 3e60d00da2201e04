import { CIRRUS_OPTICAL_DEPTH, CLOUD_ICE } from '../field/cirrus.ts';
import {
  AIR_VARIABLES,
  CLIMATE_VARIABLES,
  DRIFT_VARIABLES,
  WEATHER_VARIABLES,
} from '../interpolate/weather.ts';
import { radiationOf } from '../radiation/radiation.ts';
import type { WeatherRequest } from '../request.ts';
import type { SourceDescription } from '../source.ts';

const WITH_CLIMATE = [...WEATHER_VARIABLES, ...CLIMATE_VARIABLES] as const;

/** Variables that are kept together; each set serves requests for those before it whose variables it has. */
export const WEATHER_SETS = {
  formation: ['air_temperature', 'specific_humidity'],
  air: WEATHER_VARIABLES.slice(0, AIR_VARIABLES),
  /** Vertical motion and cirrus are left unknown. */
  accf: WITH_CLIMATE,
  drift: WEATHER_VARIABLES.slice(0, DRIFT_VARIABLES),
  contrails: WEATHER_VARIABLES,
  climate: WITH_CLIMATE,
} as const;

export type WeatherSet = keyof typeof WEATHER_SETS;

const OF_CONTRAILS = [
  'air_temperature',
  'specific_humidity',
  'eastward_wind',
  'northward_wind',
  'lagrangian_tendency_of_air_pressure',
] as const;

/** Variables without which there is no weather for a request. */
export const NEEDED_VARIABLES = {
  formation: ['air_temperature', 'specific_humidity'],
  air: ['air_temperature', 'specific_humidity'],
  drift: ['air_temperature', 'eastward_wind', 'northward_wind', 'lagrangian_tendency_of_air_pressure'],
  accf: ['air_temperature', 'specific_humidity', 'eastward_wind', 'northward_wind'],
  contrails: OF_CONTRAILS,
  climate: OF_CONTRAILS,
} as const;

/** Whether contrails are followed in the weather of a request, which takes cirrus and radiation. */
export function hasContrails(use: WeatherRequest['for']): boolean {
  return use === 'contrails' || use === 'climate';
}

/** Whether radiation is read for a request, where there is some. */
export function looksAtRadiation(use: WeatherRequest['for']): boolean {
  return hasContrails(use) || use === 'accf';
}

/** Whether the weather of a request serves climate change functions, which need neighbours of grid points. */
export function hasClimate(use: WeatherRequest['for']): boolean {
  return use === 'accf' || use === 'climate';
}

/** What a source lacks of them, radiation included. */
export function missingVariables(description: SourceDescription, use: WeatherRequest['for']): string[] {
  const missing = NEEDED_VARIABLES[use].filter((name) => !description.variables.includes(name));
  const isDark = description.radiationFrom === undefined && radiationOf(description) === undefined;
  return isDark && hasContrails(use) ? [...missing, 'radiation at the top of the atmosphere'] : missing;
}

/** What of a source is read for a set: its variables as far as they are there, and the heights cirrus is made with. */
export function variablesRead(description: SourceDescription, set: WeatherSet): string[] {
  const height = hasContrails(set) ? heightVariable(description) : undefined;
  const stored = storedVariables(description, set).filter((name) => name !== undefined);
  return [...new Set([...stored, ...(height === undefined ? [] : [height])])];
}

/** What of a source becomes each variable of a set; undefined where it has none. */
export function storedVariables({ variables }: SourceDescription, set: WeatherSet): (string | undefined)[] {
  const held = (...names: readonly string[]) => names.find((name) => variables.includes(name));
  return WEATHER_SETS[set].map((name, v) => {
    if (set === 'accf' && v >= AIR_VARIABLES && v < WEATHER_VARIABLES.length) return undefined;
    if (name === CIRRUS_OPTICAL_DEPTH) return held(CLOUD_ICE);
    return name === 'geopotential' ? held(name, 'geopotential_height') : held(name);
  });
}

/** Heights for cirrus, where there is cloud ice: the variable that is there at all times goes first. */
export function heightVariable({ variables, incomplete }: SourceDescription): string | undefined {
  if (!variables.includes(CLOUD_ICE)) return undefined;
  const held = ['geopotential_height', 'geopotential'].filter((name) => variables.includes(name));
  return held.find((name) => !incomplete.some(({ variable }) => variable === name)) ?? held[0];
}
