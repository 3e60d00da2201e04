/** What the models make of the parameters of a request. Threads load it: nothing of HTTP, and no schemas. */
import type { HumidityMethod } from '@contrails/met';
import { type CocipParams, DEFAULT_COCIP_PARAMS } from '@contrails/physics/cocip';
import type { EvaluationParams } from '@contrails/physics/flight';
import type { TrajectoryModel } from './models.ts';
import type { TrajectoryOptions } from './options.ts';
import {
  type GivenParameters,
  MODEL_PARAMETER_ENTRIES,
  MODEL_PARAMETERS,
  parametersOfModel,
  QUERIED_PARAMETERS,
} from './parameter-table.ts';

/** How humidity is interpolated between levels. */
export function humidityMethodOf(parameters: GivenParameters | undefined): HumidityMethod {
  return (parameters?.interpolation_q_method ?? 'none') as HumidityMethod;
}

/** Parameters of a body, and those that have a value in every run. */
function usedParameters(options: TrajectoryOptions): GivenParameters {
  const queried = QUERIED_PARAMETERS.map(([name, { query }]) => [name, options[query.option]]);
  return { ...options.parameters, ...Object.fromEntries(queried) };
}

/** The parameters of the contrail model. */
export function cocipParamsOf(options: TrajectoryOptions): CocipParams {
  const used = usedParameters(options);
  const own = MODEL_PARAMETER_ENTRIES.flatMap(([name, entry]) => {
    const value = used[name];
    if (entry.cocip === undefined || value === undefined) return [];
    const factor = entry.kind === 'number' ? (entry.factor ?? 1) : 1;
    return [[entry.cocip, typeof value === 'number' ? value * factor : value] as const];
  });
  return { ...DEFAULT_COCIP_PARAMS, ...Object.fromEntries(own) };
}

/** The parameters of performance and emissions. */
export function evaluationParamsOf({ parameters = {} }: TrajectoryOptions): EvaluationParams {
  const { use_meem: useMeem, default_nvpm_ei_n: number } = parameters;
  return {
    emissions: {
      ...(typeof useMeem === 'boolean' ? { useMeem } : {}),
      ...(typeof number === 'number' ? { defaultNvpmNumberEi: number } : {}),
    },
  };
}

/** From global mean forcing to the temperature response of 20 years [K m² W⁻¹]. */
export function atr20FactorOf({ parameters = {} }: TrajectoryOptions): number {
  return (parameters.global_rf_to_atr20_factor ??
    MODEL_PARAMETERS.global_rf_to_atr20_factor.default) as number;
}

/** All parameters of a model with the values that were used, and their units. */
export function effectiveParameters(
  model: TrajectoryModel,
  options: TrajectoryOptions,
): { readonly values: GivenParameters; readonly units: Readonly<Record<string, string>> } {
  const used = usedParameters(options);
  const own = parametersOfModel(model);
  return {
    values: Object.fromEntries(own.map(([name, entry]) => [name, name in used ? used[name] : entry.default])),
    units: Object.fromEntries(own.flatMap(([name, entry]) => ('unit' in entry ? [[name, entry.unit]] : []))),
  };
}
