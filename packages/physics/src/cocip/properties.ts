/** State of contrail points at an instant, from where they are and what they hold: weather, optics, motion, forcing. */
import { orbitalPosition, solarDirectRadiationInto, solarIrradiance } from '../solar.ts';
import {
  bruntVaisala,
  potentialTemperatureGradient,
  pressureBelow,
  windShear,
  windShearEnhancement,
} from '../stratification.ts';
import type { CocipParams } from './params.ts';
import {
  aggregationLoss,
  effectiveAreaM2,
  horizontalDiffusivity,
  opticalDepth,
  terminalFallSpeed,
  turbulentLoss,
  verticalDiffusivity,
  volumeMeanRadiusM,
} from './plume.ts';
import type { PlumeTable } from './plumes.ts';
import {
  FORCING_2012,
  type Forcing,
  type ForcingPoint,
  netForcing,
  weightedForcingInto,
  weightedForcingSingleInto,
} from './radiative-forcing.ts';
import { FORCING_2025 } from './radiative-forcing-2025.ts';
import {
  convectiveShare,
  convectiveVelocity,
  differentialHeatingRate,
  heatingRate,
  plumeHeatCapacity,
} from './radiative-heating.ts';
import type { Weather } from './weather.ts';

/** Below this cosine of the zenith angle the sun counts as set. */
const SUNSET_COSINE = 0.01;

/**
 * Fills the weather below the point, its radiation, and everything that follows from them. Position, cross-section, air,
 * ice, wind, pressure velocity and cirrus of the rows are already there.
 */
export function updateProperties(
  plumes: PlumeTable,
  count: number,
  weather: Weather,
  params: CocipParams,
): void {
  sampleBelow(plumes, count, weather, params);
  sampleRadiation(plumes, count, weather);
  updatePlumeProperties(plumes, count, params);
  updateForcing(plumes, count, params);
}

function sampleBelow(plumes: PlumeTable, count: number, weather: Weather, params: CocipParams): void {
  const { temperature, pressure, u, v, temperatureBelow, uBelow, vBelow, depth, thetaGradient, shear } =
    plumes;
  const levelBelow = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    levelBelow[i] = pressureBelow(temperature[i] as number, pressure[i] as number, params.dzM) / 100;
  }
  const { longitude, latitude, timeMs } = plumes;
  weather.sample(
    [temperatureBelow, uBelow, vBelow],
    { longitude, latitude, level: levelBelow, timeMs },
    count,
  );
  for (let i = 0; i < count; i++) {
    thetaGradient[i] = potentialTemperatureGradient(
      temperature[i] as number,
      pressure[i] as number,
      temperatureBelow[i] as number,
      100 * (levelBelow[i] as number),
      params.dzM,
    );
    shear[i] =
      windShear(u[i] as number, uBelow[i] as number, v[i] as number, vBelow[i] as number, params.dzM) *
      windShearEnhancement(
        depth[i] as number,
        params.effectiveVerticalResolutionM,
        params.windShearEnhancementExponent,
      );
  }
}

function sampleRadiation(plumes: PlumeTable, count: number, weather: Weather): void {
  const { longitude, latitude, timeMs, shortwave, longwave, sdr, rsr, olr } = plumes;
  weather.sampleRadiation(shortwave, longwave, plumes, count);
  solarDirectRadiationInto(
    sdr.subarray(0, count),
    longitude.subarray(0, count),
    latitude.subarray(0, count),
    timeMs.subarray(0, count),
    SUNSET_COSINE,
  );
  const upward = weather.radiationFamily === 'upward';
  const longwaveSign = weather.radiationFamily === 'net' ? -1 : 1;
  for (let i = 0; i < count; i++) {
    const sw = shortwave[i] as number;
    const lw = longwaveSign * (longwave[i] as number);
    rsr[i] = upward ? sw : Math.max((sdr[i] as number) - sw, 0);
    olr[i] = weather.radiationFamily === 'net' ? Math.max(lw, 0) : lw;
  }
}

