/**
 * nvPM by the ratio of turbine-inlet to compressor-inlet temperature (Teoh et al. 2022, doi
 * 10.1021/acs.est.2c05781): indices measured on the ground hold in cruise at the same T₄/T₂.
 */
import { JET_A1 } from '../fuel.ts';
import { t4t2Ground } from './engine-cycle.ts';
import type { GaseousEngine, MeasuredPeak, NvpmEngine } from './engines.ts';
import { hydrogenMassFactor, hydrogenNumberFactor } from './hydrogen.ts';
import { makeProfile, type Profile } from './profile.ts';
import { scope11Stages } from './scope11.ts';

/** Indices where no engine is known: mass [kg per kg] (Stettler et al. 2013) and number [per kg]. */
export const CONSTANT_NVPM_MASS_EI = 8.8e-5;
export const CONSTANT_NVPM_NUMBER_EI = 1e15;

/** Ground measurements of an engine's nvPM, from the databank or from smoke numbers. */
export interface NvpmMeasurements {
  readonly isFromSmokeNumbers: boolean;
  readonly isStaged: boolean;
  readonly pressureRatio: number;
  readonly ambientTemperatureK: number;
  readonly heatOfCombustionJKg: number;
  readonly fuelFlowKgS: Float64Array;
  readonly massEi: Float64Array;
  readonly numberEi: Float64Array;
  readonly massPeak: MeasuredPeak | null;
  readonly numberPeak: MeasuredPeak | null;
}

/** Mass and number index over T₄/T₂. */
export interface T4T2Profiles {
  readonly pressureRatio: number;
  readonly mass: Profile;
  readonly number: Profile;
}

/** Measurements of an engine: nvPM of the databank, else SCOPE11 if all smoke numbers are known, else null. */
export function nvpmMeasurements(
  gaseous: GaseousEngine | null,
  nvpm: NvpmEngine | null,
): NvpmMeasurements | null {
  if (nvpm !== null) return { ...nvpm, isFromSmokeNumbers: false };
  if (gaseous === null || gaseous.smokeNumber.some(Number.isNaN)) return null;
  return {
    ...scope11Stages(gaseous),
    isFromSmokeNumbers: true,
    isStaged: gaseous.isStaged,
    pressureRatio: gaseous.pressureRatio,
    ambientTemperatureK: gaseous.ambientTemperatureK,
    heatOfCombustionJKg: JET_A1.qFuelJKg,
    fuelFlowKgS: gaseous.fuelFlowKgS,
    massPeak: null,
    numberPeak: null,
  };
}

/** Profiles for a fuel with a hydrogen content [% by mass]. */
export function t4t2Profiles(engine: NvpmMeasurements, hydrogenPercent: number): T4T2Profiles {
  const takeoff = engine.fuelFlowKgS[3] as number;
  const flow = engine.isStaged ? stagedFuelFlow([...engine.fuelFlowKgS]) : [...engine.fuelFlowKgS];
  const thrust = flow.map((value) => value / takeoff);
  const ratio = thrust.map((setting) =>
    t4t2Ground(setting, engine.ambientTemperatureK, engine.pressureRatio, engine.heatOfCombustionJKg),
  );
  const index = (values: Float64Array): number[] => (engine.isStaged ? stagedIndex(values) : [...values]);
  const mass = index(engine.massEi).map(
    (ei, k) => ei * hydrogenMassFactor(hydrogenPercent, thrust[k] as number),
  );
  const number = index(engine.numberEi).map(
    (ei, k) => ei * hydrogenNumberFactor(hydrogenPercent, thrust[k] as number),
  );
  return {
    pressureRatio: engine.pressureRatio,
    mass: makeProfile(ratio, mass),
    number: makeProfile(ratio, number),
  };
}

/** Fuel flows of a staged combustor: the main stage lights just above approach. */
export function stagedFuelFlow(flow: readonly number[]): number[] {
  return [
    flow[0] as number,
    flow[1] as number,
    1.001 * (flow[1] as number),
    flow[2] as number,
    flow[3] as number,
  ];
}

/** Indices of a staged combustor: one level for all settings with the main stage lit. */
export function stagedIndex(values: Float64Array): number[] {
  const lit = ((values[2] as number) + (values[3] as number)) / 2;
  return [values[0] as number, values[1] as number, lit, lit, lit];
}
