/**
 * Emission indices along a flight or on a grid: one model for an engine and a fuel, then one loop over the points.
 */
import type { Ambient } from '../aircraft/ambient.ts';
import { machFromAirspeed } from '../atmosphere/mach.ts';
import { lnDelta, lnSeaLevelFactor, lnTheta } from '../atmosphere/sea-level.ts';
import { InputError } from '../errors.ts';
import type { Fuel } from '../fuel.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { quickExp } from '../numerics/quick-exp.ts';
import { Scratch } from '../numerics/scratch.ts';
import { t4t2Cruise } from './engine-cycle.ts';
import type { EngineSelection, GaseousEngine } from './engines.ts';
import {
  CONSTANT_CO_EI,
  CONSTANT_HC_EI,
  CONSTANT_NOX_EI,
  coHcEiCruise,
  coHcProfile,
  lnAmbientFactor,
  noxEiCruise,
  noxProfile,
  thrustSetting,
} from './gaseous.ts';
import { hydrogenMassFactor, hydrogenNumberFactor, hydrogenWarning } from './hydrogen.ts';
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
  /** What a user should know of the fuel. */
  readonly warnings: readonly string[];
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
  /** Pressure [Pa]; where it is that of the standard atmosphere, `ambient` may stand in for it. */
  readonly airPressurePa?: Float64Array | undefined;
  /** Of the same temperatures. */
  readonly ambient?: Ambient | undefined;
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
    warnings: [hydrogenWarning(hydrogenPercent)].filter((warning) => warning !== undefined),
  };
}

/** Emission indices at every point. */
export function emissionIndicesInto(
  out: EmissionIndices,
  input: EmissionsInput,
  model: EmissionsModel,
): void {
  const n = out.noxEi.length;
  requireSameLength(
    out.noxEi,
    input.trueAirspeedMS,
    input.airTemperatureK,
    input.specificHumidity,
    input.fuelFlowPerEngineKgS,
  );
  const air = airOf(input);
  if (input.thrustSetting === undefined) thrustInto(out.thrustSetting, air, model);
  else out.thrustSetting.set(input.thrustSetting);

  if (model.gaseous === null) {
    out.noxEi.fill(CONSTANT_NOX_EI, 0, n);
    out.coEi.fill(CONSTANT_CO_EI, 0, n);
    out.hcEi.fill(CONSTANT_HC_EI, 0, n);
  } else {
    gasesInto(out, input.specificHumidity, air, model.gaseous);
  }

  if (model.t4t2 !== null) t4t2Into(out, input.airTemperatureK, air, model.t4t2, model.qFuelJKg);
  else if (model.meem !== null) meemInto(out, air, model.meem);
  else constantNvpmInto(out, model);
}

/** What all parts need at every point; logarithms of the ratios to sea level and of the fuel flow there. */
interface Air {
  readonly mach: Float64Array;
  readonly lnTheta: Float64Array;
  readonly lnDelta: Float64Array;
  readonly seaLevelFuelFlowKgS: Float64Array;
}

const scratch = new Scratch();
const gasScratch = new Scratch();

function airOf(input: EmissionsInput): Air {
  const { trueAirspeedMS, airTemperatureK, airPressurePa, fuelFlowPerEngineKgS } = input;
  const n = trueAirspeedMS.length;
  const [mach, flow, theta, delta] = scratch.columns(4, n) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const logs =
    airPressurePa === undefined
      ? input.ambient
      : {
          lnTheta: input.ambient?.lnTheta ?? lnThetaInto(theta, airTemperatureK),
          lnDelta: lnDeltaInto(delta, airPressurePa),
        };
  if (logs === undefined) throw new InputError('emissions need air_pressure', { field: 'air_pressure' });
  for (let i = 0; i < n; i++) {
    const m = machFromAirspeed(trueAirspeedMS[i] as number, airTemperatureK[i] as number);
    const factor = lnSeaLevelFactor(logs.lnTheta[i] as number, logs.lnDelta[i] as number, m);
    mach[i] = m;
    flow[i] = (fuelFlowPerEngineKgS[i] as number) * quickExp(factor);
  }
  return { mach, lnTheta: logs.lnTheta, lnDelta: logs.lnDelta, seaLevelFuelFlowKgS: flow };
}

function lnThetaInto(out: Float64Array, airTemperatureK: Float64Array): Float64Array {
  for (let i = 0; i < out.length; i++) out[i] = lnTheta(airTemperatureK[i] as number);
  return out;
}

