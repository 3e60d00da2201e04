/** From waypoints that satisfy the formation criterion to young contrails after the wake-vortex phase. */
import { relativeHumidityIce, tabulatedSaturationHumidityIce } from '../atmosphere/humidity.ts';
import { altitudeMFromLevel, levelFromAltitudeM } from '../atmosphere/isa.ts';
import { directRadiation, makeSun, sunInto } from '../atmosphere/solar.ts';
import {
  bruntVaisala,
  potentialTemperatureGradient,
  pressureBelow,
  windShear,
} from '../atmosphere/stratification.ts';
import { airDensity } from '../atmosphere/thermodynamics.ts';
import { tabulatedCriticalTemperature } from '../formation/sac-columns.ts';
import { columnsOf } from '../numerics/reused-columns.ts';
import { degreesToRadians } from '../units.ts';
import type { ContrailSources } from './contrail-sources.ts';
import {
  ambientLengthM,
  emissionLengthM,
  emittedWaterDensity,
  survivalFromLength,
  survivalLengthM,
} from './ice-survival.ts';
import {
  activatedShare,
  adiabaticIceLoss,
  exhaustHumidity,
  iceSurvival,
  initialIceWaterContent,
  isInitiallyPersistent,
} from './initial-ice.ts';
import { type CocipParams, SUNSET_COSINE } from './params.ts';
import { makePlumes, type Plumes, type PlumeTable } from './plumes.ts';
import { updateProperties } from './properties.ts';
import type { SegmentGeometry } from './step.ts';
import { setOptions, setRadiationPair } from './vector/index.ts';
import { volatileActivation } from './volatile-activation.ts';
import { initialWidthM, maxDescentM, minDescentM } from './wake-vortex.ts';
import type { ScaleHumidity, Weather, WeatherPoints } from './weather.ts';

export interface Formation {
  /** Young contrails, in the order of the sources; their weather and forcing are not filled in yet. */
  readonly plumes: Plumes;
  readonly report: FormationReport;
}

export interface FormationReport {
  /** Of each row of the sources: 1, 0, or NaN outside the criterion. */
  readonly persistent1: Float64Array;
  /** Rows examined in full: none outside the criterion or without ice in any wake. */
  readonly rows: Uint32Array;
  readonly wakes: Readonly<Pick<WakePoints, 'thetaGradient' | 'maxDescent' | 'iceWaterContent'>>;
}

/** Wake vortices, ice and particles of every row that satisfies the criterion (or of all rows without the filter). */
export function formContrails(
  sources: ContrailSources,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
  params: CocipParams,
): Formation {
  const formed = rowsThatForm(sources, params);
  const rows = params.filterInitiallyPersistent ? rowsWithIce(sources, formed, weather, params) : formed;
  const persistent1 = new Float64Array(sources.count).fill(Number.NaN);
  for (let k = 0; k < formed.length; k++) persistent1[formed[k] as number] = 0;
  const wakes = lowerThroughWake(sources, rows, weather, params);
  sampleLowered(wakes, rows, sources.humidityFactor, weather, scaleHumidity);
  let persistent = 0;
  for (let k = 0; k < rows.length; k++) {
    makeIce(sources, rows[k] as number, wakes, k, params);
    if (!isInitiallyPersistent(wakes.iceWaterContent[k] as number, wakes.rhi[k] as number)) continue;
    persistent1[rows[k] as number] = 1;
    persistent++;
  }
  const plumes = makePlumes(params.filterInitiallyPersistent ? persistent : rows.length);
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k] as number;
    if (persistent1[row] === 1 || !params.filterInitiallyPersistent) addPlume(plumes, sources, row, wakes, k);
  }
  return { plumes, report: { persistent1, rows, wakes } };
}

