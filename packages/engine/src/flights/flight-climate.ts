/** The climate change functions along a flight, and its climate balance. */
import type { SampleClimate } from '@contrails/met';
import { relativeHumidityIceInto, solarDirectRadiation } from '@contrails/physics/atmosphere';
import {
  ACCF_NAMES,
  type AccfName,
  type AccfParams,
  type AccfValues,
  accfModel,
  type Co2eOptions,
  contrailArea,
  DEFAULT_ACCF_PARAMS,
  DEFAULT_CO2E,
  type FlightBalance,
  flightBalance,
  noonRadiationWM2,
} from '@contrails/physics/climate';
import type { CocipFlight, EvaluatedFlight } from '@contrails/physics/cocip';
import type { Fuel } from '@contrails/physics/emissions';
import { type AccfSettings, DEFAULT_ACCF } from './accf-settings.ts';
import type { FlightAir } from './flight-air.ts';
import { FUNCTION_INPUTS } from './models.ts';

/** Plain data, which a thread or a job can be sent. */
export interface ClimateOptions extends Co2eOptions {
  readonly functions: AccfParams;
  /** Whether contrails of the functions also need the criterion of formation. */
  readonly needsCriterion: boolean;
  readonly settings: AccfSettings;
}

export const DEFAULT_CLIMATE: ClimateOptions = {
  ...DEFAULT_CO2E,
  functions: DEFAULT_ACCF_PARAMS,
  needsCriterion: false,
  settings: DEFAULT_ACCF,
};

/** How CO2 equivalents are formed and which climate change functions are used. */
export function climateOptionsOf({
  climate = DEFAULT_CLIMATE,
}: {
  readonly climate?: ClimateOptions;
}): ClimateOptions {
  return climate;
}

/** The functions at the waypoints, and what they were evaluated in. */
export type FlightFunctions = Readonly<Record<AccfName | FunctionInput, Float64Array>>;

type FunctionInput = (typeof FUNCTION_INPUTS)[number] | 'pcfa';

/** Where and when the functions are evaluated. */
type FunctionPoints = Pick<CocipFlight, 'timeMs' | 'longitude' | 'latitude' | 'levelHpa'>;

/** `sac` is the criterion of formation where contrails need it. */
export function functionsAlong(
  flight: FunctionPoints,
  { temperature, rhi }: Pick<FlightAir, 'temperature' | 'rhi'>,
  sampleClimate: SampleClimate,
  params: AccfParams,
  sac?: Float64Array,
): FlightFunctions {
  const count = flight.timeMs.length;
  const columns = Object.fromEntries(
    [...ACCF_NAMES, ...FUNCTION_INPUTS, 'pcfa'].map((name) => [name, new Float64Array(count)]),
  ) as Record<AccfName | FunctionInput, Float64Array>;
  const { geopotential, potential_vorticity: potentialVorticity, olr } = columns;
  sampleClimate({ geopotential, potentialVorticity, olr }, { ...flight, level: flight.levelHpa }, count);
  const evaluate = accfModel(params);
  const values = Object.fromEntries(ACCF_NAMES.map((name) => [name, Number.NaN])) as AccfValues;
  for (let i = 0; i < count; i++) {
    const [longitude, latitude, timeMs] = [
      flight.longitude[i] as number,
      flight.latitude[i] as number,
      flight.timeMs[i] as number,
    ];
    const temperatureK = temperature[i] as number;
    const isDay = solarDirectRadiation(longitude, latitude, timeMs) > 0;
    const humid = contrailArea(rhi[i] as number, temperatureK, params);
    const pcfa = sac === undefined || humid === 0 ? humid : humid * (sac[i] as number);
    // Outside the weather nothing is known, not even by the standard atmosphere.
    if (Number.isNaN(temperatureK)) geopotential[i] = Number.NaN;
    const noon = noonRadiationWM2(latitude, timeMs);
    evaluate(values, {
      temperatureK,
      geopotential: geopotential[i] as number,
      potentialVorticityPvu: potentialVorticity[i] as number,
      olrWM2: olr[i] as number,
      noonRadiationWM2: noon,
      pcfa,
      isDay,
    });
    for (const name of ACCF_NAMES) columns[name][i] = values[name];
    columns.pcfa[i] = pcfa;
    columns.Fin[i] = noon;
    columns.day[i] = isDay ? 1 : 0;
  }
  return columns;
}

/** The functions for a balance: a pulse over 20 years, in air whose humidity is not scaled. */
export function balanceFunctions(
  flight: CocipFlight,
  { temperature, unscaledHumidity }: FlightAir,
  sampleClimate: SampleClimate,
  { functions }: ClimateOptions,
): FlightFunctions {
  const rhi = new Float64Array(temperature.length);
  relativeHumidityIceInto(rhi, unscaledHumidity, temperature, flight.airPressurePa);
  return functionsAlong(flight, { temperature, rhi }, sampleClimate, {
    ...functions,
    scenario: 'pulse',
    horizonYears: 20,
    pmo: true,
  });
}

export function balanceOf(
  functions: FlightFunctions,
  { evaluation: { columns }, motion: { segmentLengthM } }: EvaluatedFlight,
  energyForcingJ: number,
  fuel: Fuel,
  { efficacy, set, settings }: ClimateOptions,
): FlightBalance {
  return flightBalance(
    {
      fuelBurnKg: columns.fuelBurnKg,
      noxEi: columns.noxEi,
      lengthM: segmentLengthM,
      o3: functions.aCCF_O3,
      ch4: functions.aCCF_CH4,
      pmo: functions.aCCF_PMO,
      h2o: functions.aCCF_H2O,
      contrail: functions.aCCF_Cont,
      pcfa: functions.pcfa,
    },
    energyForcingJ,
    fuel,
    { efficacy, set, methaneLifetimeYears: settings.methane_lifetime_years },
  );
}
