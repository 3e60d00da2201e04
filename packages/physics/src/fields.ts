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
  issr: { unit: '1', description: '1 in ice-supersaturated air, 0 elsewhere, null outside the weather.' },
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
      '1 where a contrail forms and outlives the wake vortices, 0 elsewhere, null outside the weather.',
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
  aCCF_O3: { unit: PER_KG_NOX, description: 'Response of ozone that NOx makes.' },
  aCCF_CH4: { unit: PER_KG_NOX, description: 'Response of methane that NOx removes.' },
  aCCF_PMO: { unit: PER_KG_NOX, description: 'Response of the ozone that goes with that methane.' },
  aCCF_NOx: { unit: PER_KG_NOX, description: 'Sum of ozone, methane and, with `pmo`, primary-mode ozone.' },
  aCCF_H2O: { unit: PER_KG_FUEL, description: 'Response of water vapour.' },
  aCCF_nCont: { unit: PER_KM, description: 'Response of contrails by night.' },
  aCCF_dCont: { unit: PER_KM, description: 'Response of contrails by day.' },
  aCCF_Cont: { unit: PER_KM, description: 'That of the day where the sun is up, else that of the night.' },
  aCCF_CO2: { unit: PER_KG_FUEL, description: 'Response of carbon dioxide.' },
  aCCF_merged: {
    unit: PER_KG_FUEL,
    description:
      'Sum of all of them for a kilogram of fuel. It contains contrails: never add it to energy forcing of cocip.',
  },
  pcfa: {
    unit: '1',
    description: '1 where persistent contrails can form, 0 elsewhere, null outside the weather.',
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

/** What a plan says of one way to fly. */
export const FIGURE_FIELDS = {
  fuel_kg: {
    unit: 'kg',
    description: 'Fuel, with that of beginning higher and ending lower than the flight.',
  },
  energy_fuel_kg: { unit: 'kg', description: 'That part of it.' },
  co2_kg: { unit: 'kg', description: 'CO2 of the fuel.' },
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
