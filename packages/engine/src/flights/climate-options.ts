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
    help: 'metric of CO2 equivalents (default: gwp)',
    placeholder: 'metric',
    meaning: 'metric of the [CO2 equivalents](climate.md#metrics) of waypoints; `gwp` unless given',
    choices: ['gwp', 'gtp', 'atr'],
    models: ofContrails,
  },
  co2e_set: {
    description: 'Global warming potentials of CO2 that GWP is formed with.',
    help: 'warming potentials of CO2 (default: lee2021)',
    placeholder: 'set',
    meaning: 'warming potentials of CO2 that GWP is formed with; `lee2021` unless given',
    choices: ['lee2021', 'ar6', 'legacy', 'joos2013'],
    models: ofContrails,
  },
  efficacy: {
    description: 'Whether species count by how effectively their forcing warms.',
    help: 'whether species count by their efficacy (default: true)',
    placeholder: 'true|false',
    values: '`true` or `false`',
    meaning: 'whether species count by their [efficacy](climate.md#metrics); `true` unless given',
    models: ofBoth,
  },
  accf_v: {
    description: 'Version of the climate change functions: Matthes et al. (2023), or Yin et al. (2023).',
    help: 'version of the climate change functions (default: V1.0A)',
    placeholder: 'version',
    meaning:
      'version of the [climate change functions](climate.md#climate-change-functions); `V1.0A` unless given',
    choices: ['V1.0A', 'V1.0'],
    models: ofBoth,
  },
  emission_scenario: {
    description: 'Emissions that the functions answer for: a pulse, or emissions that grow.',
    help: 'emissions that the functions are for (default: pulse)',
    placeholder: 'scenario',
    meaning: 'emissions that the functions are for; `pulse` unless given',
    choices: ['pulse', 'future_scenario'],
    models: ofFunctions,
  },
  time_horizon: {
    description: 'Years of the mean temperature response; a pulse knows 20 only.',
    help: 'years of the mean temperature response (default: 20)',
    placeholder: 'years',
    meaning: 'years of the mean temperature response; `20` unless given, and only `20` for a pulse',
    choices: ['20', '50', '100'],
    models: ofFunctions,
  },
  pmo: {
    description: 'Whether NOx counts primary-mode ozone.',
    help: 'whether NOx counts primary-mode ozone (default: true)',
    placeholder: 'true|false',
    values: '`true` or `false`',
    meaning: 'whether NOx counts primary-mode ozone; `true` unless given',
    models: ofFunctions,
  },
  pcfa: {
    description:
      'Where contrails count: in ice-supersaturated air, or only where the Schmidt–Appleman criterion is satisfied too.',
    help: 'where contrails count (default: issr)',
    placeholder: 'rule',
    meaning:
      'where contrails count: in humid, cold air, or only where the criterion of formation is satisfied too; `issr` unless given',
    choices: ['issr', 'sac'],
    models: ofFunctions,
  },
  issr_rhi_threshold: {
    description: 'Relative humidity over ice from which on contrails count.',
    help: 'relative humidity over ice from which on contrails count (default: 0.9)',
    placeholder: 'number',
    values: '0.5 … 1.5',
    meaning: 'relative humidity over ice from which on contrails count; 0.9 unless given',
    models: ofFunctions,
  },
  issr_temp_threshold: {
    description: 'Temperature below which contrails count [K].',
    help: 'temperature below which contrails count (default: 235)',
    placeholder: 'kelvin',
    values: '200 … 260 K',
    meaning: 'temperature below which contrails count; 235 unless given',
    models: ofFunctions,
  },
  nox_ei: {
    description: 'NOx of a kilogram of fuel in the merged function [kg].',
    help: 'NOx of a kilogram of fuel in the merged function (default: 0.013)',
    placeholder: 'kg',
    values: '0 … 0.1 kg/kg',
    meaning: 'NOx of a kilogram of fuel in the merged function; 0.013 unless given',
    models: ofFunctions,
  },
  km_per_kg_fuel: {
    description: 'Distance of a kilogram of fuel in the merged function [km].',
    help: 'distance of a kilogram of fuel in the merged function (default: 0.16)',
    placeholder: 'km',
    values: '0 … 10 km/kg',
    meaning: 'distance of a kilogram of fuel in the merged function; 0.16 unless given',
    models: ofFunctions,
  },
} as const;
