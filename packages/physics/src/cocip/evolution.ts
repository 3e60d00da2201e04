/** What happens to a plume in one time step (Schumann 2012, section 2.5 to 2.7). Index 1: start, 2: end of the step. */

import { quickExp } from '../numerics/quick-exp.ts';

/** Stretching of a segment: its length before over its length after; 1 where there is no segment to compare. */
export function stretchingRatio(length1M: number, length2M: number): number {
  return length2M > 0 && Number.isFinite(length1M) ? length1M / length2M : 1;
}

/** Vertical diffusivity [m² s⁻¹] limited to keep the depth within its bound during the step. */
export function depthLimitedDiffusivity(
  diffusivityV: number,
  sigmaZz: number,
  dtS: number,
  maxDepthM: number | null,
): number {
  return maxDepthM === null
    ? diffusivityV
    : Math.min(diffusivityV, ((maxDepthM * maxDepthM) / 8 - sigmaZz) / (2 * dtS));
}

/** Horizontal variance [m²] after dt under diffusion and shear normal to the segment. */
export function horizontalVariance(
  sigmaYy: number,
  sigmaZz: number,
  sigmaYz: number,
  normalShear: number,
  diffusivityH: number,
  diffusivityV: number,
  dtS: number,
  ratio: number,
): number {
  const shear2 = normalShear * normalShear;
  const spread =
    (2 / 3) * shear2 * diffusivityV * dtS * dtS * dtS +
    shear2 * sigmaZz * dtS * dtS +
    2 * (diffusivityH + normalShear * sigmaYz) * dtS +
    sigmaYy;
  return spread * ratio * ratio;
}

/** Vertical variance [m²] after dt. */
export function verticalVariance(sigmaZz: number, diffusivityV: number, dtS: number): number {
  return 2 * diffusivityV * dtS + sigmaZz;
}

/** Covariance [m²] after dt. */
export function covariance(
  sigmaZz: number,
  sigmaYz: number,
  normalShear: number,
  diffusivityV: number,
  dtS: number,
  ratio: number,
): number {
  return (normalShear * diffusivityV * dtS * dtS + normalShear * sigmaZz * dtS + sigmaYz) * ratio;
}

/** Ice water content [kg kg⁻¹] after mixing with air of the mean ambient humidity; masses per metre in [kg m⁻¹]. */
export function mixedIceWaterContent(
  iceWaterContent1: number,
  massPerM1: number,
  massPerM2: number,
  humidity1: number,
  humidity2: number,
  saturation1: number,
  saturation2: number,
): number {
  const mixedIn = (massPerM2 - massPerM1) * 0.5 * (humidity1 + humidity2);
  return Math.max((massPerM1 * (iceWaterContent1 + saturation1) + mixedIn) / massPerM2 - saturation2, 0);
}

/** Particles per metre after dt: exact solution of dn/dt = −a n² − b n, a aggregation and b turbulent loss. */
export function particlesPerM(
  particles1: number,
  aggregation: number,
  turbulence: number,
  dtS: number,
  ratio: number,
): number {
  const n = Math.max(particles1, 0);
  const exponent = turbulence * dtS;
  // For very small turbulent loss the general form cancels; the limit leaves the stretching out, as published.
  if (exponent < 1e-5) return Math.max(n / (1 + aggregation * dtS * n), 0);
  const remaining = exponent < 80 ? quickExp(-exponent) : 0;
  return Math.max((ratio * turbulence * n * remaining) / (turbulence + aggregation * n * (1 - remaining)), 0);
}

/** Energy forcing [J] of a segment over a step, by the trapezoidal rule in width × forcing. */
export function energyForcingJ(
  width1M: number,
  width2M: number,
  rfNet1: number,
  rfNet2: number,
  dtS: number,
  length2M: number,
): number {
  return 0.5 * (width1M * rfNet1 + width2M * rfNet2) * dtS * length2M;
}
