/** Which of the models' variables a GRIB parameter is, by discipline, category and number (WMO code table 4.2). */

const ISOBARIC = 100;
const HYBRID = 105;
const SURFACE = 1;
const TOP_OF_ATMOSPHERE = 8;

export type LevelKind = 'isobaric' | 'hybrid' | 'surface' | 'top';

const LEVEL_KINDS: Readonly<Record<number, LevelKind>> = {
  [ISOBARIC]: 'isobaric',
  [HYBRID]: 'hybrid',
  [SURFACE]: 'surface',
  [TOP_OF_ATMOSPHERE]: 'top',
};

/** Code table 4.5; undefined for levels the models do not use. */
export function levelKind(code: number): LevelKind | undefined {
  return LEVEL_KINDS[code];
}

const ON_LEVELS: Readonly<Record<string, string>> = {
  '0.0.0': 'air_temperature',
  '0.1.0': 'specific_humidity',
  '0.2.2': 'eastward_wind',
  '0.2.3': 'northward_wind',
  '0.2.8': 'lagrangian_tendency_of_air_pressure',
  '0.1.84': 'specific_cloud_ice_water_content',
  '0.1.23': 'specific_cloud_ice_water_content',
  '0.3.4': 'geopotential',
  '0.3.5': 'geopotential_height',
};

const AT_SURFACE: Readonly<Record<string, string>> = { '0.3.0': 'surface_pressure' };

/** Numbers from 192 are a centre's own: those of NCEP, and those of ECMWF in its open data. */
const AT_TOP: Readonly<Record<string, string>> = {
  '0.4.8': 'toa_upward_shortwave_flux',
  '0.4.193': 'toa_upward_shortwave_flux',
  '0.5.4': 'toa_upward_longwave_flux',
  '0.5.193': 'toa_upward_longwave_flux',
  '0.4.1': 'top_net_solar_radiation',
  '0.4.9': 'top_net_solar_radiation',
  '0.5.5': 'top_net_thermal_radiation',
};

/** Canonical name of a parameter on a kind of level, or undefined when the models do not use it. */
export function variableOf(
  discipline: number,
  category: number,
  number: number,
  kind: LevelKind,
): string | undefined {
  const code = `${discipline}.${category}.${number}`;
  if (kind === 'isobaric' || kind === 'hybrid') return ON_LEVELS[code];
  return kind === 'top' ? AT_TOP[code] : (AT_SURFACE[code] ?? AT_TOP[code]);
}
