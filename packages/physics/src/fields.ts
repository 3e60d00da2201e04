/**
 * The fields of results, declared once: names, units and meanings in responses, files, commands and the description of the API.
 * Keys are what the code calls a field.
 */
export interface Field {
  readonly unit: string;
  readonly description?: string;
  /** The public name, where it is not the key. */
  readonly name?: string;
  /** How many of the code's units make one of `unit`, where they differ. */
  readonly perUnit?: number;
}

export type Fields<Key extends string = string> = Readonly<Record<Key, Field>>;

const PER_KG_NOX = 'K kg(NO2)**-1';
const PER_KG_FUEL = 'K kg(fuel)**-1';
const PER_KM = 'K km**-1';

/** One value for each waypoint of a flight; flags and shares have the unit 1. */
export const WAYPOINT_FIELDS = {
  sac: {
    unit: '1',
    description:
      '1 where the Schmidt–Appleman criterion is satisfied, 0 where not, null where it is unknown.',
  },
  issr: {
    unit: '1',
    description: '1 in ice-supersaturated air, 0 elsewhere, null outside the weather data.',
  },
  nox_ei: { unit: 'kg kg-1', description: 'Mass of NOx (as NO2) per mass of fuel.' },
  co_ei: { unit: 'kg kg-1' },
  hc_ei: { unit: 'kg kg-1' },
  nvpm_ei_m: { unit: 'kg kg-1' },
  nvpm_ei_n: { unit: 'kg-1', description: 'Number of non-volatile particles per mass of fuel.' },
  energy_forcing: {
    unit: 'J',
    description:
      'Energy forcing of the contrail of the segment from this waypoint to the next; 0 without a persistent contrail, negative where it cools.',
  },
  contrail_age: { unit: 'min', description: 'Lifetime of the contrail of that segment.' },
  initially_persistent: {
    unit: '1',
    description:
      '1 where a contrail forms and outlives the wake vortices, 0 elsewhere, null outside the weather data.',
  },
  fuel_flow: { unit: 'kg s-1' },
  engine_efficiency: { unit: '1' },
  aircraft_mass: { unit: 'kg' },
  true_airspeed: { unit: 'm s-1' },
  thrust: { unit: 'N' },
  air_temperature: { unit: 'K' },
  specific_humidity: { unit: 'kg kg-1' },
  specific_humidity_scaled: { unit: 'kg kg-1' },
  rhi: { unit: '1' },
  eastward_wind: { unit: 'm s-1' },
  northward_wind: { unit: 'm s-1' },
  air_pressure: { unit: 'Pa' },
  co2: { unit: 'kg' },
  co2e_gwp20: { unit: 'kg' },
  co2e_gwp50: { unit: 'kg' },
  co2e_gwp100: { unit: 'kg' },
  co2e_gtp20: { unit: 'kg' },
  co2e_gtp50: { unit: 'kg' },
  co2e_gtp100: { unit: 'kg' },
  co2e_atr20: { unit: 'kg' },
  co2e_atr50: { unit: 'kg' },
  co2e_atr100: { unit: 'kg' },
  aCCF_O3: { unit: PER_KG_NOX, description: 'Response of ozone formed by NOx.' },
  aCCF_CH4: { unit: PER_KG_NOX, description: 'Response of methane removed by NOx.' },
  aCCF_PMO: { unit: PER_KG_NOX, description: 'Response of primary-mode ozone, due to the reduced methane.' },
  aCCF_NOx: { unit: PER_KG_NOX, description: 'Sum of ozone, methane and, with `pmo`, primary-mode ozone.' },
  aCCF_H2O: { unit: PER_KG_FUEL, description: 'Response of water vapour.' },
  aCCF_nCont: { unit: PER_KM, description: 'Response of nighttime contrails.' },
  aCCF_dCont: { unit: PER_KM, description: 'Response of daytime contrails.' },
  aCCF_Cont: {
    unit: PER_KM,
    description: 'Response of contrails: daytime value where the sun is up, nighttime value elsewhere.',
  },
  aCCF_CO2: { unit: PER_KG_FUEL, description: 'Response of carbon dioxide.' },
  aCCF_merged: {
    unit: PER_KG_FUEL,
    description:
      'Sum of all responses per kilogram of fuel. It includes contrails: never add it to the energy forcing of cocip.',
  },
  pcfa: {
    unit: '1',
    description: '1 where persistent contrails can form, 0 elsewhere, null outside the weather data.',
  },
  geopotential: { unit: 'm2 s-2' },
  potential_vorticity: { unit: 'PVU' },
  olr: { unit: 'W m-2' },
  Fin: { unit: 'W m-2' },
  day: { unit: '1' },
  rf_lw_mean: { unit: 'W m-2' },
  rf_sw_mean: { unit: 'W m-2' },
  rf_net_mean: { unit: 'W m-2' },
  sdr_mean: { unit: 'W m-2' },
  rsr_mean: { unit: 'W m-2' },
  olr_mean: { unit: 'W m-2' },
  global_yearly_mean_rf: { unit: 'W m-2' },
  atr20: { unit: 'K' },
} as const satisfies Fields;

