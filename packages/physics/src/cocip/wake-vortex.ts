/**
 * Downwash of the wake vortices that carry the young contrail (Holzäpfel 2003; Schumann 2012, section 2.2).
 * Symbols: b wingspan [m], M aircraft mass [kg], V true airspeed [m s⁻¹], N Brunt–Väisälä frequency [s⁻¹].
 */

import { windShearEnhancement } from '../atmosphere/stratification.ts';
import { GRAVITY_M_S2 } from '../constants.ts';

/** Time in which the vortex pair descends its own separation [s]: t₀ = (π⁴/32) b³ρV/(M g). */
export function effectiveTimeScaleS(
  wingspanM: number,
  trueAirspeed: number,
  aircraftMassKg: number,
  airDensity: number,
): number {
  return ((Math.PI ** 4 / 32) * wingspanM ** 3 * airDensity * trueAirspeed) / (aircraftMassKg * GRAVITY_M_S2);
}

/** Largest descent in strongly stratified air [m]. */
export function strongStratificationDescentM(
  wingspanM: number,
  trueAirspeed: number,
  aircraftMassKg: number,
  airDensity: number,
  bruntVaisala: number,
): number {
  return (
    (((1.49 * 16) / (2 * Math.PI ** 3)) * aircraftMassKg * GRAVITY_M_S2) /
    (wingspanM * wingspanM * airDensity * trueAirspeed * bruntVaisala)
  );
}

/** Turbulent dissipation rate [m² s⁻³]; the shear enters linearly, its enhancement squared. */
export function dissipationRate(shear: number, enhancement: number, turbulentVelocity: number): number {
  return 0.5 * turbulentVelocity * turbulentVelocity * (shear * enhancement * enhancement);
}

/** Dissipation rate in vortex units, at most 0.36. */
export function normalisedDissipation(
  dissipation: number,
  wingspanM: number,
  trueAirspeed: number,
  aircraftMassKg: number,
  airDensity: number,
): number {
  const scaled =
    ((Math.PI / 4) ** (1 / 3) *
      (Math.PI ** 3 / 8) *
      Math.cbrt(dissipation * wingspanM) *
      wingspanM *
      wingspanM *
      airDensity *
      trueAirspeed) /
    (GRAVITY_M_S2 * aircraftMassKg);
  return Math.min(scaled, 0.36);
}

/** Largest descent in weakly stratified air [m]. */
function weakStratificationDescentM(wingspanM: number, normalised: number, nT0: number): number {
  return (
    ((Math.PI * wingspanM) / 4) *
    (7.68 * (1 - 4.07 * normalised + 5.67 * normalised * normalised) * (0.79 - nT0) + 1.88)
  );
}

/** Largest descent of the vortex pair [m]; it jumps where N t₀ passes 0.8, as published. */
export function maxDescentM(
  wingspanM: number,
  trueAirspeed: number,
  aircraftMassKg: number,
  airDensity: number,
  bruntVaisala: number,
  shear: number,
  turbulentVelocity: number,
  effectiveVerticalResolutionM: number,
  shearExponent: number,
): number {
  const nT0 = bruntVaisala * effectiveTimeScaleS(wingspanM, trueAirspeed, aircraftMassKg, airDensity);
  const strong = strongStratificationDescentM(
    wingspanM,
    trueAirspeed,
    aircraftMassKg,
    airDensity,
    bruntVaisala,
  );
  if (!(nT0 < 0.8)) return strong;
  const enhancement = windShearEnhancement(Math.max(strong, 10), effectiveVerticalResolutionM, shearExponent);
  const dissipation = dissipationRate(shear, enhancement, turbulentVelocity);
  const normalised = normalisedDissipation(dissipation, wingspanM, trueAirspeed, aircraftMassKg, airDensity);
  return weakStratificationDescentM(wingspanM, normalised, nT0);
}

/**
 * At most {@link maxDescentM}, at any shear [m]: in weakly stratified air the bracket of the descent is at least 1.8, and less
 * than in strongly stratified air.
 */
export function minDescentM(
  wingspanM: number,
  trueAirspeed: number,
  aircraftMassKg: number,
  airDensity: number,
  bruntVaisala: number,
): number {
  return Math.min(
    strongStratificationDescentM(wingspanM, trueAirspeed, aircraftMassKg, airDensity, bruntVaisala),
    1.8 * ((Math.PI * wingspanM) / 4),
  );
}

/** Width of the contrail after the wake-vortex phase [m]. */
export function initialWidthM(wingspanM: number): number {
  return (Math.PI / 4) * wingspanM;
}
