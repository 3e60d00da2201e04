/** What an installation decides about climate change functions. */
import { METHANE_LIFETIME_YEARS } from '@contrails/physics/climate';

export interface AccfSettings {
  /** Latitudes that the functions were fitted to [°], from and to. */
  readonly valid_latitude: readonly number[];
  /** Levels that the functions were fitted to [hPa], from and to. */
  readonly valid_hpa: readonly number[];
  readonly methane_lifetime_years: number;
}

export const DEFAULT_ACCF: AccfSettings = {
  valid_latitude: [30, 90],
  valid_hpa: [150, 400],
  methane_lifetime_years: METHANE_LIFETIME_YEARS,
};
