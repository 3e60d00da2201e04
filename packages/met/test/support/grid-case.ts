import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type CellSegment,
  type CocipParams,
  type ContrailSources,
  createEmissionsModel,
  criticalTemperature,
  DEFAULT_COCIP_PARAMS,
  emissionIndicesInto,
  findAircraftType,
  followGridContrails,
  type GridContrails,
  JET_A1,
  levelFromAltitudeFt,
  nominalCruiseInto,
  type ScaleHumidity,
  sacInto,
  selectEngine,
  type Weather,
} from '@contrails/physics';
import type { MetField } from '../../src/field.ts';
import { cutField, windowOfAxis } from '../../src/moving-windows.ts';
import { weatherOf } from '../../src/weather.ts';
import { readReferenceLevels, readReferenceRadiation } from './reference-met.ts';
import { scalingFrom } from './scaling.ts';

const FLIGHT_LEVELS = Array.from({ length: 18 }, (_, i) => 270 + 10 * i);

export interface CocipGridCase {
  readonly name: string;
  readonly met: string;
  readonly wrap?: boolean;
  readonly time: string;
  readonly lon: number[];
  readonly lat: number[];
  readonly flight_levels?: number[];
  readonly aircraft_type: string;
  readonly engine_uid: string | null;
  readonly humidity_scaling: { name: string; rhi_adj?: number } | null;
  readonly params: {
    dt_integration_min: number;
    max_age_h: number;
    azimuth: number | null;
    segment_length: number | null;
    dsn_dz_factor: number;
    min_altitude_m: number | null;
    max_altitude_m: number | null;
    met_level_buffer: [number, number];
  };
}

/** Where the gridded cases are, or undefined when this checkout has not got them. */
export function gridFolder(): URL | undefined {
  const place = new URL('../../../../../shared/reference/grid/', import.meta.url);
  return existsSync(place) ? place : undefined;
}

export function gridCases(folder: URL): readonly CocipGridCase[] {
  return JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')).cocip;
}

export interface GridCaseResult {
  readonly sources: ContrailSources;
  readonly contrails: GridContrails;
}

/** A case with its weather in memory; cells are numbered longitude, latitude, level (ascending flight level). */
export interface OpenGridCase {
  readonly levels: readonly number[];
  readonly count: number;
  /** Runs all cells of the case, or a choice of them in its own order. */
  run(cells?: readonly number[]): GridCaseResult;
}

export async function openGridCase(folder: URL, file: CocipGridCase): Promise<OpenGridCase> {
  const wrap = file.wrap ?? false;
  const whole = await readReferenceLevels(fileURLToPath(new URL(`${file.met}.met.nc`, folder)), wrap);
  const radiation = await readReferenceRadiation(fileURLToPath(new URL(`${file.met}.rad.nc`, folder)), wrap);
  const levels = file.flight_levels ?? FLIGHT_LEVELS;
  const weather = weatherOf(cutLevels(whole, levels, file.params.met_level_buffer), radiation);
  const scale = scalingFrom(file.humidity_scaling);
  const count = file.lon.length * file.lat.length * levels.length;
  return {
    levels,
    count,
    run(cells = Array.from({ length: count }, (_, cell) => cell)) {
      const sources = sourcesOf(file, levels, cells, weather, scale);
      return {
        sources,
        contrails: followGridContrails(sources, weather, scale, segmentOf(file), paramsOf(file)),
      };
    },
  };
}

