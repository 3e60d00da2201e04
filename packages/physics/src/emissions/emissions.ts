/**
 * Emission indices along a flight or on a grid: one model for an engine and a fuel, then one loop over the points.
 */
import { requireSameLength } from '../columns.ts';
import type { Fuel } from '../fuel.ts';
import { machFromAirspeed } from '../mach.ts';
import { t4t2Cruise } from './engine-cycle.ts';
import type { EngineSelection, GaseousEngine } from './engines.ts';
import {
  ambientFactor,
  CONSTANT_CO_EI,
  CONSTANT_HC_EI,
  CONSTANT_NOX_EI,
  coHcEiCruise,
  coHcProfile,
  noxEiCruise,
  noxProfile,
  seaLevelFuelFlow,
  thrustSetting,
} from './gaseous.ts';
import { hydrogenMassFactor, hydrogenNumberFactor } from './hydrogen.ts';
import { type MeemProfiles, meemAmbientFactor, meemFuelFlow, meemProfiles } from './meem.ts';
import {
  CONSTANT_NVPM_MASS_EI,
  CONSTANT_NVPM_NUMBER_EI,
  nvpmMeasurements,
  type T4T2Profiles,
  t4t2Profiles,
} from './nvpm.ts';
import { type Profile, profileAt } from './profile.ts';

export interface EmissionsParams {
  /** nvPM by MEEM2 instead of T₄/T₂. */
  readonly useMeem: boolean;
  /** nvPM number index [per kg] where no engine is known. */
  readonly defaultNvpmNumberEi: number;
}

export const DEFAULT_EMISSIONS_PARAMS: EmissionsParams = {
  useMeem: false,
  defaultNvpmNumberEi: CONSTANT_NVPM_NUMBER_EI,
};

export type GaseousDataSource = 'FFM2' | 'Constant';
export type NvpmDataSource =
  | 'ICAO EDB (T4/T2)'
  | 'ICAO EDB (SCOPE11 with T4/T2)'
  | 'ICAO EDB (MEEM2)'
  | 'ICAO EDB (SCOPE11 with MEEM2)'
  | 'Constant';

/** Everything about an engine and a fuel that the loop over points needs. */
export interface EmissionsModel {
  readonly gaseousDataSource: GaseousDataSource;
  readonly nvpmDataSource: NvpmDataSource;
  readonly qFuelJKg: number;
  readonly hydrogenPercent: number;
  readonly gaseous: GaseousProfiles | null;
  readonly t4t2: T4T2Profiles | null;
  readonly meem: MeemProfiles | null;
  readonly defaultNvpmNumberEi: number;
}

interface GaseousProfiles {
  readonly takeoffFuelFlowKgS: number;
  readonly nox: Profile;
  readonly co: Profile;
  readonly hc: Profile;
}

/** State of the air and of one engine at every point. */
export interface EmissionsInput {
  readonly trueAirspeedMS: Float64Array;
  readonly airTemperatureK: Float64Array;
  readonly airPressurePa: Float64Array;
  readonly specificHumidity: Float64Array;
  readonly fuelFlowPerEngineKgS: Float64Array;
  /** A known thrust setting is kept. */
  readonly thrustSetting?: Float64Array | undefined;
}

/** Share of take-off thrust and indices [kg per kg of fuel; nvpmEiN per kg] at every point. */
export interface EmissionIndices {
  readonly thrustSetting: Float64Array;
  readonly noxEi: Float64Array;
  readonly coEi: Float64Array;
  readonly hcEi: Float64Array;
  readonly nvpmEiM: Float64Array;
  readonly nvpmEiN: Float64Array;
}

/** Prepares the profiles of an engine for a fuel. */
export function createEmissionsModel(
  engine: EngineSelection,
  fuel: Fuel,
  params: EmissionsParams = DEFAULT_EMISSIONS_PARAMS,
): EmissionsModel {
  const measured = nvpmMeasurements(engine.gaseous, engine.nvpm);
  const hydrogenPercent = fuel.hydrogenContentPercent;
  return {
    gaseousDataSource: engine.gaseous === null ? 'Constant' : 'FFM2',
    nvpmDataSource: nvpmSource(measured?.isFromSmokeNumbers, params.useMeem),
    qFuelJKg: fuel.qFuelJKg,
    hydrogenPercent,
    gaseous: engine.gaseous === null ? null : gaseousProfiles(engine.gaseous),
    t4t2: measured === null || params.useMeem ? null : t4t2Profiles(measured, hydrogenPercent),
    meem: measured === null || !params.useMeem ? null : meemProfiles(measured, hydrogenPercent),
    defaultNvpmNumberEi: params.defaultNvpmNumberEi,
  };
}

