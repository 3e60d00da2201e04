/** The section of the configuration for climate change functions. */
import { DEFAULT_ACCF } from '@contrails/engine/flights/accf-settings';
import { Type } from 'typebox';

const range = (
  limits: { minimum: number; maximum: number },
  description: string,
  standard: readonly number[],
) => Type.Array(Type.Number(limits), { description, default: [...standard], minItems: 2, maxItems: 2 });

export const accf = Type.Object(
  {
    valid_latitude: range(
      { minimum: -90, maximum: 90 },
      'Latitudes that the functions hold for, from and to; flights outside get a warning, their values are the same.',
      DEFAULT_ACCF.valid_latitude,
    ),
    valid_hpa: range(
      { minimum: 1, maximum: 1100 },
      'Levels that the functions hold for, in hPa, from and to.',
      DEFAULT_ACCF.valid_hpa,
    ),
    methane_lifetime_years: Type.Number({
      description: 'Lifetime of methane by which the response to NOx is carried to other metrics, in years.',
      default: DEFAULT_ACCF.methane_lifetime_years,
      minimum: 1,
      maximum: 100,
    }),
  },
  { description: 'Climate change functions; see [climate](climate.md#climate-change-functions).' },
);
