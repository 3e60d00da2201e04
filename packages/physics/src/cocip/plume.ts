/**
 * Properties of a plume cross-section at an instant (Schumann 2012, section 2.4 to 2.9).
 * B width [m], D depth [m], S covariance σ_yz [m²], n ice particles per metre of flight path [m⁻¹].
 */
import {
  ICE_DENSITY_KG_M3,
  ICE_REFRACTIVE_INDEX,
  VISIBLE_WAVELENGTH_M,
  VOLUME_TO_EFFECTIVE_RADIUS,
} from '../constants.ts';
import { quickPower, tabulatePower } from '../numerics/quick-power.ts';

const CUBE_ROOT = /* @__PURE__ */ tabulatePower(1 / 3);
const POWER_042 = /* @__PURE__ */ tabulatePower(0.42);
const POWER_057 = /* @__PURE__ */ tabulatePower(0.57);
const POWER_031 = /* @__PURE__ */ tabulatePower(0.31);
const POWER_0178 = /* @__PURE__ */ tabulatePower(0.178);
const POWER_0394 = /* @__PURE__ */ tabulatePower(0.394);

/** Effective cross-section [m²] of a Gaussian plume. */
export function effectiveAreaM2(widthM: number, depthM: number, sigmaYz: number): number {
  return 2 * Math.PI * Math.sqrt((widthM * widthM * depthM * depthM) / 64 - sigmaYz * sigmaYz);
}

/**
 * Volume-mean radius of the ice particles [m] from their number per mass of air [kg⁻¹]. Where there is no ice the
 * radius is the (not positive) ice content, then raised to 1e−10 m.
 */
export function volumeMeanRadiusM(iceWaterContent: number, particlesPerKg: number): number {
  const radius =
    iceWaterContent <= 0
      ? iceWaterContent
      : quickPower(((3 / (4 * Math.PI)) * (iceWaterContent / ICE_DENSITY_KG_M3)) / particlesPerKg, CUBE_ROOT);
  return Math.max(radius, 1e-10);
}

/** Phase delay of visible light through a particle, at most 100. */
export function phaseDelay(radiusM: number): number {
  return Math.min((4 * Math.PI * (ICE_REFRACTIVE_INDEX - 1) * radiusM) / VISIBLE_WAVELENGTH_M, 100);
}

/** Extinction efficiency (van de Hulst's anomalous diffraction). */
export function extinctionEfficiency(phase: number): number {
  return 2 - (4 / phase) * (Math.sin(phase) - (1 - Math.cos(phase)) / phase);
}

/** Optical depth of the contrail. */
export function opticalDepth(radiusM: number, particlesPerM: number, widthM: number): number {
  if (radiusM <= 1e-9) return 0;
  const tau =
    VOLUME_TO_EFFECTIVE_RADIUS *
    Math.PI *
    radiusM *
    radiusM *
    (particlesPerM / widthM) *
    extinctionEfficiency(phaseDelay(radiusM));
  return Math.max(tau, 0);
}

/** Mass of one ice particle [kg]. */
export function particleMassKg(radiusM: number): number {
  return (4 / 3) * Math.PI * radiusM * radiusM * radiusM * ICE_DENSITY_KG_M3;
}

/** Terminal fall speed of ice particles [m s⁻¹] (Spichtinger and Gierens 2009, eq. 18). */
export function terminalFallSpeed(radiusM: number, pressurePa: number, temperatureK: number): number {
  const m = particleMassKg(radiusM);
  let alpha: number;
  if (m < 2.146e-13) alpha = 735.4 * quickPower(m, POWER_042);
  else if (m < 2.166e-9) alpha = 63_292.4 * quickPower(m, POWER_057);
  else if (m < 4.264e-8) alpha = 329.8 * quickPower(m, POWER_031);
  else alpha = 8.8 * m ** 0.096;
  const thinAir = quickPower(30_000 / pressurePa, POWER_0178) * quickPower(233 / temperatureK, POWER_0394);
  return alpha * thinAir;
}

/** Horizontal diffusivity [m² s⁻¹] from the enhanced shear [s⁻¹]. */
export function horizontalDiffusivity(enhancedShear: number, depthM: number): number {
  return 0.1 * enhancedShear * depthM * depthM;
}

/** Vertical diffusivity [m² s⁻¹]; the stratification counts as at least 0.001 s⁻¹. */
export function verticalDiffusivity(
  bruntVaisala: number,
  fallSpeed: number,
  effectiveDepthM: number,
  turbulentVelocity: number,
  sedimentationImpactFactor: number,
): number {
  return (
    (turbulentVelocity * turbulentVelocity) / Math.max(bruntVaisala, 0.001) +
    sedimentationImpactFactor * fallSpeed * effectiveDepthM
  );
}

/** Loss of particles by aggregation, per particle and metre of path [m s⁻¹]. */
export function aggregationLoss(radiusM: number, fallSpeed: number, areaM2: number): number {
  return (8 * Math.PI * radiusM * radiusM * fallSpeed) / areaM2;
}

/** Loss of particles by turbulence [s⁻¹]. */
export function turbulentLoss(
  diffusivityH: number,
  diffusivityV: number,
  widthM: number,
  depthM: number,
  effectiveDepthM: number,
): number {
  const larger = Math.max(widthM, depthM);
  return (
    0.1 * Math.abs(diffusivityH / (larger * larger) + diffusivityV / (effectiveDepthM * effectiveDepthM))
  );
}