/** Emission indices at every point. */
export function emissionIndicesInto(
  out: EmissionIndices,
  input: EmissionsInput,
  model: EmissionsModel,
): void {
  requireSameLength(
    out.noxEi,
    input.trueAirspeedMS,
    input.airTemperatureK,
    input.airPressurePa,
    input.specificHumidity,
    input.fuelFlowPerEngineKgS,
  );
  for (let i = 0; i < out.noxEi.length; i++) {
    const temperature = input.airTemperatureK[i] as number;
    const pressure = input.airPressurePa[i] as number;
    const mach = machFromAirspeed(input.trueAirspeedMS[i] as number, temperature);
    const flow = seaLevelFuelFlow(input.fuelFlowPerEngineKgS[i] as number, temperature, pressure, mach);
    const thrust =
      input.thrustSetting?.[i] ?? thrustSetting(flow, model.gaseous?.takeoffFuelFlowKgS ?? Number.NaN);
    out.thrustSetting[i] = thrust;
    gasesAt(out, i, model, flow, temperature, pressure, input.specificHumidity[i] as number);
    particlesAt(out, i, model, flow, thrust, temperature, pressure, mach);
  }
}

function gasesAt(
  out: EmissionIndices,
  i: number,
  model: EmissionsModel,
  flow: number,
  temperature: number,
  pressure: number,
  humidity: number,
): void {
  const { gaseous } = model;
  if (gaseous === null) {
    out.noxEi[i] = CONSTANT_NOX_EI;
    out.coEi[i] = CONSTANT_CO_EI;
    out.hcEi[i] = CONSTANT_HC_EI;
    return;
  }
  const lnFlow = Math.log(flow);
  const ambient = ambientFactor(temperature, pressure);
  out.noxEi[i] = noxEiCruise(Math.exp(profileAt(gaseous.nox, lnFlow)), ambient, humidity);
  out.coEi[i] = coHcEiCruise(Math.exp(profileAt(gaseous.co, lnFlow)), ambient);
  out.hcEi[i] = coHcEiCruise(Math.exp(profileAt(gaseous.hc, lnFlow)), ambient);
}

function particlesAt(
  out: EmissionIndices,
  i: number,
  model: EmissionsModel,
  flow: number,
  thrust: number,
  temperature: number,
  pressure: number,
  mach: number,
): void {
  const { t4t2, meem } = model;
  if (t4t2 !== null) {
    const ratio = t4t2Cruise(thrust, temperature, mach, t4t2.pressureRatio, model.qFuelJKg);
    out.nvpmEiM[i] = profileAt(t4t2.mass, ratio);
    out.nvpmEiN[i] = profileAt(t4t2.number, ratio);
  } else if (meem !== null) {
    const limited = meemFuelFlow(meem, flow);
    const ambient = meemAmbientFactor(temperature, pressure);
    out.nvpmEiM[i] = profileAt(meem.mass, limited) * ambient;
    out.nvpmEiN[i] = profileAt(meem.number, limited) * ambient;
  } else {
    out.nvpmEiM[i] = CONSTANT_NVPM_MASS_EI * hydrogenMassFactor(model.hydrogenPercent, thrust);
    out.nvpmEiN[i] = model.defaultNvpmNumberEi * hydrogenNumberFactor(model.hydrogenPercent, thrust);
  }
}

function gaseousProfiles(engine: GaseousEngine): GaseousProfiles {
  return {
    takeoffFuelFlowKgS: engine.fuelFlowKgS[3] as number,
    nox: noxProfile(engine),
    co: coHcProfile(engine, engine.coEi),
    hc: coHcProfile(engine, engine.hcEi),
  };
}

function nvpmSource(isFromSmokeNumbers: boolean | undefined, useMeem: boolean): NvpmDataSource {
  if (isFromSmokeNumbers === undefined) return 'Constant';
  if (useMeem) return isFromSmokeNumbers ? 'ICAO EDB (SCOPE11 with MEEM2)' : 'ICAO EDB (MEEM2)';
  return isFromSmokeNumbers ? 'ICAO EDB (SCOPE11 with T4/T2)' : 'ICAO EDB (T4/T2)';
}
