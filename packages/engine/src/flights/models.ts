/** What can be asked of flights, and which columns the results have. */
import { ACCF_NAMES, type AccfName, type Co2eMetric } from '@contrails/physics/climate';

export const TRAJECTORY_MODELS = ['sac', 'issr', 'emissions', 'cocip', 'accf'] as const;
export type TrajectoryModel = (typeof TRAJECTORY_MODELS)[number];

/** What an answer may have besides the fields of its model. */
export const INCLUDES = [
  'performance',
  'emissions',
  'met',
  'co2e',
  'contrail',
  'radiation',
  'climate',
  'samples',
] as const;
export type Include = (typeof INCLUDES)[number];

const MODEL_COLUMNS = {
  sac: ['sac'],
  issr: ['issr'],
  emissions: ['nox_ei', 'nvpm_ei_n'],
  cocip: ['sac', 'nox_ei', 'nvpm_ei_n', 'energy_forcing', 'contrail_age', 'initially_persistent'],
  accf: [...ACCF_NAMES, 'pcfa'],
} as const satisfies Record<TrajectoryModel, readonly string[]>;

const INCLUDED_COLUMNS = {
  performance: ['fuel_flow', 'engine_efficiency', 'aircraft_mass', 'true_airspeed', 'thrust'],
  emissions: ['nox_ei', 'co_ei', 'hc_ei', 'nvpm_ei_n', 'nvpm_ei_m'],
  met: [
    'air_temperature',
    'specific_humidity',
    'specific_humidity_scaled',
    'rhi',
    'eastward_wind',
    'northward_wind',
    'air_pressure',
  ],
  co2e: ['co2'],
  contrail: [],
  radiation: [],
  climate: [],
  samples: [],
} as const satisfies Record<Include, readonly string[]>;

/** Contrails are followed by one model alone. */
const CO2E_COLUMNS = {
  gwp: ['co2e_gwp20', 'co2e_gwp50', 'co2e_gwp100'],
  gtp: ['co2e_gtp20', 'co2e_gtp50', 'co2e_gtp100'],
  atr: ['co2e_atr20', 'co2e_atr50', 'co2e_atr100'],
} as const satisfies Record<Co2eMetric, readonly string[]>;
/** What the climate change functions are evaluated in. */
export const FUNCTION_INPUTS = ['geopotential', 'potential_vorticity', 'olr', 'Fin', 'day'] as const;
const RADIATION_COLUMNS = [
  'rf_lw_mean',
  'rf_sw_mean',
  'rf_net_mean',
  'sdr_mean',
  'rsr_mean',
  'olr_mean',
  'global_yearly_mean_rf',
  'atr20',
] as const;

export type OutputColumn =
  | (typeof MODEL_COLUMNS)[TrajectoryModel][number]
  | (typeof INCLUDED_COLUMNS)[Include][number]
  | (typeof CO2E_COLUMNS)[Co2eMetric][number]
  | (typeof FUNCTION_INPUTS)[number]
  | (typeof RADIATION_COLUMNS)[number];

/** The columns of an answer, in its order. */
export function outputColumns(
  model: TrajectoryModel,
  includes: readonly Include[],
  metric: Co2eMetric = 'gwp',
): OutputColumn[] {
  const included = includes.flatMap((name): readonly OutputColumn[] => INCLUDED_COLUMNS[name]);
  const ofContrails = (name: Include, columns: readonly OutputColumn[]) =>
    model === 'cocip' && includes.includes(name) ? columns : [];
  return [
    ...new Set<OutputColumn>([
      ...MODEL_COLUMNS[model],
      ...included,
      ...ofContrails('co2e', CO2E_COLUMNS[metric]),
      ...ofContrails('radiation', RADIATION_COLUMNS),
      ...(model === 'accf' && includes.includes('met') ? FUNCTION_INPUTS : []),
    ]),
  ];
}

const PER_KG_NOX = 'K kg(NO2)**-1';
const PER_KG_FUEL = 'K kg(fuel)**-1';
const PER_KM = 'K km**-1';

/** Units of the climate change functions, as programs of the field write them. */
export const ACCF_UNITS: Readonly<Record<AccfName, string>> = {
  aCCF_O3: PER_KG_NOX,
  aCCF_CH4: PER_KG_NOX,
  aCCF_PMO: PER_KG_NOX,
  aCCF_NOx: PER_KG_NOX,
  aCCF_H2O: PER_KG_FUEL,
  aCCF_nCont: PER_KM,
  aCCF_dCont: PER_KM,
  aCCF_Cont: PER_KM,
  aCCF_CO2: PER_KG_FUEL,
  aCCF_merged: PER_KG_FUEL,
};

/** Units of columns; flags and shares are `1`. */
export const COLUMN_UNITS: Readonly<Record<OutputColumn, string>> = {
  sac: '1',
  issr: '1',
  nox_ei: 'kg kg-1',
  co_ei: 'kg kg-1',
  hc_ei: 'kg kg-1',
  nvpm_ei_m: 'kg kg-1',
  nvpm_ei_n: 'kg-1',
  energy_forcing: 'J',
  contrail_age: 'min',
  initially_persistent: '1',
  fuel_flow: 'kg s-1',
  engine_efficiency: '1',
  aircraft_mass: 'kg',
  true_airspeed: 'm s-1',
  thrust: 'N',
  air_temperature: 'K',
  specific_humidity: 'kg kg-1',
  specific_humidity_scaled: 'kg kg-1',
  rhi: '1',
  eastward_wind: 'm s-1',
  northward_wind: 'm s-1',
  air_pressure: 'Pa',
  co2: 'kg',
  co2e_gwp20: 'kg',
  co2e_gwp50: 'kg',
  co2e_gwp100: 'kg',
  co2e_gtp20: 'kg',
  co2e_gtp50: 'kg',
  co2e_gtp100: 'kg',
  co2e_atr20: 'kg',
  co2e_atr50: 'kg',
  co2e_atr100: 'kg',
  ...ACCF_UNITS,
  pcfa: '1',
  geopotential: 'm2 s-2',
  potential_vorticity: 'PVU',
  olr: 'W m-2',
  Fin: 'W m-2',
  day: '1',
  rf_lw_mean: 'W m-2',
  rf_sw_mean: 'W m-2',
  rf_net_mean: 'W m-2',
  sdr_mean: 'W m-2',
  rsr_mean: 'W m-2',
  olr_mean: 'W m-2',
  global_yearly_mean_rf: 'W m-2',
  atr20: 'K',
};
