/** Ice of the contrail when the wake vortices have gone (Schumann 2012, sections 2.1 and 2.3). */

import { tabulatedSaturationIce } from '../atmosphere/saturation-table.ts';
import { EPSILON, HEAT_CAPACITY_RATIO } from '../constants.ts';

/** Water vapour from the exhaust spread over the plume [kg kg⁻¹]; fuel burnt per metre in [kg m⁻¹]. */
export function exhaustHumidity(
  fuelPerM: number,
  eiH2o: number,
  widthM: number,
  depthM: number,
  airDensity: number,
): number {
  return (eiH2o * fuelPerM) / ((Math.PI / 4) * widthM * depthM * airDensity);
}

/** Ice water content at the flight level [kg kg⁻¹]. */
export function initialIceWaterContent(
  exhaust: number,
  specificHumidity: number,
  saturationHumidity: number,
): number {
  return Math.max(exhaust + specificHumidity - saturationHumidity, 0);
}

/** Temperature [K] of air brought adiabatically from p to p₁. */
export function adiabaticTemperatureK(
  temperatureK: number,
  pressurePa: number,
  loweredPressurePa: number,
): number {
  return temperatureK * (loweredPressurePa / pressurePa) ** ((HEAT_CAPACITY_RATIO - 1) / HEAT_CAPACITY_RATIO);
}

/** Ice that sublimates in the adiabatic descent from p to p₁ [kg kg⁻¹]. */
export function adiabaticIceLoss(
  temperatureK: number,
  pressurePa: number,
  loweredPressurePa: number,
): number {
  const warmed = adiabaticTemperatureK(temperatureK, pressurePa, loweredPressurePa);
  const loss =
    EPSILON *
    (tabulatedSaturationIce(warmed) / loweredPressurePa - tabulatedSaturationIce(temperatureK) / pressurePa);
  return Math.max(loss, 0);
}

/**
 * Share of the soot particles that form ice, from how far the air is below the formation threshold
 * (Bräuer et al. 2021); complete 5 K below it.
 */
export function activatedShare(temperatureK: number, criticalTemperatureK: number): number {
  const below = Math.min(temperatureK - criticalTemperatureK, 0);
  return below < -5 ? 1 : 1 - 0.661 * Math.exp(below);
}

/** Share of the ice particles that survive the descent; one half where either ice content is not positive. */
export function iceSurvival(iceWaterContent: number, loweredIceWaterContent: number): number {
  return iceWaterContent > 0 && loweredIceWaterContent > 0
    ? Math.min(loweredIceWaterContent / iceWaterContent, 1)
    : 0.5;
}

/** Whether a contrail is left to follow; ice supersaturation is not required. */
export function isInitiallyPersistent(loweredIceWaterContent: number, loweredRhi: number): boolean {
  return (
    loweredIceWaterContent > 1e-12 && loweredIceWaterContent < 1e10 && loweredRhi > 0 && loweredRhi < 1e10
  );
}