/** Completes young contrails: wind and cirrus where they are, segments, properties and forcing. */
export function completeFormation(
  plumes: Plumes,
  weather: Weather,
  geometry: SegmentGeometry,
  params: CocipParams,
): void {
  const { columns, count } = plumes;
  const unused = new Float64Array(count);
  const located = weather.locate(columns, count);
  located.sample(
    [unused, columns.u, columns.v, unused, columns.omega, columns.cirrusOpticalDepth],
    columns.level,
    count,
  );
  setOptions(params);
  setRadiationPair(weather.radiationPair);
  prepareForStages(columns, count, params);
  geometry.measure(columns, count);
  updateProperties(columns, count, located, params);
  geometry.shearAcross(columns, count, params);
}

/** What a step has worked out before the stages at its end; young points have their own time each. */
function prepareForStages(p: PlumeTable, count: number, params: CocipParams): void {
  const sun = makeSun();
  for (let i = 0; i < count; i++) {
    const latitude = degreesToRadians(p.latitude[i] as number);
    const temperature = p.temperature[i] as number;
    const pressure = p.pressure[i] as number;
    const sine = Math.sin(latitude);
    const cosine = Math.cos(latitude);
    p.sineOfLatitude[i] = sine;
    p.cosineOfLatitude[i] = cosine;
    p.lnPressure[i] = Math.log(pressure);
    p.lnTemperature[i] = Math.log(temperature);
    p.levelBelow[i] = pressureBelow(temperature, pressure, params.dzM) / 100;
    sunInto(sun, p.timeMs[i] as number);
    p.solarIrradiance[i] = sun.irradiance;
    p.sdr[i] = directRadiation(sun, p.longitude[i] as number, sine, cosine, SUNSET_COSINE);
  }
}

function rowsThatForm(sources: ContrailSources, params: CocipParams): Uint32Array {
  const rows = new Uint32Array(sources.count);
  let found = 0;
  for (let i = 0; i < sources.count; i++) {
    if (!params.filterSac || sources.sac[i] === 1) rows[found++] = i;
  }
  return rows.subarray(0, found);
}

/** Room for rounding between a bound and what it bounds. */
const ROUNDING_MARGIN = 1.001;

/**
 * Without the rows whose air is so dry that the exhaust leaves no ice even in the smallest wake: most of those that satisfy
 * the criterion. They need no wind and no weather where the wake would carry them.
 */
function rowsWithIce(
  sources: ContrailSources,
  rows: Uint32Array,
  weather: Weather,
  params: CocipParams,
): Uint32Array {
  const count = rows.length;
  const column = columnsOf(count, 5);
  const points = pointsBelow(sources, rows, column, params);
  const temperatureBelow = column();
  weather.sample([temperatureBelow], points, count);
  const kept = new Uint32Array(count);
  let found = 0;
  for (let k = 0; k < count; k++) {
    const i = rows[k] as number;
    const temperature = sources.temperature[i] as number;
    const pressure = sources.pressure[i] as number;
    const wingspan = sources.wingspan[i] as number;
    const airspeed = sources.trueAirspeed[i] as number;
    const density = airDensity(temperature, pressure);
    const gradient = potentialTemperatureGradient(
      temperature,
      pressure,
      temperatureBelow[k] as number,
      100 * (points.level[k] as number),
      params.dzM,
    );
    const descent = minDescentM(
      wingspan,
      airspeed,
      sources.aircraftMass[i] as number,
      density,
      bruntVaisala(temperature, pressure, gradient),
    );
    const exhaust = exhaustHumidity(
      (sources.fuelFlow[i] as number) / airspeed,
      sources.eiH2o[i] as number,
      initialWidthM(wingspan),
      params.initialWakeVortexDepth * descent,
      density,
    );
    const deficit = tabulatedSaturationHumidityIce(temperature, pressure) - (sources.humidity[i] as number);
    // What is unknown is left to the stages that follow.
    if (!(ROUNDING_MARGIN * exhaust < deficit)) kept[found++] = i;
  }
  return kept.subarray(0, found);
}

