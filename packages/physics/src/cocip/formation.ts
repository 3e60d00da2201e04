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
import { degreesToRadians } from '../units.ts';
import type { ContrailSources } from './contrail-sources.ts';
import { type FormationReport, makeReport } from './formation-report.ts';
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
import { initialWidthM, maxDescentM } from './wake-vortex.ts';
import type { ScaleHumidity, Weather } from './weather.ts';

export interface Formation {
  /** Young contrails, in the order of the sources; their weather and forcing are not filled in yet. */
  readonly plumes: Plumes;
  readonly report: FormationReport;
}

/** Wake vortices, ice and particles of every row that satisfies the criterion (or of all rows without the filter). */
export function formContrails(
  sources: ContrailSources,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
  params: CocipParams,
): Formation {
  const report = makeReport(sources.count);
  const rows = rowsThatForm(sources, params);
  const lowered = lowerThroughWake(sources, rows, report, weather, params);
  sampleLowered(lowered, rows, sources.humidityFactor, weather, scaleHumidity);
  const plumes = makePlumes(rows.length);
  for (let k = 0; k < rows.length; k++) {
    makeIce(sources, rows[k] as number, lowered, k, report, params);
    if (report.persistent1[rows[k] as number] === 1 || !params.filterInitiallyPersistent) {
      addPlume(plumes, sources, rows[k] as number, lowered, k, report);
    }
  }
  return { plumes, report };
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

/** Air at the place to which the wake vortices carry a contrail. */
interface LoweredPoints {
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly level: Float64Array;
  readonly timeMs: Float64Array;
  readonly pressure: Float64Array;
  readonly temperature: Float64Array;
  readonly humidity: Float64Array;
  readonly rhi: Float64Array;
}

function rowsThatForm(sources: ContrailSources, params: CocipParams): Uint32Array {
  const rows = new Uint32Array(sources.count);
  let found = 0;
  for (let i = 0; i < sources.count; i++) {
    if (!params.filterSac || sources.sac[i] === 1) rows[found++] = i;
  }
  return rows.subarray(0, found);
}

function lowerThroughWake(
  sources: ContrailSources,
  rows: Uint32Array,
  report: FormationReport,
  weather: Weather,
  params: CocipParams,
): LoweredPoints {
  const points = gatherPoints(sources, rows);
  const count = rows.length;
  const temperatureBelow = new Float64Array(count);
  const uBelow = new Float64Array(count);
  const vBelow = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    const i = rows[k] as number;
    points.level[k] =
      pressureBelow(sources.temperature[i] as number, sources.pressure[i] as number, params.dzM) / 100;
  }
  weather.sample([temperatureBelow, uBelow, vBelow], points, count);
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
    report.thetaGradient[i] = Math.max(gradient, 1e-6);
    report.shear[i] = shear;
    report.maxDescent[i] = descent;
    report.width[i] = initialWidthM(sources.wingspan[i] as number);
    report.depth[i] = depth;
    report.altitude1[i] = altitude;
    points.level[k] = levelFromAltitudeM(altitude);
    points.pressure[k] = 100 * (points.level[k] as number);
  }
  return points;
}

function gatherPoints(sources: ContrailSources, rows: Uint32Array): LoweredPoints {
  const column = () => new Float64Array(rows.length);
  const points = {
    longitude: column(),
    latitude: column(),
    level: column(),
    timeMs: column(),
    pressure: column(),
    temperature: column(),
    humidity: column(),
    rhi: column(),
  };
  for (let k = 0; k < rows.length; k++) {
    const i = rows[k] as number;
    points.longitude[k] = sources.longitude[i] as number;
    points.latitude[k] = sources.latitude[i] as number;
    points.timeMs[k] = sources.timeMs[i] as number;
  }
  return points;
}

