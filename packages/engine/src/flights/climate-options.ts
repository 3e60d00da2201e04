/**
 * The options of CO2 equivalents and climate change functions; declared like those of `option-table.ts`, whose file explains why
 * it imports nothing that takes time.
 */

const ofBoth = ['cocip', 'accf'] as const;
const ofContrails = ['cocip'] as const;
const ofFunctions = ['accf'] as const;

export const CLIMATE_OPTIONS = {
  co2e_metric: {
    description:
      'Metric of CO2 equivalents of contrails: global warming potential, global temperature change potential, or average temperature response.',
    help: 'metric of CO2 equivalents',
    placeholder: 'metric',
    meaning: 'metric of the [CO2 equivalents](climate.md#metrics) of waypoints',
    choices: ['gwp', 'gtp', 'atr'],
    models: ofContrails,
    default: 'gwp',
  },
  co2e_set: {
    description: 'Set of CO2 global warming potentials used for GWP.',
    help: 'warming potentials of CO2',
    placeholder: 'set',
    meaning: 'warming potentials of CO2 that GWP is formed with',
    choices: ['lee2021', 'ar6', 'legacy', 'joos2013'],
    models: ofContrails,
    default: 'lee2021',
  },
  efficacy: {
    description: 'Whether species are weighted by the efficacy of their forcing.',
    help: 'whether species count by their efficacy',
    placeholder: 'true|false',
    isBoolean: true,
    meaning: 'whether species count by their [efficacy](climate.md#metrics)',
    models: ofBoth,
    default: true,
  },
  accf_v: {
    description: 'Version of the climate change functions: Matthes et al. (2023), or Yin et al. (2023).',
    help: 'version of the climate change functions',
    placeholder: 'version',
    meaning: 'version of the [climate change functions](climate.md#climate-change-functions)',
    choices: ['V1.0A', 'V1.0'],
    models: ofBoth,
    default: 'V1.0A',
  },
  emission_scenario: {
    description: 'Emission scenario of the functions: a pulse, or growing emissions.',
    help: 'emissions that the functions are for',
    placeholder: 'scenario',
    meaning: 'emissions that the functions are for',
    choices: ['pulse', 'future_scenario'],
    models: ofFunctions,
    default: 'pulse',
  },
  time_horizon: {
    description: 'Time horizon of the average temperature response [years]; a pulse supports 20 only.',
    help: 'years of the mean temperature response',
    placeholder: 'years',
    meaning: 'years of the mean temperature response; only `20` for a pulse',
    choices: ['20', '50', '100'],
    models: ofFunctions,
    default: '20',
  },
  pmo: {
    description: 'Whether NOx includes primary-mode ozone.',
    help: 'whether NOx counts primary-mode ozone',
    placeholder: 'true|false',
    isBoolean: true,
    meaning: 'whether NOx counts primary-mode ozone',
    models: ofFunctions,
    default: true,
  },
  pcfa: {
    description:
      'Where contrails count: in ice-supersaturated air, or only where the Schmidt–Appleman criterion is also satisfied.',
    help: 'where contrails count',
    placeholder: 'rule',
    meaning:
      'where contrails count: in humid, cold air, or only where the criterion of formation is satisfied too',
    choices: ['issr', 'sac'],
    models: ofFunctions,
    default: 'issr',
  },
  issr_rhi_threshold: {
    description: 'Minimum relative humidity over ice at which contrails count.',
    help: 'relative humidity over ice from which on contrails count',
    placeholder: 'number',
    number: { minimum: 0.5, maximum: 1.5 },
    meaning: 'relative humidity over ice from which on contrails count',
    models: ofFunctions,
    default: 0.9,
  },
  issr_temp_threshold: {
    description: 'Temperature below which contrails count [K].',
    help: 'temperature below which contrails count',
    placeholder: 'kelvin',
    number: { minimum: 200, maximum: 260 },
    meaning: 'temperature below which contrails count',
    models: ofFunctions,
    default: 235,
  },
  nox_ei: {
    description: 'NOx emitted per kilogram of fuel in the merged function [kg].',
    help: 'NOx of a kilogram of fuel in the merged function',
    placeholder: 'kg',
    number: { minimum: 0, maximum: 0.1 },
    meaning: 'NOx of a kilogram of fuel in the merged function',
    models: ofFunctions,
    default: 0.013,
  },
  km_per_kg_fuel: {
    description: 'Distance flown per kilogram of fuel in the merged function [km].',
    help: 'distance of a kilogram of fuel in the merged function',
    placeholder: 'km',
    number: { minimum: 0, maximum: 10 },
    meaning: 'distance of a kilogram of fuel in the merged function',
    models: ofFunctions,
    default: 0.16,
  },
} as const;
