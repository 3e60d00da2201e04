/** A contrail grid for one request alone: nothing of it is stored. For commands, and for requests that differ from the forecast. */
import { type RegionFeature, thresholdTest } from '@contrails/formats';
import { isoSecond } from '@contrails/runtime';
import { ValidationError } from '@contrails/runtime/errors';
import type { Values } from '@contrails/runtime/options/query';
import { asRequestError } from '../weather/errors.ts';
import { chooseScaling, type HumidityScalingChoice } from '../weather/humidity-scaling.ts';
import type { CocipAircraftType } from './aircraft.ts';
import { AGE, cocipAttributes, treatmentAttributes, UNIT_VARIABLES } from './cocip-attributes.ts';
import { type CustomGrid, cellAircraft, MAX_AGE_HOURS } from './cocip-model.ts';
import type { GridBytes } from './compute-grid.ts';
import {
  type ComputedLevels,
  type ComputeRoom,
  computeLevels,
  type LevelsRequest,
  type WorkOptions,
} from './compute-levels.ts';
import { type GridFormat, type GridLayout, joinGeojson, joinKml, joinNetcdf } from './file.ts';
import { type GridCells, gridCells, widenedBy } from './layout.ts';
import { encodeLevel, type LevelEncoding, type PolygonShape } from './level.ts';
import { customParameters } from './parameters.ts';
import { levelProperties } from './properties.ts';
import { type GridTreatment, isTreated, reachOf, treatPlane } from './treatment.ts';
import { unknownCells, unknownCellWarnings } from './unknown-cells.ts';

type CustomQuery = Values<typeof customParameters>;

/** What a query asks for beyond the forecast; undefined where it is nothing. Throws a `ValidationError`. */
export function customOf(
  query: CustomQuery,
  type: CocipAircraftType,
  byDefault: HumidityScalingChoice,
): CustomGrid | undefined {
  const given = Object.keys(customParameters) as (keyof CustomQuery)[];
  if (given.every((name) => query[name] === undefined)) return undefined;
  const refuse = (name: string, msg: string) =>
    new ValidationError([{ loc: ['query', name], msg, type: 'value_error' }]);
  if ((query.fuel === 'SAF') !== (query.saf_blend_pct !== undefined))
    throw refuse('saf_blend_pct', 'fuel SAF and saf_blend_pct go together; give both or neither');
  const { aircraft_mass: mass } = query;
  const { operatingEmptyMassKg: min, maxTakeoffMassKg: max } = cellAircraft({ type }).type;
  if (mass !== undefined && !(mass >= min && mass <= max))
    throw refuse(
      'aircraft_mass',
      `aircraft_mass ${mass} is not possible for ${type}; give a number from ${min} to ${max} kg`,
    );
  return {
    scaling: chooseScaling(query, byDefault),
    dtIntegrationMinutes: query.dt_integration_minutes,
    maxAgeHours: query.max_age_hours,
    azimuthDeg: query.azimuth,
    safBlendPercent: query.saf_blend_pct,
    aircraftMassKg: mass,
  };
}

export interface GridOutput {
  readonly format: GridFormat;
  readonly layout: GridLayout;
  readonly threshold: number;
  readonly shape: PolygonShape;
  readonly treatment: GridTreatment;
}

/** Computes and encodes a grid; what its reader should know is in the warnings. */
export async function makeCustomGrid(
  room: ComputeRoom,
  request: LevelsRequest,
  output: GridOutput,
  options: WorkOptions = {},
): Promise<GridBytes> {
  const { cells } = request;
  const reached = isTreated(output.treatment) ? cellsAround(cells, output.treatment) : cells;
  const computed = await computeLevels(room, { ...request, cells: reached }, options).catch(
    (error: unknown) => {
      throw asRequestError(error, ['query', 'time']);
    },
  );
  return {
    chunks: await fileChunks(computed, request, output),
    warnings: warningsOf(computed, request),
  };
}

/** Cells with those around them that their treatment reads. */
function cellsAround(cells: GridCells, treatment: GridTreatment): GridCells {
  const { longitude, latitude, flightLevels, cellsPerDegree } = cells;
  const [south, north] = [latitude[0] as number, latitude.at(-1) as number];
  const { latitudeDeg, longitudeDeg } = reachOf(treatment, [south, north], cellsPerDegree);
  const [minLon, maxLon] = [longitude[0] as number, longitude.at(-1) as number];
  const box = { minLon, maxLon, minLat: south, maxLat: north, crossesAntimeridian: minLon > maxLon };
  return gridCells(widenedBy(box, longitudeDeg, latitudeDeg), flightLevels, cellsPerDegree);
}

