/** What can be asked of flights, and which columns the results have. */
import { ACCF_NAMES, type Co2eMetric } from '@contrails/physics/climate';
import type { WAYPOINT_FIELDS } from '@contrails/physics/fields';

export const TRAJECTORY_MODELS = ['sac', 'issr', 'emissions', 'cocip', 'accf'] as const;
export type TrajectoryModel = (typeof TRAJECTORY_MODELS)[number];

/** What a response may add to the fields of its model. */
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
} as const satisfies Record<TrajectoryModel, readonly OutputColumn[]>;

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
} as const satisfies Record<Include, readonly OutputColumn[]>;

/** Contrails are followed by one model alone. */
const CO2E_COLUMNS = {
  gwp: ['co2e_gwp20', 'co2e_gwp50', 'co2e_gwp100'],
  gtp: ['co2e_gtp20', 'co2e_gtp50', 'co2e_gtp100'],
  atr: ['co2e_atr20', 'co2e_atr50', 'co2e_atr100'],
} as const satisfies Record<Co2eMetric, readonly OutputColumn[]>;
/** What the climate change functions are evaluated in. */
export const FUNCTION_INPUTS = [
  'geopotential',
  'potential_vorticity',
  'olr',
  'Fin',
  'day',
] as const satisfies readonly OutputColumn[];
const RADIATION_COLUMNS = [
  'rf_lw_mean',
  'rf_sw_mean',
  'rf_net_mean',
  'sdr_mean',
  'rsr_mean',
  'olr_mean',
  'global_yearly_mean_rf',
  'atr20',
] as const satisfies readonly OutputColumn[];

export type OutputColumn = keyof typeof WAYPOINT_FIELDS;

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
