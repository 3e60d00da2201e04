/** Limits of speed, thrust, fuel flow and mass in the PS model (Poll and Schumann 2021, with later notes). */

import { levelFromAltitudeFt } from '../atmosphere/isa.ts';
import * as seaLevel from '../atmosphere/sea-level.ts';
import * as constants from '../constants.ts';
import * as exponentials from '../numerics/quick-exp.ts';
import type { AircraftType } from './types.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const { GRAVITY_M_S2, HEAT_CAPACITY_RATIO } = constants;
const { quickExp } = exponentials;
const { lnSeaLevelFactor } = seaLevel;

const IMPACT_PRESSURE_250_KT_PA = 10510;
const PRESSURE_AT_10000_FT_PA = 100 * levelFromAltitudeFt(10000);

/** Largest Mach number at a pressure [Pa]. */
export function maxMach(aircraft: AircraftType, pressurePa: number): number {
  if (!(pressurePa > aircraft.crossoverPressurePa)) return aircraft.maxOperatingMach;
  return machOfImpactPressure(aircraft.impactPressureMaxPa, pressurePa);
}

/** {@link maxMach} with the rule of 250 kt below 10 000 ft. */
export function maxMachWith250KtRule(aircraft: AircraftType, pressurePa: number): number {
  return pressurePa > PRESSURE_AT_10000_FT_PA
    ? machOfImpactPressure(IMPACT_PRESSURE_250_KT_PA, pressurePa)
    : maxMach(aircraft, pressurePa);
}

function machOfImpactPressure(impactPressurePa: number, pressurePa: number): number {
  const root = Math.sqrt(1 + ((2 / HEAT_CAPACITY_RATIO) * impactPressurePa) / pressurePa);
  return Math.SQRT2 * Math.sqrt(root - 1);
}

/** Largest thrust coefficient that the turbine entry temperature allows in air of a temperature [K]. */
export function availableThrustCoefficient(
  aircraft: AircraftType,
  mach: number,
  temperatureK: number,
  thrustAtBestEfficiency: number,
): number {
  const off = mach - aircraft.engineMach;
  const reference = aircraft.engineTemperatureRatio * (1 - 0.53 * off * off) * (1 + 0.2 * mach * mach);
  const throttle = (aircraft.turbineEntryContinuousK / temperatureK / reference) * 1.2;
  return (1 + 2.5 * (throttle - 1)) * thrustAtBestEfficiency;
}

/** Least fuel flow [kg s⁻¹, all engines]: flight idle at an altitude [ft]. */
export function minFuelFlowKgS(aircraft: AircraftType, altitudeFt: number): number {
  const x = altitudeFt / 10000;
  return aircraft.fuelFlowIdleKgS * (1 - 0.178 * x + 0.0085 * x * x);
}

/**
 * Largest fuel flow [kg s⁻¹, all engines]: take-off scaled to ambient air given by the logarithms of θ and δ, 30 % of
 * take-off in descent.
 */
export function maxFuelFlowKgS(
  aircraft: AircraftType,
  lnTheta: number,
  lnDelta: number,
  mach: number,
  isDescent: boolean,
): number {
  if (isDescent) return 0.3 * aircraft.fuelFlowMaxKgS;
  return aircraft.fuelFlowMaxKgS / Math.max(quickExp(lnSeaLevelFactor(lnTheta, lnDelta, mach)), 1);
}

/** Largest lift coefficient at a Mach number (buffet). */
export function maxLiftCoefficient(aircraft: AircraftType, mach: number): number {
  const x = mach / aircraft.designMach;
  const ratio = x < 0.7 ? 1.8 + x * (0.16 - 1.085 * x) : 13.272 + x * (-42.262 + x * (49.883 - 19.683 * x));
  return ratio * aircraft.designLiftCoefficient;
}

/** Largest mass [kg] that the wing carries at a pressure [Pa] and Mach number, ignoring the take-off limit. */
export function maxLiftedMassKg(aircraft: AircraftType, pressurePa: number, mach: number): number {
  const force = 0.5 * HEAT_CAPACITY_RATIO * pressurePa * mach * mach * aircraft.wingAreaM2;
  return (maxLiftCoefficient(aircraft, mach) * force) / GRAVITY_M_S2;
}

/** Largest allowable mass [kg]: {@link maxLiftedMassKg}, at most the maximum take-off mass. */
export function maxAllowableMassKg(aircraft: AircraftType, pressurePa: number, mach: number): number {
  return Math.min(maxLiftedMassKg(aircraft, pressurePa, mach), aircraft.maxTakeoffMassKg);
}
