/** What a query asks of CO2 equivalents and climate change functions. */
import {
  ACCF_VERSIONS,
  type AccfHorizon,
  type AccfParams,
  CO2E_METRICS,
  type Co2eOptions,
  DEFAULT_ACCF_PARAMS,
  DEFAULT_CO2E,
  EMISSION_SCENARIOS,
} from '@contrails/physics/climate';
import { ValidationError } from '@contrails/runtime/errors';
import { boolean } from '@contrails/runtime/options/boolean';
import { choice } from '@contrails/runtime/options/choice';
import { number } from '@contrails/runtime/options/number';
import { byDefault } from '@contrails/runtime/options/parameter';
import type { Values } from '@contrails/runtime/options/query';
import { CLIMATE_OPTIONS as TABLE } from './climate-options.ts';

/** Plain data, which a thread or a job can be sent. */
export interface ClimateOptions extends Co2eOptions {
  readonly functions: AccfParams;
  /** Whether contrails of the functions also need the criterion of formation. */
  readonly needsCriterion: boolean;
}

export const DEFAULT_CLIMATE: ClimateOptions = {
  ...DEFAULT_CO2E,
  functions: DEFAULT_ACCF_PARAMS,
  needsCriterion: false,
};

const described = <Name extends keyof typeof TABLE>(name: Name) => TABLE[name].description;

export const climateParameters = {
  co2e_metric: byDefault(choice(CO2E_METRICS, described('co2e_metric')), DEFAULT_CO2E.metric),
  co2e_set: byDefault(choice(TABLE.co2e_set.choices, described('co2e_set')), DEFAULT_CO2E.set),
  efficacy: byDefault(boolean(described('efficacy')), true),
  accf_v: byDefault(choice(ACCF_VERSIONS, described('accf_v')), DEFAULT_ACCF_PARAMS.version),
  emission_scenario: byDefault(
    choice(EMISSION_SCENARIOS, described('emission_scenario')),
    DEFAULT_ACCF_PARAMS.scenario,
  ),
  time_horizon: byDefault(choice(TABLE.time_horizon.choices, described('time_horizon')), '20'),
  pmo: byDefault(boolean(described('pmo')), true),
  pcfa: byDefault(choice(TABLE.pcfa.choices, described('pcfa')), 'issr'),
  issr_rhi_threshold: byDefault(
    number({ minimum: 0.5, maximum: 1.5, description: described('issr_rhi_threshold') }),
    DEFAULT_ACCF_PARAMS.rhiThreshold,
  ),
  issr_temp_threshold: byDefault(
    number({ minimum: 200, maximum: 260, description: described('issr_temp_threshold') }),
    DEFAULT_ACCF_PARAMS.temperatureThresholdK,
  ),
  nox_ei: byDefault(
    number({ minimum: 0, maximum: 0.1, description: described('nox_ei') }),
    DEFAULT_ACCF_PARAMS.noxEi,
  ),
  km_per_kg_fuel: byDefault(
    number({ minimum: 0, maximum: 10, description: described('km_per_kg_fuel') }),
    DEFAULT_ACCF_PARAMS.kmPerKgFuel,
  ),
};

export type ClimateQuery = Values<typeof climateParameters>;

/** What a query asks for; parameters that a model does not have are those by default. */
export function climateOf(query: Partial<ClimateQuery>): ClimateOptions {
  const { functions: standard } = DEFAULT_CLIMATE;
  const efficacy = query.efficacy ?? true;
  const scenario = query.emission_scenario ?? standard.scenario;
  const horizonYears = Number(query.time_horizon ?? '20') as AccfHorizon;
  if (scenario === 'pulse' && horizonYears !== 20) {
    const msg = `time_horizon ${horizonYears} is not known for emission_scenario pulse; give 20, or emission_scenario=future_scenario`;
    throw new ValidationError([{ loc: ['query', 'time_horizon'], msg, type: 'value_error' }]);
  }
  return {
    metric: query.co2e_metric ?? DEFAULT_CO2E.metric,
    set: query.co2e_set ?? DEFAULT_CO2E.set,
    efficacy,
    needsCriterion: query.pcfa === 'sac',
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
