/**
 * nvPM by the mission emissions estimation method, second version (MEEM2; Ahrens et al. 2022, doi 10.1115/1.4055477):
 * ground indices over sea-level fuel flow, scaled to the ambient air.
 */
import { clip } from '../numerics/lerp.ts';
import type { MeasuredPeak } from './engines.ts';
import { installedFuelFlow } from './gaseous.ts';
import { hydrogenMassFactor, hydrogenNumberFactor } from './hydrogen.ts';
import { type NvpmMeasurements, stagedFuelFlow, stagedIndex } from './nvpm.ts';
import { makeProfile, type Profile } from './profile.ts';
import { STAGE_THRUST } from './scope11.ts';

const FUEL_FLOW_FACTOR = 1.1 ** 2.5;
const STAGED_THRUST = [0.07, 0.3, 0.3003, 0.85, 1];
const PEAK_THRUST = [0.07, 0.3, 0.575, 0.85, 1];

/** Mass and number index over sea-level fuel flow [kg s⁻¹], which stays within idle and take-off. */
export interface MeemProfiles {
  readonly idleFuelFlowKgS: number;
  readonly takeoffFuelFlowKgS: number;
  readonly mass: Profile;
  readonly number: Profile;
}

/** Profiles for a fuel with a hydrogen content [% by mass]. */
export function meemProfiles(engine: NvpmMeasurements, hydrogenPercent: number): MeemProfiles {
  return {
    idleFuelFlowKgS: engine.fuelFlowKgS[0] as number,
    takeoffFuelFlowKgS: engine.fuelFlowKgS[3] as number,
    mass: meemProfile(engine, engine.massEi, engine.massPeak, (thrust) =>
      hydrogenMassFactor(hydrogenPercent, thrust),
    ),
    number: meemProfile(engine, engine.numberEi, engine.numberPeak, (thrust) =>
      hydrogenNumberFactor(hydrogenPercent, thrust),
    ),
  };
}

/** Factor δ^1.377/θ^4.455·1.1^2.5 from the ground to ambient air, from the logarithms of θ and δ. */
export function meemAmbientFactor(lnTheta: number, lnDelta: number): number {
  return Math.exp(1.377 * lnDelta - 4.455 * lnTheta) * FUEL_FLOW_FACTOR;
}

/** Sea-level fuel flow [kg s⁻¹] at which the profiles are read. */
export function meemFuelFlow(profiles: MeemProfiles, seaLevelFuelFlowKgS: number): number {
  return clip(seaLevelFuelFlowKgS, profiles.idleFuelFlowKgS, profiles.takeoffFuelFlowKgS);
}

function meemProfile(
  engine: NvpmMeasurements,
  index: Float64Array,
  peak: MeasuredPeak | null,
  factorAt: (thrust: number) => number,
): Profile {
  const flow = installedFuelFlow(engine.fuelFlowKgS);
  const scaled = (values: readonly number[], thrust: readonly number[]): number[] =>
    values.map((ei, k) => ei * factorAt(thrust[k] as number));
  if (engine.isStaged) return makeProfile(stagedFuelFlow(flow), scaled(stagedIndex(index), STAGED_THRUST));
  if (peak?.isMidPower)
    return makeProfile(withPeakFlow(flow), scaled(withPeakIndex(index, peak), PEAK_THRUST));
  return makeProfile(flow, scaled([...index], STAGE_THRUST));
}

function withPeakFlow(flow: readonly number[]): number[] {
  const [w7, w30, w85, w100] = flow as [number, number, number, number];
  return [w7, w30, (w30 + w85) / 2, w85, w100];
}

/** The peak was only measured; it is corrected for losses like its neighbours on average. */
function withPeakIndex(index: Float64Array, peak: MeasuredPeak): number[] {
  const [e7, e30, e85, e100] = index as unknown as [number, number, number, number];
  const lossFactor = (e30 / peak.approach + e85 / peak.climbOut) / 2;
  return [e7, e30, peak.max * lossFactor, e85, e100];
}
