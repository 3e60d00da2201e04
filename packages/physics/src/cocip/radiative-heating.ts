/** Heating of the plume by the radiation it absorbs, and the convection that follows; an option of the model. */
import { GRAVITY_M_S2, HEAT_CAPACITY_DRY } from '../constants.ts';
import { cosineOfZenith, type ForcingPoint } from './radiative-forcing.ts';

/** Heat capacity of the plume per area [J m⁻² K⁻¹]. */
export function plumeHeatCapacity(effectiveDepthM: number, airDensity: number): number {
  return effectiveDepthM * airDensity * HEAT_CAPACITY_DRY;
}

/** Mean heating rate of the plume [K s⁻¹], not negative. */
export function heatingRate(point: ForcingPoint, rhi: number, heatCapacity: number): number {
  const { radiusUm: R, opticalDepth: tau, cirrusOpticalDepth: tauC, temperatureK: T, sdr, rsr, olr } = point;
  const mu = cosineOfZenith(point);
  const slant = mu + 1e-6;
  const shortwave = Math.max(
    ((1 - Math.exp(-0.0454176 * R)) *
      (0.0985031 * sdr + 0.0236688 * rsr) *
      (tau / slant) *
      (1 - 1.56899 * mu + 0.762254 * mu * mu) *
      Math.exp(0.87513 * tauC - (1.12445 * tauC) / slant) *
      Math.exp(-tau * (1 - mu) ** 2) *
      mu) /
      heatCapacity,
    0,
  );
  const moist = Math.exp(-(rhi - 0.9) * 0.0393884);
  const longwave = Math.max(
    ((Math.exp(-(rhi - 0.9) * 0.174422) *
      0.760423 *
      (olr / moist - 0.253499e-4 * T ** 2.9493 * moist) *
      (1 - Math.exp(-0.860746 * (tau + tauC)))) /
      0.860746 /
      heatCapacity) *
      Math.exp(-15.2075 * tauC) *
      (1 + 0.308486e-2 / (R + 30)),
    0,
  );
  return shortwave + longwave;
}

/** Heating of the upper over the lower half [K s⁻¹], not positive: negative values drive convection. */
export function differentialHeatingRate(point: ForcingPoint, rhi: number, heatCapacity: number): number {
  const { radiusUm: R, opticalDepth: tau, cirrusOpticalDepth: tauC, temperatureK: T, sdr, rsr, olr } = point;
  const mu = cosineOfZenith(point);
  const slant = mu + 1e-6;
  const shortwave =
    (((1 - Math.exp(-0.0631427 * R)) *
      (0.0339171 * sdr - 0.00517342 * rsr) *
      tau *
      (tau / slant - 0.882497 * tau) *
      (1 - 2.05747 * mu + 1.42104 * mu * mu + (0.898366 - 1) * mu ** 3)) /
      heatCapacity) *
    Math.exp(0.791045 * tauC - (0.612725 * tauC) / slant) *
    Math.exp(-1.78497 * tau * (1 - mu) ** 2.67568) *
    mu ** 0.26178 *
    (1 + 1.39286 * (1 - mu) ** 2);
  const longwave =
    (((-0.609262 / heatCapacity) *
      (olr - 0.159884e-6 * T ** 3.57181) *
      (1 - Math.exp(-1.98 * (tau + tauC)))) /
      1.98) *
    tau *
    Math.exp(-1e-6 * tauC) *
    Math.max(1 - (0.898529e-5 * 10) / (R + 30), 0) *
    (1 - Math.exp(-0.160286 * R)) *
    Math.exp(-(rhi - 0.9) * 0.0623019);
  return Math.min(shortwave + longwave, 0);
}

/**
 * Share of the differential heating that drives convection, from what has accumulated [K] against the
 * stratification across the plume [K]; the potential-temperature gradient is not clipped here.
 */
export function convectiveShare(
  accumulatedDifferentialK: number,
  thetaGradient: number,
  depthM: number,
): number {
  return accumulatedDifferentialK > 0
    ? accumulatedDifferentialK / (accumulatedDifferentialK + Math.max(0.5 * thetaGradient * depthM, 0))
    : 0;
}

/** Velocity of the convection in the plume [m s⁻¹] (Deardorff's scale). */
export function convectiveVelocity(
  effectiveHeatingRate: number,
  effectiveDepthM: number,
  temperatureK: number,
): number {
  return Math.cbrt(
    (GRAVITY_M_S2 * effectiveDepthM * effectiveDepthM * Math.max(-effectiveHeatingRate, 0)) / temperatureK,
  );
}
