/** State of contrail points at an instant, from where they are and what they hold: weather, optics, motion, forcing. */
import { bruntVaisala } from '../atmosphere/stratification.ts';
import { habitTable, PUBLISHED_HABITS } from './habits.ts';
import type { CocipParams } from './params.ts';
import { turbulentLoss, verticalDiffusivity } from './plume.ts';
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
import { runStage } from './vector/index.ts';
import type { LocatedWeather } from './weather.ts';

/**
 * Fills the weather below the point, its radiation, and everything that follows from them. Position, cross-section, air,
 * ice, wind, pressure velocity, cirrus and the sun of the rows are already there, and the options of the stages are set.
 */
export function updateProperties(
  plumes: PlumeTable,
  count: number,
  weather: LocatedWeather,
  params: CocipParams,
): void {
  const { temperatureBelow, uBelow, vBelow, levelBelow, shortwave, longwave } = plumes;
  weather.sample([temperatureBelow, uBelow, vBelow], levelBelow, count);
  weather.sampleRadiation(shortwave, longwave, count);
  runStage('describeSurroundings', plumes, count);
  runStage('describePlumes', plumes, count);
  if (params.radiativeHeatingEffects) stirByRadiation(plumes, count, params);
  updateForcing(plumes, count, params);
}

/** Heating of the plumes by radiation, and the diffusion of the motion that it drives. */
export function stirByRadiation(p: PlumeTable, count: number, params: CocipParams): void {
  const point = emptyForcingPoint();
  for (let i = 0; i < count; i++) {
    loadForcingPoint(point, p, i);
    const width = p.width[i] as number;
    const depth = p.depth[i] as number;
    const temperature = p.temperature[i] as number;
    const gradient = p.thetaGradient[i] as number;
    const rhi = p.rhi[i] as number;
    const effectiveDepth = (p.area[i] as number) / width;
    const heatCapacity = plumeHeatCapacity(effectiveDepth, p.density[i] as number);
    const differential = differentialHeatingRate(point, rhi, heatCapacity);
    p.heatingRate[i] = heatingRate(point, rhi, heatCapacity);
    p.differentialHeatingRate[i] = differential;
    const share = convectiveShare(p.differentialHeat[i] as number, gradient, depth);
    const velocity = Math.max(
      convectiveVelocity(differential * share, effectiveDepth, temperature),
      params.turbulentVerticalVelocityScale,
    );
    const diffusivityV = Math.min(
      verticalDiffusivity(
        bruntVaisala(temperature, p.pressure[i] as number, gradient),
        p.fallSpeed[i] as number,
        effectiveDepth,
        velocity,
        params.sedimentationImpactFactor,
      ),
      params.maxVerticalDiffusivity ?? Number.POSITIVE_INFINITY,
    );
    p.diffusivityV[i] = diffusivityV;
    p.turbulence[i] = turbulentLoss(p.diffusivityH[i] as number, diffusivityV, width, depth, effectiveDepth);
  }
}

/** Radiative forcing of the rows from their optical depth, size and radiation. */
export function updateForcing(plumes: PlumeTable, count: number, params: CocipParams): void {
  const { radiusThresholdUm, habitDistributions } = params;
  const hasPublishedHabits = radiusThresholdUm === null && habitDistributions === null;
  if (radiusThresholdUm === null && !params.parametricRfModelS2025 && !params.singlePrecisionForcing) {
    runStage(hasPublishedHabits ? 'force' : 'forceByGivenHabits', plumes, count);
    return;
  }
  const model = params.parametricRfModelS2025 ? FORCING_2025 : FORCING_2012;
  const weighted = params.singlePrecisionForcing ? weightedForcingSingleInto : weightedForcingInto;
  const habits = hasPublishedHabits ? PUBLISHED_HABITS : habitTable(radiusThresholdUm, habitDistributions);
  const { rfLw, rfSw, rfNet } = plumes;
  const point = emptyForcingPoint();
  const forcing: Forcing = { longwave: 0, shortwave: 0 };
  for (let i = 0; i < count; i++) {
    loadForcingPoint(point, plumes, i);
    weighted(forcing, point, model, habits);
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

function emptyForcingPoint(): ForcingPoint {
  return {
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

function loadForcingPoint(point: ForcingPoint, p: PlumeTable, i: number): void {
  point.radiusUm = 1e6 * (p.radius[i] as number);
  point.temperatureK = p.temperature[i] as number;
  point.opticalDepth = p.opticalDepth[i] as number;
  point.cirrusOpticalDepth = p.cirrusOpticalDepth[i] as number;
  point.olr = p.olr[i] as number;
  point.rsr = p.rsr[i] as number;
  point.sdr = p.sdr[i] as number;
  point.solarConstant = p.solarIrradiance[i] as number;
}
