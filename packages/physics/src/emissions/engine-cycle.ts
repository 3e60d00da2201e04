/**
 * Temperatures and pressures through a jet engine (Cumpsty and Heyes 2015; Schumann et al. 2015, Stettler et al.
 * 2013): 2 compressor inlet, 3 compressor exit, 4 combustor exit.
 */
import * as constants from '../constants.ts';
import * as powers from '../numerics/quick-power.ts';

// Constants of this module, see “Fast loops” in CONTRIBUTING.md.
const { HEAT_CAPACITY_COMBUSTION, HEAT_CAPACITY_DRY, HEAT_CAPACITY_RATIO, SEA_LEVEL_TEMPERATURE_K } =
  constants;
const { normalPower, tabulatePower } = powers;

const COMPRESSOR_POWER = /* @__PURE__ */ tabulatePower(
  (HEAT_CAPACITY_RATIO - 1) / (HEAT_CAPACITY_RATIO * 0.9),
);

/** Temperature [K] at the compressor inlet. */
export function inletTemperatureK(temperatureK: number, mach: number): number {
  return temperatureK * (1 + 0.2 * mach * mach);
}

/** Pressure [Pa] at the compressor inlet. */
export function inletPressurePa(pressurePa: number, mach: number): number {
  const ram = 1 + 0.2 * mach * mach;
  return pressurePa * ram * ram * ram * Math.sqrt(ram);
}

/** Pressure [Pa] at the combustor inlet for an overall pressure ratio and a thrust setting. */
export function combustorInletPressurePa(inletPa: number, pressureRatio: number, thrust: number): number {
  return inletPa * (pressureRatio - 1) * thrust + inletPa;
}

/** Temperature [K] at the combustor inlet; polytropic efficiency of the compressor 0.9. */
export function combustorInletTemperatureK(inletK: number, pressureRise: number): number {
  return inletK * normalPower(pressureRise, COMPRESSOR_POWER);
}

/** Fuel-to-air ratio on the ground at a thrust setting. */
export function fuelToAirRatioGround(thrust: number): number {
  return 0.0121 * thrust + 0.008;
}

/** Air-to-fuel ratio on the ground at a thrust setting. */
export function airToFuelRatioGround(thrust: number): number {
  return 1 / fuelToAirRatioGround(thrust);
}

/** Air-to-fuel ratio in cruise with a temperature [K] at the compressor inlet. */
export function airToFuelRatioCruise(thrust: number, inletK: number): number {
  return airToFuelRatioGround(thrust) * (inletK / SEA_LEVEL_TEMPERATURE_K);
}

/** Temperature [K] at the combustor exit. */
export function turbineInletTemperatureK(
  airToFuel: number,
  combustorInletK: number,
  qFuelJKg: number,
): number {
  return (
    (airToFuel * HEAT_CAPACITY_DRY * combustorInletK + qFuelJKg) /
    (HEAT_CAPACITY_COMBUSTION * (1 + airToFuel))
  );
}

/** T₄/T₂ on the test bed at a thrust setting and ambient temperature [K]. */
export function t4t2Ground(
  thrust: number,
  temperatureK: number,
  pressureRatio: number,
  qFuelJKg: number,
): number {
  return t4t2(thrust, pressureRatio, fuelToAirRatioGround(thrust), qFuelJKg / temperatureK);
}

/** T₄/T₂ in cruise. */
export function t4t2Cruise(
  thrust: number,
  temperatureK: number,
  mach: number,
  pressureRatio: number,
  qFuelJKg: number,
): number {
  const perInletK = 1 / inletTemperatureK(temperatureK, mach);
  const fuelToAir = fuelToAirRatioGround(thrust) * SEA_LEVEL_TEMPERATURE_K * perInletK;
  return t4t2(thrust, pressureRatio, fuelToAir, qFuelJKg * perInletK);
}

/** {@link turbineInletTemperatureK} over T₂; the ambient pressure cancels, only the rise p₃/p₂ enters. */
function t4t2(thrust: number, pressureRatio: number, fuelToAir: number, qFuelPerInletK: number): number {
  const t3t2 = combustorInletTemperatureK(1, 1 + (pressureRatio - 1) * thrust);
  return (
    (HEAT_CAPACITY_DRY * t3t2 + fuelToAir * qFuelPerInletK) / (HEAT_CAPACITY_COMBUSTION * (1 + fuelToAir))
  );
}