/** A treated plane of the cells around, cut to those that are wanted. */
function treated(plane: Float32Array, around: GridCells, wanted: GridCells, treatment: GridTreatment) {
  const values = treatPlane(plane, around, treatment);
  const [columns, rows] = [around.longitude.length, around.latitude.length];
  const west = around.longitude.indexOf(wanted.longitude[0] as number);
  const south = around.latitude.indexOf(wanted.latitude[0] as number);
  const height = wanted.latitude.length;
  const cut = new Float32Array(wanted.longitude.length * height);
  for (let i = 0; i < wanted.longitude.length; i++) {
    const from = ((west + i) % columns) * rows + south;
    cut.set(values.subarray(from, from + height), i * height);
  }
  return cut;
}

/** The grid itself has no place for it: what is unknown in it is 0. */
function warningsOf(
  { hasWholeLives, weatherEndMs, cells, origin, report }: ComputedLevels,
  { custom }: LevelsRequest,
): string[] {
  const cellsOutside = report.cellsOutside.reduce((sum, count) => sum + count, 0);
  const total = cells.longitude.length * cells.latitude.length * cells.flightLevels.length;
  return [
    ...origin.warnings,
    ...(hasWholeLives
      ? []
      : [
          `${origin.name} ends at ${isoSecond(weatherEndMs)}, before contrails of ${custom?.maxAgeHours ?? MAX_AGE_HOURS} hours do: where they would live on, energy forcing and age are too small; get later weather`,
        ]),
    ...(cellsOutside === 0
      ? []
      : [
          `${cellsOutside} of ${total} cells lie outside ${origin.name}, and have no contrail in the grid; choose --bbox and --flight-level within it, as "contrails met list" shows it`,
        ]),
    ...unknownCellWarnings(unknownCells([], report.cellsWithoutForcing)),
  ];
}

async function fileChunks(
  { cells: around, efPerM: computed, ageHours, origin }: ComputedLevels,
  { cells, aircraft: { type }, timeMs, humidityScaling, custom }: LevelsRequest,
  { format, layout, threshold, shape, treatment }: GridOutput,
): Promise<Uint8Array[]> {
  const variable = UNIT_VARIABLES[treatment.prices?.unit ?? 'ef_per_m'];
  const hasAge = !isTreated(treatment);
  const efPerM = hasAge ? computed : computed.map((plane) => treated(plane, around, cells, treatment));
  const attributes: Record<string, string | number> = {
    ...cocipAttributes({ type, humidityScaling }, origin, custom),
    ...variable.attributes,
    ...treatmentAttributes(treatment),
  };
  const encode = (
    planes: readonly Float32Array[],
    encoding: LevelEncoding,
    properties: (flightLevel: number) => RegionFeature['properties'],
  ) =>
    cells.flightLevels.map((flightLevel, k) =>
      encodeLevel(
        { ...cells, values: planes[k] as Float32Array, flightLevel, properties: properties(flightLevel) },
        encoding,
      ),
    );
  if (format === 'netcdf') {
    const packed = (planes: readonly Float32Array[]) => encode(planes, { format, layout }, () => ({})).flat();
    const variables = [
      { ...variable, levels: packed(efPerM) },
      ...(hasAge ? [{ ...AGE, levels: packed(ageHours) }] : []),
    ];
    return joinNetcdf({ cells, timeMs, variables, attributes, layout });
  }
  const { name: _, ...about } = attributes;
  const properties = (flightLevel: number) =>
    levelProperties({ name: variable.name, flightLevel, timeMs, isoValue: threshold, attributes: about });
  const features = encode(efPerM, { format, test: thresholdTest(threshold), shape }, properties);
  const time = isoSecond(timeMs);
  return format === 'geojson'
    ? joinGeojson(features)
    : joinKml({ name: `cocip ${type} ${time}`, time }, features);
}

/** The cells of a request, and what holds for all of them. */
export function customRequest(
  query: {
    readonly timeMs: number;
    readonly bbox: Parameters<typeof gridCells>[0];
    readonly flightLevels: readonly number[];
    readonly aircraft: LevelsRequest['aircraft'];
    readonly source?: string | undefined;
    readonly cellsPerDegree?: number | undefined;
  },
  custom: CustomGrid | undefined,
  humidityScaling: HumidityScalingChoice,
): LevelsRequest {
  const { timeMs, bbox, flightLevels, aircraft, source, cellsPerDegree } = query;
  return {
    ...(source === undefined ? {} : { source }),
    timeMs,
    aircraft,
    cells: gridCells(bbox, flightLevels, cellsPerDegree),
    humidityScaling,
    partial: true,
    ...(custom === undefined ? {} : { custom }),
  };
}
