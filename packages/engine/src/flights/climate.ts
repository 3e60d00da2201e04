/** What a query asks of CO2 equivalents and climate change functions. */
import { type AccfHorizon, DEFAULT_CO2E } from '@contrails/physics/climate';
import { ValidationError } from '@contrails/runtime/errors';
import type { Values } from '@contrails/runtime/options/query';
import { parameterOf } from '../options/parameter-of.ts';
import { type AccfSettings, DEFAULT_ACCF } from './accf-settings.ts';
import { CLIMATE_OPTIONS as TABLE } from './climate-options.ts';
import { type ClimateOptions, DEFAULT_CLIMATE } from './flight-climate.ts';

export const climateParameters = {
  co2e_metric: parameterOf(TABLE.co2e_metric),
  co2e_set: parameterOf(TABLE.co2e_set),
  efficacy: parameterOf(TABLE.efficacy),
  accf_v: parameterOf(TABLE.accf_v),
  emission_scenario: parameterOf(TABLE.emission_scenario),
  time_horizon: parameterOf(TABLE.time_horizon),
  pmo: parameterOf(TABLE.pmo),
  pcfa: parameterOf(TABLE.pcfa),
  issr_rhi_threshold: parameterOf(TABLE.issr_rhi_threshold),
  issr_temp_threshold: parameterOf(TABLE.issr_temp_threshold),
  nox_ei: parameterOf(TABLE.nox_ei),
  km_per_kg_fuel: parameterOf(TABLE.km_per_kg_fuel),
};

export type ClimateQuery = Values<typeof climateParameters>;

/** What a query asks for; parameters that a model does not have are those by default. */
export function climateOf(
  query: Partial<ClimateQuery>,
  settings: AccfSettings = DEFAULT_ACCF,
): ClimateOptions {
  const { functions: standard } = DEFAULT_CLIMATE;
  const efficacy = query.efficacy ?? TABLE.efficacy.default;
  const scenario = query.emission_scenario ?? standard.scenario;
  const horizonYears = Number(query.time_horizon ?? TABLE.time_horizon.default) as AccfHorizon;
  if (scenario === 'pulse' && horizonYears !== 20) {
    const msg = `time_horizon ${horizonYears} is not known for emission_scenario pulse; give 20, or emission_scenario=future_scenario`;
    throw new ValidationError([{ loc: ['query', 'time_horizon'], msg, type: 'value_error' }]);
  }
  return {
    metric: query.co2e_metric ?? DEFAULT_CO2E.metric,
    set: query.co2e_set ?? DEFAULT_CO2E.set,
    efficacy,
    needsCriterion: query.pcfa === 'sac',
    settings,
    functions: {
      version: query.accf_v ?? standard.version,
      efficacy,
      scenario,
      horizonYears,
      pmo: query.pmo ?? standard.pmo,
      rhiThreshold: query.issr_rhi_threshold ?? standard.rhiThreshold,
      temperatureThresholdK: query.issr_temp_threshold ?? standard.temperatureThresholdK,
      noxEi: query.nox_ei ?? standard.noxEi,
      kmPerKgFuel: query.km_per_kg_fuel ?? standard.kmPerKgFuel,
    },
  };
}

/** The parameters of the functions as responses name them. */
export function describeFunctions({ functions, needsCriterion }: ClimateOptions): Record<string, unknown> {
  return {
    accf_v: functions.version,
    efficacy: functions.efficacy,
    emission_scenario: functions.scenario,
    time_horizon: functions.horizonYears,
    pmo: functions.pmo,
    pcfa: needsCriterion ? 'sac' : 'issr',
    issr_rhi_threshold: functions.rhiThreshold,
    issr_temp_threshold: functions.temperatureThresholdK,
    nox_ei: functions.noxEi,
    km_per_kg_fuel: functions.kmPerKgFuel,
  };
}
