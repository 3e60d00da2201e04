/** One time step of contrail points, the same for flights and grids: only the geometry of segments differs. */
import { advectLatitude, advectLevel, advectLongitude } from '../advection.ts';
import { saturationHumidityIce, tabulatedSaturationHumidityIce } from '../humidity.ts';
import { altitudeMFromLevel } from '../isa.ts';
import { airDensity, vapourDiffusivity } from '../thermodynamics.ts';
import {
  covariance,
  depthLimitedDiffusivity,
  energyForcingJ,
  horizontalVariance,
  mixedIceWaterContent,
  particlesPerM,
  stretchingRatio,
  verticalVariance,
} from './evolution.ts';
import { phaseRelaxationRate, sedimentedIceWaterContent } from './ice-budget.ts';
import type { CocipParams } from './params.ts';
import { effectiveAreaM2 } from './plume.ts';
import type { PlumeTable } from './plumes.ts';
import { updateProperties } from './properties.ts';
import type { ScaleHumidity, Weather } from './weather.ts';

const MAX_HEATING_K = 1.5;

/** How points make segments. Flights join neighbours; grid cells have a segment of their own or none. */
export interface SegmentGeometry {
  /** Fills `length`, `sinA`, `cosA` from the positions of all rows. */
  measure(plumes: PlumeTable, count: number): void;
  /** Brings segments and their shear up to date where rows have come or gone since they were measured. */
  relink?(plumes: PlumeTable, count: number, params: CocipParams): void;
  /** Fills `normalShear` from winds, depth and direction of all rows. */
  shearAcross(plumes: PlumeTable, count: number, params: CocipParams): void;
  /** What only this geometry has to move with the wind, before the points themselves move. */
  move?(plumes: PlumeTable, count: number, toMs: number, weather: Weather): void;
}

/** Scratch of the step, kept between steps. */
export interface StepScratch {
  widthBefore: Float64Array;
  forcingBefore: Float64Array;
  humidityBefore: Float64Array;
  saturationBefore: Float64Array;
  massBefore: Float64Array;
  lengthBefore: Float64Array;
  dtS: Float64Array;
  sunk: SunkAir | null;
}

/** Air at the place to which the particles sink, for the revised ice budget. */
interface SunkAir {
  level: Float64Array;
  pressure: Float64Array;
  temperature: Float64Array;
  humidity: Float64Array;
  rhi: Float64Array;
  /** Rate at which the particles take up vapour at the start of the step [s⁻¹]. */
  relaxation: Float64Array;
}

export function makeStepScratch(capacity: number, params: CocipParams): StepScratch {
  const column = () => new Float64Array(capacity);
  return {
    widthBefore: column(),
    forcingBefore: column(),
    humidityBefore: column(),
    saturationBefore: column(),
    massBefore: column(),
    lengthBefore: column(),
    dtS: column(),
    sunk: params.revisedContrailIceBudget
      ? {
          level: column(),
          pressure: column(),
          temperature: column(),
          humidity: column(),
          rhi: column(),
          relaxation: column(),
        }
      : null,
  };
}

/**
 * Brings all rows to a time: positions by the wind at the start, cross-section and particle number by closed
 * solutions with start-of-step coefficients, ice by a budget with the mean humidity, energy by the trapezoidal rule.
 * Who survives is decided by the caller.
 */
export function advancePlumes(
  plumes: PlumeTable,
  count: number,
  toMs: number,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
  geometry: SegmentGeometry,
  params: CocipParams,
  scratch: StepScratch,
): void {
  geometry.relink?.(plumes, count, params);
  geometry.move?.(plumes, count, toMs, weather);
  if (scratch.sunk !== null) sampleSunkAir(scratch.sunk, plumes, count, toMs, weather, scaleHumidity);
  movePlumes(plumes, count, toMs, scratch);
  geometry.measure(plumes, count);
  disperse(plumes, count, params, scratch);
  sampleAir(plumes, count, weather, scaleHumidity, params, scratch);
  growIce(plumes, count, scratch);
  updateProperties(plumes, count, weather, params);
  geometry.shearAcross(plumes, count, params);
  const { width, rfNet, length, energyForcing } = plumes;
  for (let i = 0; i < count; i++) {
    energyForcing[i] = energyForcingJ(
      scratch.widthBefore[i] as number,
      width[i] as number,
      scratch.forcingBefore[i] as number,
      rfNet[i] as number,
      scratch.dtS[i] as number,
      length[i] as number,
    );
  }
}

function movePlumes(p: PlumeTable, count: number, toMs: number, scratch: StepScratch): void {
  for (let i = 0; i < count; i++) {
    const dtS = (toMs - (p.timeMs[i] as number)) / 1000;
    const longitude = p.longitude[i] as number;
    const latitude = p.latitude[i] as number;
    const u = p.u[i] as number;
    const v = p.v[i] as number;
    const level = advectLevel(
      p.level[i] as number,
      p.omega[i] as number,
      p.density[i] as number,
      p.fallSpeed[i] as number,
      dtS,
    );
    scratch.dtS[i] = dtS;
    scratch.lengthBefore[i] = p.length[i] as number;
    p.longitude[i] = advectLongitude(longitude, latitude, u, v, dtS);
    p.latitude[i] = advectLatitude(longitude, latitude, u, v, dtS);
    p.level[i] = level;
    p.altitude[i] = altitudeMFromLevel(level);
    p.pressure[i] = 100 * level;
    p.timeMs[i] = toMs;
    p.age[i] = (toMs - (p.formationTimeMs[i] as number)) / 1000;
  }
}