function lnDeltaInto(out: Float64Array, airPressurePa: Float64Array): Float64Array {
  requireSameLength(out, airPressurePa);
  let [knownPa, known] = [Number.NaN, Number.NaN];
  for (let i = 0; i < out.length; i++) {
    const pressure = airPressurePa[i] as number;
    // In cruise a pressure is that of the point before.
    if (pressure !== knownPa) {
      knownPa = pressure;
      known = lnDelta(pressure);
    }
    out[i] = known;
  }
  return out;
}

function thrustInto(out: Float64Array, air: Air, model: EmissionsModel): void {
  const { seaLevelFuelFlowKgS } = air;
  const takeoff = model.gaseous?.takeoffFuelFlowKgS ?? Number.NaN;
  for (let i = 0; i < out.length; i++) out[i] = thrustSetting(seaLevelFuelFlowKgS[i] as number, takeoff);
}

/** Stands for the logarithm of no fuel flow, below every knot yet finite as profiles ask for. */
const LN_NO_FUEL = -1000;

function gasesInto(
  out: EmissionIndices,
  specificHumidity: Float64Array,
  air: Air,
  engine: GaseousProfiles,
): void {
  const { lnTheta, lnDelta, seaLevelFuelFlowKgS } = air;
  const [lnFlow, lnAmbient] = gasScratch.columns(2, seaLevelFuelFlowKgS.length) as [
    Float64Array,
    Float64Array,
  ];
  for (let i = 0; i < lnFlow.length; i++) {
    lnFlow[i] = Math.max(Math.log(seaLevelFuelFlowKgS[i] as number), LN_NO_FUEL);
    lnAmbient[i] = lnAmbientFactor(lnTheta[i] as number, lnDelta[i] as number);
  }
  noxInto(out.noxEi, engine.nox, lnFlow, lnAmbient, specificHumidity);
  coHcInto(out.coEi, engine.co, lnFlow, lnAmbient);
  coHcInto(out.hcEi, engine.hc, lnFlow, lnAmbient);
}

function noxInto(
  out: Float64Array,
  profile: Profile,
  lnFlow: Float64Array,
  lnAmbient: Float64Array,
  specificHumidity: Float64Array,
): void {
  for (let i = 0; i < out.length; i++) {
    const lnSeaLevelEi = profileAt(profile, lnFlow[i] as number);
    out[i] = noxEiCruise(lnSeaLevelEi, lnAmbient[i] as number, specificHumidity[i] as number);
  }
}

function coHcInto(out: Float64Array, profile: Profile, lnFlow: Float64Array, lnAmbient: Float64Array): void {
  for (let i = 0; i < out.length; i++) {
    out[i] = coHcEiCruise(profileAt(profile, lnFlow[i] as number), lnAmbient[i] as number);
  }
}

function t4t2Into(
  out: EmissionIndices,
  airTemperatureK: Float64Array,
  air: Air,
  engine: T4T2Profiles,
  qFuelJKg: number,
): void {
  const { thrustSetting, nvpmEiM, nvpmEiN } = out;
  const { mass, number, pressureRatio } = engine;
  const { mach } = air;
  for (let i = 0; i < nvpmEiM.length; i++) {
    const ratio = t4t2Cruise(
      thrustSetting[i] as number,
      airTemperatureK[i] as number,
      mach[i] as number,
      pressureRatio,
      qFuelJKg,
    );
    nvpmEiM[i] = profileAt(mass, ratio);
    nvpmEiN[i] = profileAt(number, ratio);
  }
}

function meemInto(out: EmissionIndices, air: Air, engine: MeemProfiles): void {
  const { nvpmEiM, nvpmEiN } = out;
  const { lnTheta, lnDelta, seaLevelFuelFlowKgS } = air;
  for (let i = 0; i < nvpmEiM.length; i++) {
    const flow = meemFuelFlow(engine, seaLevelFuelFlowKgS[i] as number);
    const ambient = meemAmbientFactor(lnTheta[i] as number, lnDelta[i] as number);
    nvpmEiM[i] = profileAt(engine.mass, flow) * ambient;
    nvpmEiN[i] = profileAt(engine.number, flow) * ambient;
  }
}

function constantNvpmInto(out: EmissionIndices, model: EmissionsModel): void {
  const { thrustSetting, nvpmEiM, nvpmEiN } = out;
  for (let i = 0; i < nvpmEiM.length; i++) {
    const thrust = thrustSetting[i] as number;
    nvpmEiM[i] = CONSTANT_NVPM_MASS_EI * hydrogenMassFactor(model.hydrogenPercent, thrust);
    nvpmEiN[i] = model.defaultNvpmNumberEi * hydrogenNumberFactor(model.hydrogenPercent, thrust);
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