/** Where the weather dz below rows is. */
function pointsBelow(
  sources: ContrailSources,
  rows: Uint32Array,
  column: () => Float64Array,
  { dzM }: CocipParams,
): WeatherPoints {
  const [longitude, latitude, level, timeMs] = [column(), column(), column(), column()];
  for (let k = 0; k < rows.length; k++) {
    const i = rows[k] as number;
    longitude[k] = sources.longitude[i] as number;
    latitude[k] = sources.latitude[i] as number;
    timeMs[k] = sources.timeMs[i] as number;
    level[k] = pressureBelow(sources.temperature[i] as number, sources.pressure[i] as number, dzM) / 100;
  }
  return { longitude, latitude, level, timeMs };
}

/** The wakes of rows, the air to which they carry a contrail, and the ice that is left there. */
interface WakePoints extends WeatherPoints {
  readonly width: Float64Array;
  readonly depth: Float64Array;
  readonly maxDescent: Float64Array;
  /** Clipped gradient of potential temperature [K m⁻¹] at the row. */
  readonly thetaGradient: Float64Array;
  /** Of the lowered contrail [m, Pa, K, kg kg⁻¹ (scaled), fraction]. */
  readonly altitude: Float64Array;
  readonly pressure: Float64Array;
  readonly temperature: Float64Array;
  readonly humidity: Float64Array;
  readonly rhi: Float64Array;
  /** [kg kg⁻¹, m⁻¹] */
  readonly iceWaterContent: Float64Array;
  readonly particles: Float64Array;
}

function lowerThroughWake(
  sources: ContrailSources,
  rows: Uint32Array,
  weather: Weather,
  params: CocipParams,
): WakePoints {
  const count = rows.length;
  const column = columnsOf(count, 18);
  const points = pointsBelow(sources, rows, column, params);
  const [temperatureBelow, uBelow, vBelow] = [column(), column(), column()];
  weather.sample([temperatureBelow, uBelow, vBelow], points, count);
  const wakes: WakePoints = {
    ...points,
    width: column(),
    depth: column(),
    maxDescent: column(),
    thetaGradient: column(),
    altitude: column(),
    pressure: column(),
    temperature: column(),
    humidity: column(),
    rhi: column(),
    iceWaterContent: column(),
    particles: column(),
  };
  for (let k = 0; k < count; k++) {
    const i = rows[k] as number;
    const temperature = sources.temperature[i] as number;
    const pressure = sources.pressure[i] as number;
    const gradient = potentialTemperatureGradient(
      temperature,
      pressure,
      temperatureBelow[k] as number,
      100 * (points.level[k] as number),
      params.dzM,
    );
    const shear = windShear(
      sources.u[i] as number,
      uBelow[k] as number,
      sources.v[i] as number,
      vBelow[k] as number,
      params.dzM,
    );
    const descent = maxDescentM(
      sources.wingspan[i] as number,
      sources.trueAirspeed[i] as number,
      sources.aircraftMass[i] as number,
      airDensity(temperature, pressure),
      bruntVaisala(temperature, pressure, gradient),
      shear,
      params.turbulentVerticalVelocityScale,
      params.effectiveVerticalResolutionM,
      params.windShearEnhancementExponent,
    );
    const depth = params.initialWakeVortexDepth * descent;
    const altitude = altitudeMFromLevel(sources.level[i] as number) - 0.5 * depth;
    wakes.thetaGradient[k] = Math.max(gradient, 1e-6);
    wakes.maxDescent[k] = descent;
    wakes.width[k] = initialWidthM(sources.wingspan[i] as number);
    wakes.depth[k] = depth;
    wakes.altitude[k] = altitude;
    wakes.level[k] = levelFromAltitudeM(altitude);
    wakes.pressure[k] = 100 * (wakes.level[k] as number);
  }
  return wakes;
}

function sampleLowered(
  wakes: WakePoints,
  rows: Uint32Array,
  humidityFactor: Float64Array | undefined,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
): void {
  const count = rows.length;
  const unused = new Float64Array(count);
  weather.sample([wakes.temperature, unused, unused, wakes.humidity], wakes, count);
  for (let k = 0; humidityFactor !== undefined && k < count; k++) {
    wakes.humidity[k] = (wakes.humidity[k] as number) * (humidityFactor[rows[k] as number] as number);
  }
  scaleHumidity(wakes.humidity, wakes.rhi, wakes.temperature, wakes.pressure, wakes.latitude, count);
}