/** Cross-section and particle number at the end of the step. */
function disperse(p: PlumeTable, count: number, params: CocipParams, scratch: StepScratch): void {
  for (let i = 0; i < count; i++) {
    const dtS = scratch.dtS[i] as number;
    const width = p.width[i] as number;
    const depth = p.depth[i] as number;
    const sigmaYz = p.sigmaYz[i] as number;
    const normalShear = p.normalShear[i] as number;
    const ratio = stretchingRatio(scratch.lengthBefore[i] as number, p.length[i] as number);
    const sigmaYy = (width * width) / 8;
    const sigmaZz = (depth * depth) / 8;
    const diffusivityV = depthLimitedDiffusivity(p.diffusivityV[i] as number, sigmaZz, dtS, params.maxDepthM);
    const yy = horizontalVariance(
      sigmaYy,
      sigmaZz,
      sigmaYz,
      normalShear,
      p.diffusivityH[i] as number,
      diffusivityV,
      dtS,
      ratio,
    );
    scratch.widthBefore[i] = width;
    scratch.forcingBefore[i] = p.rfNet[i] as number;
    p.width[i] = Math.sqrt(8 * yy);
    p.depth[i] = Math.sqrt(8 * verticalVariance(sigmaZz, diffusivityV, dtS));
    p.sigmaYz[i] = covariance(sigmaZz, sigmaYz, normalShear, diffusivityV, dtS, ratio);
    p.particles[i] = particlesPerM(
      p.particles[i] as number,
      p.aggregation[i] as number,
      p.turbulence[i] as number,
      dtS,
      ratio,
    );
  }
}

function sampleAir(
  p: PlumeTable,
  count: number,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
  params: CocipParams,
  scratch: StepScratch,
): void {
  for (let i = 0; i < count; i++) {
    scratch.humidityBefore[i] = p.humidity[i] as number;
    scratch.saturationBefore[i] = p.saturation[i] as number;
    scratch.massBefore[i] = p.massPerM[i] as number;
  }
  weather.sample([p.temperature, p.u, p.v, p.humidity, p.omega, p.cirrusOpticalDepth], p, count);
  if (params.radiativeHeatingEffects) heatAir(p, count, scratch);
  scaleHumidity(p.humidity, p.rhi, p.temperature, p.pressure, p.latitude, count);
  for (let i = 0; i < count; i++) {
    p.density[i] = airDensity(p.temperature[i] as number, p.pressure[i] as number);
    p.saturation[i] = tabulatedSaturationHumidityIce(p.temperature[i] as number, p.pressure[i] as number);
  }
}

function heatAir(p: PlumeTable, count: number, scratch: StepScratch): void {
  for (let i = 0; i < count; i++) {
    const dtS = scratch.dtS[i] as number;
    p.heat[i] = Math.min((p.heat[i] as number) + (p.heatingRate[i] as number) * dtS, MAX_HEATING_K);
    p.differentialHeat[i] =
      (p.differentialHeat[i] as number) - (p.differentialHeatingRate[i] as number) * dtS;
    p.temperature[i] = (p.temperature[i] as number) + (p.heat[i] as number);
  }
}

function growIce(p: PlumeTable, count: number, scratch: StepScratch): void {
  const { humidityBefore, saturationBefore, massBefore, widthBefore, sunk, dtS } = scratch;
  for (let i = 0; i < count; i++) {
    const area = effectiveAreaM2(p.width[i] as number, p.depth[i] as number, p.sigmaYz[i] as number);
    const mass = area * (p.density[i] as number);
    if (sunk === null) {
      p.iceWaterContent[i] = mixedIceWaterContent(
        p.iceWaterContent[i] as number,
        massBefore[i] as number,
        mass,
        humidityBefore[i] as number,
        p.humidity[i] as number,
        saturationBefore[i] as number,
        p.saturation[i] as number,
      );
      continue;
    }
    const areaBefore = p.area[i] as number;
    const sunkTemperature = sunk.temperature[i] as number;
    const sunkPressure = sunk.pressure[i] as number;
    p.iceWaterContent[i] = sedimentedIceWaterContent(
      p.iceWaterContent[i] as number,
      massBefore[i] as number,
      areaBefore * airDensity(sunkTemperature, sunkPressure),
      mass,
      humidityBefore[i] as number,
      sunk.humidity[i] as number,
      p.humidity[i] as number,
      saturationBefore[i] as number,
      saturationHumidityIce(sunkTemperature, sunkPressure),
      p.saturation[i] as number,
      areaBefore / (widthBefore[i] as number),
      p.fallSpeed[i] as number,
      sunk.relaxation[i] as number,
      dtS[i] as number,
    );
  }
}

/** Air where the particles sink to within the step, at the start place and time. */
function sampleSunkAir(
  sunk: SunkAir,
  p: PlumeTable,
  count: number,
  toMs: number,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
): void {
  const unusedWind = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const dtS = (toMs - (p.timeMs[i] as number)) / 1000;
    const level = advectLevel(p.level[i] as number, 0, p.density[i] as number, p.fallSpeed[i] as number, dtS);
    sunk.level[i] = level;
    sunk.pressure[i] = 100 * level;
  }
  weather.sample(
    [sunk.temperature, unusedWind, unusedWind, sunk.humidity],
    { ...p, level: sunk.level },
    count,
  );
  scaleHumidity(sunk.humidity, sunk.rhi, sunk.temperature, sunk.pressure, p.latitude, count);
  for (let i = 0; i < count; i++) {
    sunk.relaxation[i] = phaseRelaxationRate(
      p.radius[i] as number,
      p.particlesPerM3[i] as number,
      vapourDiffusivity(p.temperature[i] as number, p.pressure[i] as number),
    );
  }
}
