/** Survival of ice particles in the wake vortices after Lottermoser and Unterstrasser (2025); an option of the model. */
import { clip } from '../numerics/lerp.ts';

/** Cross-section of the plume behind an aircraft [m²]. */
export function plumeAreaM2(wingspanM: number): number {
  return 2 * Math.PI * (1.5 + 0.314 * wingspanM) ** 2;
}

/** Emitted water per volume of the plume [kg m⁻³]. */
export function emittedWaterDensity(fuelPerM: number, eiH2o: number, wingspanM: number): number {
  return (eiH2o * fuelPerM) / plumeAreaM2(wingspanM);
}

/** Length scale of ambient supersaturation [m]. */
export function ambientLengthM(temperatureK: number, rhi: number): number {
  return rhi > 1 ? 607.46 * (rhi - 1) ** 0.897 * (temperatureK / 205) ** 2.225 : 0;
}

/** Length scale of the emitted water [m]. */
export function emissionLengthM(temperatureK: number, waterDensity: number): number {
  const warmer = temperatureK - 205;
  return (
    1106.6 *
    (1e5 * waterDensity) ** (0.678 + 0.0116 * warmer) *
    Math.exp(-(0.0807 + 0.000428 * warmer) * warmer)
  );
}

/** Length scale [m] that decides the survival; descent is half the depth of the contrail. */
export function survivalLengthM(
  ambientM: number,
  emissionM: number,
  descentM: number,
  fuelPerM: number,
  activatedEiN: number,
  wingspanM: number,
): number {
  const reference = 3.38e12 / plumeAreaM2(60.3);
  const numberDensity = (fuelPerM * activatedEiN) / plumeAreaM2(wingspanM);
  const crowding = (reference / numberDensity) ** 0.16;
  return crowding * (1.27 * ambientM + 0.42 * emissionM) - 0.49 * descentM;
}

/** Share of the ice particles that survive. */
export function survivalFromLength(lengthM: number): number {
  return clip(0.42 + (1.31 / Math.PI) * Math.atan(-1 + lengthM / 100), 0, 1);
}