function sampleLowered(
  lowered: LoweredPoints,
  rows: Uint32Array,
  humidityFactor: Float64Array | undefined,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
): void {
  const count = rows.length;
  const unused = new Float64Array(count);
  weather.sample([lowered.temperature, unused, unused, lowered.humidity], lowered, count);
  for (let k = 0; humidityFactor !== undefined && k < count; k++) {
    lowered.humidity[k] = (lowered.humidity[k] as number) * (humidityFactor[rows[k] as number] as number);
  }
  scaleHumidity(
    lowered.humidity,
    lowered.rhi,
    lowered.temperature,
    lowered.pressure,
    lowered.latitude,
    count,
  );
}

function makeIce(
  sources: ContrailSources,
  i: number,
  lowered: LoweredPoints,
  k: number,
  report: FormationReport,
  params: CocipParams,
): void {
  const temperature = sources.temperature[i] as number;
  const humidity = sources.humidity[i] as number;
  const pressure = sources.pressure[i] as number;
  const width = report.width[i] as number;
  const depth = report.depth[i] as number;
  const wingspan = sources.wingspan[i] as number;
  const eiH2o = sources.eiH2o[i] as number;
  const nvpmEiN = sources.nvpmEiN[i] as number;
  const fuelPerM = (sources.fuelFlow[i] as number) / (sources.trueAirspeed[i] as number);
  const exhaust = exhaustHumidity(fuelPerM, eiH2o, width, depth, airDensity(temperature, pressure));
  const ice = initialIceWaterContent(
    exhaust,
    humidity,
    tabulatedSaturationHumidityIce(temperature, pressure),
  );
  const loweredIce = Math.max(
    ice - adiabaticIceLoss(temperature, pressure, lowered.pressure[k] as number),
    0,
  );

  const activated = params.vpmActivation
    ? volatileActivation(temperature, pressure, humidity, sources.mixingSlope[i] as number, nvpmEiN)
    : nvpmEiN * activatedShare(temperature, sources.criticalTemperature[i] as number);
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

  report.temperature1[i] = lowered.temperature[k] as number;
  report.humidity1[i] = lowered.humidity[k] as number;
  report.rhi1[i] = lowered.rhi[k] as number;
  report.density1[i] = airDensity(lowered.temperature[k] as number, lowered.pressure[k] as number);
  report.iceWaterContent1[i] = loweredIce;
  report.particles0[i] = particles0;
  report.particles1[i] = particles0 * survival;
  report.survival[i] = survival;
  report.persistent1[i] = isInitiallyPersistent(loweredIce, lowered.rhi[k] as number) ? 1 : 0;
}

function addPlume(
  plumes: Plumes,
  sources: ContrailSources,
  i: number,
  lowered: LoweredPoints,
  k: number,
  report: FormationReport,
): void {
  const row = plumes.count++;
  const p = plumes.columns;
  const temperature = lowered.temperature[k] as number;
  const pressure = lowered.pressure[k] as number;
  p.flight[row] = sources.flight[i] as number;
  p.waypoint[row] = sources.waypoint[i] as number;
  p.formationTimeMs[row] = sources.timeMs[i] as number;
  p.timeMs[row] = sources.timeMs[i] as number;
  p.longitude[row] = sources.longitude[i] as number;
  p.latitude[row] = sources.latitude[i] as number;
  p.level[row] = lowered.level[k] as number;
  p.altitude[row] = report.altitude1[i] as number;
  p.pressure[row] = pressure;
  p.width[row] = report.width[i] as number;
  p.depth[row] = report.depth[i] as number;
  p.temperature[row] = temperature;
  p.humidity[row] = lowered.humidity[k] as number;
  p.rhi[row] = lowered.rhi[k] as number;
  p.density[row] = airDensity(temperature, pressure);
  p.saturation[row] = tabulatedSaturationHumidityIce(temperature, pressure);
  p.sigmaYz[row] = p.heat[row] = p.differentialHeat[row] = 0;
  p.heatingRate[row] = p.differentialHeatingRate[row] = 0;
  p.iceWaterContent[row] = report.iceWaterContent1[i] as number;
  p.particles[row] = report.particles1[i] as number;
  p.endOfLifeMs[row] = Number.NaN;
}