function makeIce(
  sources: ContrailSources,
  i: number,
  wakes: WakePoints,
  k: number,
  params: CocipParams,
): void {
  const temperature = sources.temperature[i] as number;
  const humidity = sources.humidity[i] as number;
  const pressure = sources.pressure[i] as number;
  const width = wakes.width[k] as number;
  const depth = wakes.depth[k] as number;
  const wingspan = sources.wingspan[i] as number;
  const eiH2o = sources.eiH2o[i] as number;
  const nvpmEiN = sources.nvpmEiN[i] as number;
  const slope = sources.mixingSlope[i] as number;
  const fuelPerM = (sources.fuelFlow[i] as number) / (sources.trueAirspeed[i] as number);
  const exhaust = exhaustHumidity(fuelPerM, eiH2o, width, depth, airDensity(temperature, pressure));
  const ice = initialIceWaterContent(
    exhaust,
    humidity,
    tabulatedSaturationHumidityIce(temperature, pressure),
  );
  const loweredIce = Math.max(ice - adiabaticIceLoss(temperature, pressure, wakes.pressure[k] as number), 0);

  const activated = params.vpmActivation
    ? volatileActivation(temperature, pressure, humidity, slope, nvpmEiN)
    : nvpmEiN *
      activatedShare(
        temperature,
        tabulatedCriticalTemperature(sources.rh[i] as number, slope, sources.thresholdK[i] as number),
      );
  const bound = params.vpmActivation ? null : params.minIceParticleNumberNvpmEiN;
  const particles0 = fuelPerM * (bound === null ? activated : Math.max(activated, bound));
  const survival = params.unterstrasserIceSurvivalFraction
    ? survivalFromLength(
        survivalLengthM(
          ambientLengthM(temperature, relativeHumidityIce(humidity, temperature, pressure)),
          emissionLengthM(temperature, emittedWaterDensity(fuelPerM, eiH2o, wingspan)),
          0.5 * depth,
          fuelPerM,
          activated,
          wingspan,
        ),
      )
    : iceSurvival(ice, loweredIce);
  wakes.iceWaterContent[k] = loweredIce;
  wakes.particles[k] = particles0 * survival;
}

function addPlume(plumes: Plumes, sources: ContrailSources, i: number, wakes: WakePoints, k: number): void {
  const row = plumes.count++;
  const p = plumes.columns;
  const temperature = wakes.temperature[k] as number;
  const pressure = wakes.pressure[k] as number;
  p.flight[row] = sources.flight[i] as number;
  p.waypoint[row] = sources.waypoint[i] as number;
  p.formationTimeMs[row] = sources.timeMs[i] as number;
  p.timeMs[row] = sources.timeMs[i] as number;
  p.longitude[row] = sources.longitude[i] as number;
  p.latitude[row] = sources.latitude[i] as number;
  p.level[row] = wakes.level[k] as number;
  p.altitude[row] = wakes.altitude[k] as number;
  p.pressure[row] = pressure;
  p.width[row] = wakes.width[k] as number;
  p.depth[row] = wakes.depth[k] as number;
  p.temperature[row] = temperature;
  p.humidity[row] = wakes.humidity[k] as number;
  p.rhi[row] = wakes.rhi[k] as number;
  p.density[row] = airDensity(temperature, pressure);
  p.saturation[row] = tabulatedSaturationHumidityIce(temperature, pressure);
  p.sigmaYz[row] = p.heat[row] = p.differentialHeat[row] = 0;
  p.heatingRate[row] = p.differentialHeatingRate[row] = 0;
  p.iceWaterContent[row] = wakes.iceWaterContent[k] as number;
  p.particles[row] = wakes.particles[k] as number;
  p.endOfLifeMs[row] = Number.NaN;
}