/** Sums over a flight. */
export const TOTAL_FIELDS = {
  fuel_burn: { unit: 'kg' },
  co2: { unit: 'kg' },
  h2o: { unit: 'kg' },
  so2: { unit: 'kg' },
  sulphates: { unit: 'kg' },
  organic_carbon: { unit: 'kg' },
  nox: { unit: 'kg' },
  co: { unit: 'kg' },
  hc: { unit: 'kg' },
  nvpm_mass: { unit: 'kg' },
  nvpm_number: { unit: '1' },
  energy_forcing: { unit: 'J' },
  co2e_gwp20: { unit: 'kg' },
  co2e_gwp50: { unit: 'kg' },
  co2e_gwp100: { unit: 'kg' },
} as const satisfies Fields;

/** Figures of one option of a plan. */
export const FIGURE_FIELDS = {
  fuel_kg: {
    unit: 'kg',
    description: 'Fuel, including that for starting higher or ending lower than the flight.',
  },
  energy_fuel_kg: {
    unit: 'kg',
    description: 'Part of the fuel that is due to starting higher or ending lower.',
  },
  co2_kg: { unit: 'kg', description: 'CO2 emitted by burning the fuel.' },
  flight_time_s: { unit: 's', description: 'Duration of the flight.' },
  contrail_km: { unit: 'km', description: 'Distance that forms contrails.' },
  persistent_km: { unit: 'km', description: 'Distance with persistent contrails.' },
  energy_forcing_j: { unit: 'J', description: 'Net energy forcing of the contrails.' },
  warming_j: { unit: 'J', description: 'Energy forcing of warming segments.' },
  cooling_j: { unit: 'J', description: 'Energy forcing of cooling segments.' },
  co2e_gwp20_kg: { unit: 'kg', description: 'CO2e of the contrails.' },
  co2e_gwp50_kg: { unit: 'kg', description: 'CO2e of the contrails.' },
  co2e_gwp100_kg: { unit: 'kg', description: 'CO2e of the contrails.' },
  cost: { unit: 'currency of fuel_price', description: 'Cost of fuel, time, CO2 and contrails.' },
} as const satisfies Fields;

export type FigureName = keyof typeof FIGURE_FIELDS;

/** A field of the points of a contrail. */
interface PlumeField extends Field {
  /** Its name in contrail lines, where tables of contrails have another. */
  readonly lineName?: string;
}

/** Points of contrails after a step of the model, in the order of tables. Keys are columns of the plumes. */
export const PLUME_FIELDS = {
  longitude: { unit: 'degrees_east' },
  latitude: { unit: 'degrees_north' },
  altitude: { unit: 'm' },
  level: { unit: 'hPa' },
  length: { name: 'segment_length', unit: 'm' },
  sinA: { name: 'sin_a', unit: '1' },
  cosA: { name: 'cos_a', unit: '1' },
  width: { unit: 'm' },
  depth: { unit: 'm' },
  sigmaYz: { name: 'sigma_yz', unit: 'm2' },
  temperature: { name: 'air_temperature', unit: 'K' },
  pressure: { name: 'air_pressure', unit: 'Pa' },
  humidity: { name: 'specific_humidity', unit: 'kg kg-1' },
  saturation: { name: 'q_sat', unit: 'kg kg-1' },
  rhi: { unit: '1' },
  density: { name: 'rho_air', unit: 'kg m-3' },
  iceWaterContent: { name: 'iwc', unit: 'kg kg-1' },
  particles: { name: 'n_ice_per_m', unit: 'm-1' },
  particlesPerM3: { name: 'n_ice_per_vol', unit: 'm-3' },
  radius: { name: 'r_ice_vol', unit: 'm' },
  fallSpeed: { name: 'terminal_fall_speed', unit: 'm s-1' },
  u: { name: 'u_wind', unit: 'm s-1' },
  v: { name: 'v_wind', unit: 'm s-1' },
  omega: { name: 'vertical_velocity', unit: 'Pa s-1' },
  cirrusOpticalDepth: { name: 'tau_cirrus', unit: '1' },
  temperatureBelow: { name: 'air_temperature_lower', unit: 'K' },
  uBelow: { name: 'u_wind_lower', unit: 'm s-1' },
  vBelow: { name: 'v_wind_lower', unit: 'm s-1' },
  thetaGradient: { name: 'dT_dz', unit: 'K m-1' },
  shear: { name: 'ds_dz', unit: 's-1' },
  normalShear: { name: 'dsn_dz', unit: 's-1' },
  area: { name: 'area_eff', unit: 'm2' },
  massPerM: { name: 'plume_mass_per_m', unit: 'kg m-1' },
  diffusivityH: { name: 'diffuse_h', unit: 'm2 s-1' },
  diffusivityV: { name: 'diffuse_v', unit: 'm2 s-1' },
  aggregation: { name: 'dn_dt_agg', unit: 's-1' },
  turbulence: { name: 'dn_dt_turb', unit: 's-1' },
  opticalDepth: { name: 'tau_contrail', lineName: 'tau', unit: '1' },
  sdr: { unit: 'W m-2' },
  rsr: { unit: 'W m-2' },
  olr: { unit: 'W m-2' },
  rfLw: { name: 'rf_lw', unit: 'W m-2' },
  rfSw: { name: 'rf_sw', unit: 'W m-2' },
  rfNet: { name: 'rf_net', unit: 'W m-2' },
  energyForcing: { name: 'energy_forcing', unit: 'J' },
} as const satisfies Readonly<Record<string, PlumeField>>;

