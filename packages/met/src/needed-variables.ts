import { radiationVariables } from './radiation.ts';
import type { WeatherRequest } from './request.ts';
import type { SourceDescription } from './source.ts';

/** Variables without which there is no weather for a request. */
export const NEEDED_VARIABLES = {
  formation: ['air_temperature', 'specific_humidity'],
  air: ['air_temperature', 'specific_humidity'],
  contrails: [
    'air_temperature',
    'specific_humidity',
    'eastward_wind',
    'northward_wind',
    'lagrangian_tendency_of_air_pressure',
  ],
} as const;

/** What a source lacks of them, radiation included. */
export function missingVariables({ variables }: SourceDescription, use: WeatherRequest['for']): string[] {
  const missing = NEEDED_VARIABLES[use].filter((name) => !variables.includes(name));
  const dark = use === 'contrails' && radiationVariables(variables) === undefined;
  return dark ? [...missing, 'radiation at the top of the atmosphere'] : missing;
}
