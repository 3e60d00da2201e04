import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findAircraftType } from '@contrails/physics/aircraft';
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import {
  type CellAircraft,
  type CellSegment,
  type CocipParams,
  cellSources,
  DEFAULT_COCIP_PARAMS,
  followGridContrails,
  type GridContrails,
  type WeatherPoints,
  withinLevels,
} from '@contrails/physics/cocip';
import { createEmissionsModel, JET_A1, selectEngine } from '@contrails/physics/emissions';
import type { MetField } from '../../src/field/field.ts';
import type { RadiationField } from '../../src/interpolate/radiation-sampler.ts';
import { weatherOf } from '../../src/interpolate/weather.ts';
import { windowOfAxis } from './moving-windows.ts';
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
  readonly contrails: Pick<GridContrails, 'efPerM' | 'ageS'>;
}

/** A case with its weather in memory; cells are numbered longitude, latitude, level (ascending flight level). */
export interface OpenGridCase {
  readonly levels: readonly number[];
  readonly count: number;
  readonly field: MetField;
  readonly radiation: RadiationField;
  /** Between which the weather is looked at [hPa]. */
  readonly levelRange: readonly [top: number, bottom: number];
  readonly aircraft: CellAircraft;
  readonly segment: CellSegment;
  readonly params: CocipParams;
  /** Runs all cells of the case, or a choice of them in its own order. */
  run(cells?: readonly number[]): GridCaseResult;
}

/** `change` may put other radiation in place of that of the case. */
export async function openGridCase(
  folder: URL,
  file: CocipGridCase,
  change = (radiation: RadiationField): RadiationField => radiation,
): Promise<OpenGridCase> {
  const wrap = file.wrap ?? false;
  const whole = await readReferenceLevels(fileURLToPath(new URL(`${file.met}.met.nc`, folder)), wrap);
  const radiation = change(
    await readReferenceRadiation(fileURLToPath(new URL(`${file.met}.rad.nc`, folder)), wrap),
  );
  const levels = file.flight_levels ?? FLIGHT_LEVELS;
  const range = levelRange(whole.level.knots, levels, file.params.met_level_buffer);
  const weather = withinLevels(weatherOf(whole, radiation), range);
  const scale = scalingFrom(file.humidity_scaling);
  const aircraft = aircraftOf(file);
  const count = file.lon.length * file.lat.length * levels.length;
  const segment = segmentOf(file);
  const params = paramsOf(file);
  return {
    levels,
    count,
    field: whole,
    radiation,
    levelRange: range,
    aircraft,
    segment,
    params,
    run(cells = Array.from({ length: count }, (_, cell) => cell)) {
      const { sources, cells: rows } = cellSources(pointsOf(file, levels, cells), weather, scale, aircraft);
      const formed = followGridContrails(sources, weather, scale, segment, params);
      const contrails = { efPerM: new Float64Array(cells.length), ageS: new Float64Array(cells.length) };
      rows.forEach((row, k) => {
        contrails.efPerM[row] = formed.efPerM[k] as number;
        contrails.ageS[row] = formed.ageS[k] as number;
      });
      return { contrails };
    },
  };
}

function pointsOf(file: CocipGridCase, levels: readonly number[], cells: readonly number[]): WeatherPoints {
  const column = () => new Float64Array(cells.length);
  const points = { longitude: column(), latitude: column(), level: column(), timeMs: column() };
  cells.forEach((cell, row) => {
    const position = Math.floor(cell / levels.length);
    points.longitude[row] = file.lon[Math.floor(position / file.lat.length)] as number;
    points.latitude[row] = file.lat[position % file.lat.length] as number;
    points.level[row] = levelFromAltitudeFt(100 * (levels[cell % levels.length] as number));
  });
  points.timeMs.fill(Date.parse(`${file.time}:00Z`));
  return points;
}

function aircraftOf({ aircraft_type, engine_uid }: CocipGridCase): CellAircraft {
  const engine = selectEngine({
    aircraftType: aircraft_type,
    ...(engine_uid === null ? {} : { engineUid: engine_uid }),
  });
  return {
    type: findAircraftType(aircraft_type),
    emissions: createEmissionsModel(engine, JET_A1),
    fuel: JET_A1,
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
function levelRange(
  knots: Float64Array,
  flightLevels: readonly number[],
  buffer: readonly [number, number],
): [top: number, bottom: number] {
  const wanted = flightLevels.map((level) => levelFromAltitudeFt(100 * level));
  const [first, length] = windowOfAxis(knots, Math.min(...wanted), Math.max(...wanted), buffer);
  return [knots[first] as number, knots[first + length - 1] as number];
}