export type PlumeFieldName = keyof typeof PLUME_FIELDS;

/** The public name of a field of contrail lines. */
export function lineNameOf(key: PlumeFieldName): string {
  const field: PlumeField = PLUME_FIELDS[key];
  return field.lineName ?? nameOf(PLUME_FIELDS, key);
}

/** Variables of contrail grids, whose descriptions and units are those of the field's reference. */
export const GRID_FIELDS = {
  ef_per_m: { unit: 'J / m', description: 'Energy forcing per meter of flight trajectory' },
  contrail_age: { unit: 'hours', description: 'Total age in hours of persistent contrail' },
  contrails: { unit: '', description: 'Contrail forcing index' },
} as const satisfies Fields;

/** Variables of weather grids, in the order of the files. */
export const WEATHER_GRID_FIELDS = {
  air_temperature: { unit: 'K', description: 'Air temperature' },
  eastward_wind: { unit: 'm s-1', description: 'Eastward wind' },
  northward_wind: { unit: 'm s-1', description: 'Northward wind' },
  rhi: { unit: '1', description: 'Relative humidity over ice, after humidity scaling' },
} as const satisfies Fields;

/** Variables of the weather that contrails live in, in the order in which the contrail model reads them. */
export const CONTRAIL_WEATHER_FIELDS = {
  air_temperature: { unit: 'K', description: 'Air temperature' },
  eastward_wind: { unit: 'm s-1', description: 'Eastward wind' },
  northward_wind: { unit: 'm s-1', description: 'Northward wind' },
  specific_humidity: { unit: 'kg kg-1', description: 'Specific humidity, before humidity scaling' },
  lagrangian_tendency_of_air_pressure: { unit: 'Pa s-1', description: 'Vertical velocity' },
  tau_cirrus: { unit: '1', description: 'Optical depth of the cirrus above' },
} as const satisfies Fields;

/** Radiation at the top of the atmosphere; `radiation_pair` of the file names the two quantities. */
export const RADIATION_FIELDS = {
  shortwave: { unit: 'W m-2', description: 'Shortwave radiation, or planetary albedo [1]' },
  longwave: { unit: 'W m-2', description: 'Longwave radiation' },
} as const satisfies Fields;

/** The public name of a field. */
export function nameOf<Key extends string>(fields: Fields<Key>, key: Key): string {
  return fields[key].name ?? key;
}

/** What a field is, and its unit. */
export function describeField({ description, unit }: Field): string {
  return description === undefined ? `[${unit}]` : `${description} [${unit}]`;
}

/** The units of fields under their public names. */
export function unitsOf<Key extends string>(
  fields: Fields<Key>,
  keys: readonly Key[] = Object.keys(fields) as Key[],
): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [nameOf(fields, key), fields[key].unit]));
}

/** Values under their public names and in their units; what the table does not have stays as it is. */
export function published<Key extends string>(
  fields: Fields<Key>,
  values: Readonly<Partial<Record<NoInfer<Key>, unknown>>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const field: Field | undefined = (fields as Fields)[key];
      return field === undefined ? [key, value] : [field.name ?? key, inUnit(field, value)];
    }),
  );
}

/** A number of an answer in the unit of the code; null where it is unknown. */
export function readField<Key extends string>(
  fields: Fields<Key>,
  key: NoInfer<Key>,
  answer: Readonly<Record<string, unknown>>,
): number | null {
  const value = answer[nameOf(fields, key)];
  return typeof value === 'number' ? value * (fields[key].perUnit ?? 1) : null;
}

function inUnit(field: Field, value: unknown): unknown {
  const { perUnit } = field;
  if (perUnit === undefined || value === null) return value;
  if (typeof value === 'number') return value / perUnit;
  if (value instanceof Float64Array) return value.map((each) => each / perUnit);
  if (Array.isArray(value)) return value.map((each) => inUnit(field, each));
  if (typeof value !== 'object') return value;
  // Statistics of a field.
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inUnit(field, each)]));
}
