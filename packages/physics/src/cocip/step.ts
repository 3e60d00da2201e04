/** One time step of contrail points, the same for flights and grids: only the geometry of segments differs. */

import { saturationHumidityIce } from '../atmosphere/humidity.ts';
import { airDensity, vapourDiffusivity } from '../atmosphere/thermodynamics.ts';
import { advectLatitude, advectLevel, advectLongitude, isPolar } from '../geodesy/advection.ts';
import { degreesToRadians } from '../units.ts';
import { phaseRelaxationRate, sedimentedIceWaterContent } from './ice-budget.ts';
import type { CocipParams } from './params.ts';
import { effectiveAreaM2 } from './plume.ts';
import type { PlumeTable } from './plumes.ts';
import { updateProperties } from './properties.ts';
import { runStage, setOptions, setRadiationPair, setTime } from './vector/index.ts';
import type { ScaleHumidity, Weather } from './weather.ts';

const MAX_HEATING_K = 1.5;

/** How points make segments. Flights join neighbours; grid cells have their own segment or none. */
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

/** Changes humidity of the weather at the points before it is scaled. */
export type AdjustHumidity = (humidity: Float64Array, plumes: PlumeTable, count: number) => void;

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

/**
 * Brings all rows to a time: positions by the wind at the start, cross-section and particle number by closed
 * solutions with start-of-step coefficients, ice by a budget with the mean humidity, energy by the trapezoidal rule.
 * The caller decides which plumes persist.
 */
export function advancePlumes(
  plumes: PlumeTable,
  count: number,
  toMs: number,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
  geometry: SegmentGeometry,
  params: CocipParams,
  adjustHumidity?: AdjustHumidity,
): void {
  setOptions(params);
  setTime(toMs);
  geometry.relink?.(plumes, count, params);
  geometry.move?.(plumes, count, toMs, weather);
  const sunk = params.revisedContrailIceBudget
    ? sampleSunkAir(plumes, count, toMs, weather, scaleHumidity, adjustHumidity)
    : null;
  movePlumes(plumes, count, toMs);
  geometry.measure(plumes, count);
  runStage('disperse', plumes, count);
  const located = weather.locate(plumes, count);
  located.sample(
    [plumes.temperature, plumes.u, plumes.v, plumes.humidity, plumes.omega, plumes.cirrusOpticalDepth],
    plumes.level,
    count,
  );
  adjustHumidity?.(plumes.humidity, plumes, count);
  if (params.radiativeHeatingEffects) heatAir(plumes, count);
  scaleHumidity(plumes.humidity, plumes.rhi, plumes.temperature, plumes.pressure, plumes.latitude, count);
  runStage('describeAir', plumes, count);
  if (sunk === null) runStage('mixIce', plumes, count);
  else growSinkingIce(plumes, count, sunk);
  runStage('shine', plumes, count);
  setRadiationPair(weather.radiationPair);
  updateProperties(plumes, count, located, params);
  geometry.shearAcross(plumes, count, params);
  runStage('addEnergy', plumes, count);
}

/** Where meridians converge the wind moves points on a plane, which few points need. */
function movePlumes(p: PlumeTable, count: number, toMs: number): void {
  const polar = polarMoves(p, count, toMs);
  runStage('move', p, count);
  for (const { row, longitude, latitude } of polar) {
    p.longitude[row] = longitude;
    p.latitude[row] = latitude;
    p.sineOfLatitude[row] = Math.sin(degreesToRadians(latitude));
    p.cosineOfLatitude[row] = Math.cos(degreesToRadians(latitude));
  }
}

function polarMoves({ longitude, latitude, u, v, timeMs }: PlumeTable, count: number, toMs: number) {
  const moves: { row: number; longitude: number; latitude: number }[] = [];
  for (let row = 0; row < count; row++) {
    const lat = latitude[row] as number;
    if (!isPolar(lat)) continue;
    const at = [longitude[row] as number, lat, u[row] as number, v[row] as number] as const;
    const dtS = (toMs - (timeMs[row] as number)) / 1000;
    moves.push({ row, longitude: advectLongitude(...at, dtS), latitude: advectLatitude(...at, dtS) });
  }
  return moves;
}

function heatAir(p: PlumeTable, count: number): void {
  for (let i = 0; i < count; i++) {
    const dtS = p.dtS[i] as number;
    p.heat[i] = Math.min((p.heat[i] as number) + (p.heatingRate[i] as number) * dtS, MAX_HEATING_K);
    p.differentialHeat[i] =
      (p.differentialHeat[i] as number) - (p.differentialHeatingRate[i] as number) * dtS;
    p.temperature[i] = (p.temperature[i] as number) + (p.heat[i] as number);
  }
}

function growSinkingIce(p: PlumeTable, count: number, sunk: SunkAir): void {
  for (let i = 0; i < count; i++) {
    const area = effectiveAreaM2(p.width[i] as number, p.depth[i] as number, p.sigmaYz[i] as number);
    const areaBefore = p.area[i] as number;
    const sunkTemperature = sunk.temperature[i] as number;
    const sunkPressure = sunk.pressure[i] as number;
    p.iceWaterContent[i] = sedimentedIceWaterContent(
      p.iceWaterContent[i] as number,
      p.massBefore[i] as number,
      areaBefore * airDensity(sunkTemperature, sunkPressure),
      area * (p.density[i] as number),
      p.humidityBefore[i] as number,
      sunk.humidity[i] as number,
      p.humidity[i] as number,
      p.saturationBefore[i] as number,
      saturationHumidityIce(sunkTemperature, sunkPressure),
      p.saturation[i] as number,
      areaBefore / (p.widthBefore[i] as number),
      p.fallSpeed[i] as number,
      sunk.relaxation[i] as number,
      p.dtS[i] as number,
    );
  }
}

/** Air where the particles sink to within the step, at the start place and time. */
function sampleSunkAir(
  p: PlumeTable,
  count: number,
  toMs: number,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
  adjustHumidity: AdjustHumidity | undefined,
): SunkAir {
  const column = () => new Float64Array(count);
  const sunk: SunkAir = {
    level: column(),
    pressure: column(),
    temperature: column(),
    humidity: column(),
    rhi: column(),
    relaxation: column(),
  };
  const unusedWind = column();
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
  adjustHumidity?.(sunk.humidity, p, count);
  scaleHumidity(sunk.humidity, sunk.rhi, sunk.temperature, sunk.pressure, p.latitude, count);
  for (let i = 0; i < count; i++) {
    sunk.relaxation[i] = phaseRelaxationRate(
      p.radius[i] as number,
      p.particlesPerM3[i] as number,
      vapourDiffusivity(p.temperature[i] as number, p.pressure[i] as number),
    );
  }
  return sunk;
}