function updatePlumeProperties(plumes: PlumeTable, count: number, params: CocipParams): void {
  const p = plumes;
  const point = emptyForcingPoint();
  for (let i = 0; i < count; i++) {
    const width = p.width[i] as number;
    const depth = p.depth[i] as number;
    const particles = p.particles[i] as number;
    const density = p.density[i] as number;
    const temperature = p.temperature[i] as number;
    const pressure = p.pressure[i] as number;
    const gradient = p.thetaGradient[i] as number;

    const area = effectiveAreaM2(width, depth, p.sigmaYz[i] as number);
    const effectiveDepth = area / width;
    const perM3 = particles / area;
    const radius = volumeMeanRadiusM(p.iceWaterContent[i] as number, perM3 / density);
    const tau = opticalDepth(radius, particles, width);
    const fallSpeed = terminalFallSpeed(radius, pressure, temperature);
    let turbulentVelocity = params.turbulentVerticalVelocityScale;
    p.opticalDepth[i] = tau;
    p.radius[i] = radius;
    if (params.radiativeHeatingEffects) {
      loadForcingPoint(point, p, i);
      const heatCapacity = plumeHeatCapacity(effectiveDepth, density);
      const rhi = p.rhi[i] as number;
      const differential = differentialHeatingRate(point, rhi, heatCapacity);
      p.heatingRate[i] = heatingRate(point, rhi, heatCapacity);
      p.differentialHeatingRate[i] = differential;
      const share = convectiveShare(p.differentialHeat[i] as number, gradient, depth);
      turbulentVelocity = Math.max(
        convectiveVelocity(differential * share, effectiveDepth, temperature),
        turbulentVelocity,
      );
    }
    const diffusivityH = limited(
      horizontalDiffusivity(p.shear[i] as number, depth),
      params.maxHorizontalDiffusivity,
    );
    const diffusivityV = limited(
      verticalDiffusivity(
        bruntVaisala(temperature, pressure, gradient),
        fallSpeed,
        effectiveDepth,
        turbulentVelocity,
        params.sedimentationImpactFactor,
      ),
      params.maxVerticalDiffusivity,
    );
    p.area[i] = area;
    p.massPerM[i] = area * density;
    p.fallSpeed[i] = fallSpeed;
    p.diffusivityH[i] = diffusivityH;
    p.diffusivityV[i] = diffusivityV;
    p.particlesPerM3[i] = perM3;
    p.aggregation[i] = aggregationLoss(radius, fallSpeed, area);
    p.turbulence[i] = turbulentLoss(diffusivityH, diffusivityV, width, depth, effectiveDepth);
  }
}

/** Radiative forcing of the rows from their optical depth, size and radiation. */
export function updateForcing(plumes: PlumeTable, count: number, params: CocipParams): void {
  const model = params.parametricRfModelS2025 ? FORCING_2025 : FORCING_2012;
  const weighted = params.singlePrecisionForcing ? weightedForcingSingleInto : weightedForcingInto;
  const { rfLw, rfSw, rfNet } = plumes;
  const point = emptyForcingPoint();
  const forcing: Forcing = { longwave: 0, shortwave: 0 };
  for (let i = 0; i < count; i++) {
    loadForcingPoint(point, plumes, i);
    weighted(forcing, point, model);
    rfLw[i] = forcing.longwave;
    rfSw[i] = forcing.shortwave;
    rfNet[i] = netForcing(
      forcing.longwave,
      forcing.shortwave,
      params.rfLwEnhancementFactor,
      params.rfSwEnhancementFactor,
      params.singlePrecisionForcing,
    );
  }
}

/** A forcing point to be loaded again and again; it remembers the solar constant of the last time it saw. */
interface ReusedPoint extends ForcingPoint {
  timeMs: number;
}

function emptyForcingPoint(): ReusedPoint {
  return {
    timeMs: Number.NaN,
    radiusUm: 0,
    temperatureK: 0,
    opticalDepth: 0,
    cirrusOpticalDepth: 0,
    olr: 0,
    rsr: 0,
    sdr: 0,
    solarConstant: 0,
  };
}

function loadForcingPoint(point: ReusedPoint, p: PlumeTable, i: number): void {
  point.radiusUm = 1e6 * (p.radius[i] as number);
  point.temperatureK = p.temperature[i] as number;
  point.opticalDepth = p.opticalDepth[i] as number;
  point.cirrusOpticalDepth = p.cirrusOpticalDepth[i] as number;
  point.olr = p.olr[i] as number;
  point.rsr = p.rsr[i] as number;
  point.sdr = p.sdr[i] as number;
  const timeMs = p.timeMs[i] as number;
  if (timeMs !== point.timeMs) {
    point.solarConstant = solarIrradiance(orbitalPosition(timeMs));
    point.timeMs = timeMs;
  }
}

function limited(value: number, limit: number | null): number {
  return limit === null ? value : Math.min(value, limit);
}