function sourcesOf(
  file: CocipGridCase,
  levels: readonly number[],
  cells: readonly number[],
  weather: Weather,
  scale: ScaleHumidity,
): ContrailSources {
  const count = cells.length;
  const column = () => new Float64Array(count);
  const points = { longitude: column(), latitude: column(), level: column(), timeMs: column() };
  cells.forEach((cell, row) => {
    const position = Math.floor(cell / levels.length);
    points.longitude[row] = file.lon[Math.floor(position / file.lat.length)] as number;
    points.latitude[row] = file.lat[position % file.lat.length] as number;
    points.level[row] = levelFromAltitudeFt(100 * (levels[cell % levels.length] as number));
  });
  points.timeMs.fill(Date.parse(`${file.time}:00Z`));
  const pressure = points.level.map((hpa) => 100 * hpa);
  const [temperature, u, v, humidity, rhi] = [column(), column(), column(), column(), column()];
  weather.sample([temperature, u, v, humidity], points, count);
  scale(humidity, rhi, temperature, pressure, points.latitude, count);

  const aircraft = findAircraftType(file.aircraft_type);
  const cruise = {
    aircraftMassKg: column(),
    engineEfficiency: column(),
    fuelFlowKgS: column(),
    trueAirspeedMS: column(),
  };
  nominalCruiseInto(cruise, aircraft, pressure, temperature);
  const engine = selectEngine({
    aircraftType: file.aircraft_type,
    ...(file.engine_uid === null ? {} : { engineUid: file.engine_uid }),
  });
  const indices = {
    thrustSetting: column(),
    noxEi: column(),
    coEi: column(),
    hcEi: column(),
    nvpmEiM: column(),
    nvpmEiN: column(),
  };
  emissionIndicesInto(
    indices,
    {
      trueAirspeedMS: cruise.trueAirspeedMS,
      airTemperatureK: temperature,
      airPressurePa: pressure,
      specificHumidity: humidity,
      fuelFlowPerEngineKgS: cruise.fuelFlowKgS.map((flow) => flow / aircraft.engineCount),
    },
    createEmissionsModel(engine, JET_A1),
  );
  const [sac, slope, thresholdK, rh] = [column(), column(), column(), column()];
  sacInto(
    { sac, slope, thresholdK, rh },
    {
      specificHumidity: humidity,
      temperatureK: temperature,
      pressurePa: pressure,
      engineEfficiency: cruise.engineEfficiency,
      eiH2o: JET_A1.eiH2o,
      qFuelJKg: JET_A1.qFuelJKg,
    },
    'grid',
  );
  return {
    ...points,
    count,
    flight: column(),
    waypoint: column().map((_, i) => i),
    temperature,
    humidity,
    u,
    v,
    sac,
    mixingSlope: slope,
    criticalTemperature: rh.map((value, i) =>
      criticalTemperature(value, slope[i] as number, thresholdK[i] as number),
    ),
    trueAirspeed: cruise.trueAirspeedMS,
    fuelFlow: cruise.fuelFlowKgS,
    aircraftMass: cruise.aircraftMassKg,
    wingspan: column().fill(aircraft.wingspanM),
    nvpmEiN: indices.nvpmEiN,
    eiH2o: column().fill(JET_A1.eiH2o),
  };
}

function segmentOf({ params }: CocipGridCase): CellSegment {
  return params.azimuth === null || params.segment_length === null
    ? { kind: 'free', normalShearShare: params.dsn_dz_factor }
    : { kind: 'directed', azimuthDeg: params.azimuth, lengthM: params.segment_length };
}

function paramsOf({ params }: CocipGridCase): CocipParams {
  return {
    ...DEFAULT_COCIP_PARAMS,
    dtIntegrationS: params.dt_integration_min * 60,
    maxAgeS: params.max_age_h * 3600,
    minAltitudeM: params.min_altitude_m,
    maxAltitudeM: params.max_altitude_m,
    singlePrecisionForcing: true,
  };
}

/** The reference lets contrails leave the levels around the source by a buffer only. */
function cutLevels(
  field: MetField,
  flightLevels: readonly number[],
  buffer: readonly [number, number],
): MetField {
  const wanted = flightLevels.map((level) => levelFromAltitudeFt(100 * level));
  return cutField(field, {
    longitude: [0, field.longitude.knots.length],
    latitude: [0, field.latitude.knots.length],
    level: windowOfAxis(field.level.knots, Math.min(...wanted), Math.max(...wanted), buffer),
    time: [0, field.time.knots.length],
  });
}
