/**
 * Which of the models' variables a GRIB parameter is, by discipline, category and number (WMO code table 4.2), on the
 * level ecCodes expects it on.
 */
import { LOG_SURFACE_PRESSURE } from '../../dataset/layout.ts';
import { viewOf } from './sections.ts';

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

/** Code table C-11. */
const NCEP = 7;
const ECMWF = 98;

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
  '0.2.14': 'potential_vorticity',
};

/** At the surface the same numbers mean its own radiation. */
const AT_TOP: Readonly<Record<string, string>> = {
  '0.4.8': 'toa_upward_shortwave_flux',
  '0.5.4': 'toa_upward_longwave_flux',
  '0.4.9': 'top_net_solar_radiation',
  '0.5.5': 'top_net_thermal_radiation',
};

/** From these the reflected radiation at the top is estimated. */
const AT_SURFACE: Readonly<Record<string, string>> = {
  '0.4.9': 'surface_net_solar_radiation',
  '0.1.64': 'total_column_water_vapour',
};

/** Parameters that name the top of the atmosphere themselves, regardless of their coded level. */
const OF_TOP: Readonly<Record<string, string>> = {
  '0.4.1': 'top_net_solar_radiation',
  '0.5.1': 'top_net_thermal_radiation',
};

const BY_KIND: Readonly<Record<LevelKind, Readonly<Record<string, string>>>> = {
  isobaric: ON_LEVELS,
  hybrid: { ...ON_LEVELS, '0.3.25': LOG_SURFACE_PRESSURE },
  surface: { '0.3.0': 'surface_pressure', ...AT_SURFACE, ...OF_TOP },
  top: { ...AT_TOP, ...OF_TOP },
};

/** Numbers from 192 are a centre's own: those of NCEP at the top, and earlier ones of ECMWF. */
const OF_CENTRE: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  [NCEP]: {
    '0.4.193 top': 'toa_upward_shortwave_flux',
    '0.5.193 top': 'toa_upward_longwave_flux',
  },
  [ECMWF]: {
    '192.128.176 surface': 'surface_net_solar_radiation',
    '192.128.137 surface': 'total_column_water_vapour',
    '192.128.178 surface': 'top_net_solar_radiation',
    '192.128.179 surface': 'top_net_thermal_radiation',
    '192.128.178 top': 'top_net_solar_radiation',
    '192.128.179 top': 'top_net_thermal_radiation',
  },
};

export interface ParameterCode {
  readonly discipline: number;
  readonly category: number;
  readonly number: number;
  /** Code of the centre that made the field. */
  readonly centre: number;
}

/** Reads the code of a parameter from sections 1 and 4. */
export function readCode(discipline: number, identification: Uint8Array, product: Uint8Array): ParameterCode {
  const [category = 0, number = 0] = product.subarray(9, 11);
  return { discipline, category, number, centre: viewOf(identification).getUint16(5) };
}

/** Canonical name of a parameter on a kind of level, or undefined when the models do not use it. */
export function variableOf(
  { discipline, category, number, centre }: ParameterCode,
  kind: LevelKind,
): string | undefined {
  const code = `${discipline}.${category}.${number}`;
  return BY_KIND[kind][code] ?? OF_CENTRE[centre]?.[`${code} ${kind}`];
}
