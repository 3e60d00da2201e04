/** A contrail grid for one request alone: nothing of it is stored. For commands, and for requests that differ from the forecast. */

import { limitsOf, MODEL_PARAMETERS } from '@contrails/engine/flights/parameter-table';
import type { CocipAircraftType } from '@contrails/engine/grid/aircraft';
import {
  type CustomGrid,
  cellAircraft,
  MAX_AGE_HOURS,
  TIME_STEP_MINUTES,
} from '@contrails/engine/grid/cocip-model';
import {
  type ComputedLevels,
  type ComputeRoom,
  computeLevels,
  type LevelsRequest,
  type WorkOptions,
} from '@contrails/engine/grid/compute-levels';
import {
  type GridFormat,
  type GridLayout,
  joinGeojson,
  joinKml,
  joinNetcdf,
} from '@contrails/engine/grid/file';
import { gridCells } from '@contrails/engine/grid/layout';
import { encodeLevel, type LevelEncoding, type PolygonShape } from '@contrails/engine/grid/level';
import { levelProperties } from '@contrails/engine/grid/properties';
import { humidityParameters } from '@contrails/engine/options/humidity-scaling';
import { asRequestError } from '@contrails/engine/weather/errors';
import { chooseScaling, type HumidityScalingChoice } from '@contrails/engine/weather/humidity-scaling';
import { type RegionFeature, thresholdTest } from '@contrails/formats';
import { chunksFile } from '@contrails/platform/http/chunks-file';
import type { File } from '@contrails/platform/http/files';
import { isoSecond } from '@contrails/runtime';
import { ValidationError } from '@contrails/runtime/errors';
import { choice } from '@contrails/runtime/options/choice';
import { number } from '@contrails/runtime/options/number';
import { optional } from '@contrails/runtime/options/parameter';
import type { Values } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import { AGE, cocipAttributes, EF_PER_M } from '../../forecast-products/attributes.ts';
import { unknownCells, unknownCellWarnings } from '../../forecast-products/warnings.ts';
import { SECONDS_PER_CELL } from './historical.ts';

/** What makes a grid one for a request alone. */
export const customParameters = {
  ...humidityParameters,
  dt_integration_minutes: optional(
    number({
      description: `Time step of the contrail model [min]; ${TIME_STEP_MINUTES} unless given.`,
      ...limitsOf(MODEL_PARAMETERS.dt_integration_minutes),
    }),
  ),
  max_age_hours: optional(
    number({
      description: `Longest life of a contrail [h]; ${MAX_AGE_HOURS} unless given.`,
      ...limitsOf(MODEL_PARAMETERS.max_age_hours, 'query'),
    }),
  ),
  azimuth: optional(
    number({
      description:
        'Direction of flight, clockwise from north [degrees]; about the mean over all directions unless given.',
      minimum: 0,
      maximum: 360,
    }),
  ),
  fuel: optional(choice(['JetA', 'SAF'], 'JetA unless given; SAF with saf_blend_pct.')),
  saf_blend_pct: optional(
    number({ description: 'Share of sustainable fuel [% by volume].', minimum: 0, maximum: 100 }),
  ),
  aircraft_mass: optional(
    number({
      description: 'Mass of the aircraft in every cell [kg]; that of nominal cruise unless given.',
      exclusiveMinimum: 0,
      maximum: 1_000_000,
    }),
  ),
  met_source: optional(text({ maxLength: 64, description: 'Name of a configured weather source.' })),
};

export type CustomQuery = Values<typeof customParameters>;

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
  const { operatingEmptyMassKg: least, maxTakeoffMassKg: most } = cellAircraft({ type }).type;
  if (mass !== undefined && !(mass >= least && mass <= most))
    throw refuse(
      'aircraft_mass',
      `aircraft_mass ${mass} is not possible for ${type}; give a number from ${least} to ${most} kg`,
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

/** Processor time of a grid, from that of the forecast; steps and lives are longer or shorter than there. */
export function refuseSlow(
  request: Pick<LevelsRequest, 'cells' | 'custom'>,
  threads: number,
  maxSeconds: number,
): void {
  const { cells, custom } = request;
  const count = cells.longitude.length * cells.latitude.length * cells.flightLevels.length;
  const steps =
    ((custom?.maxAgeHours ?? MAX_AGE_HOURS) / MAX_AGE_HOURS) *
    (TIME_STEP_MINUTES / (custom?.dtIntegrationMinutes ?? TIME_STEP_MINUTES));
  const seconds = (count * steps * SECONDS_PER_CELL) / threads;
  if (seconds <= maxSeconds) return;
  const msg = `this grid of ${count} cells takes about ${Math.ceil(seconds)} s to compute, and a request may take ${maxSeconds} s; give a smaller bbox, fewer flight levels or a longer dt_integration_minutes, or compute it with "contrails grid cocip"`;
  throw new ValidationError([{ loc: ['query', 'bbox'], msg, type: 'range' }]);
}

export interface GridOutput {
  readonly format: GridFormat;
  readonly layout: GridLayout;
  readonly threshold: number;
  readonly shape: PolygonShape;
}

/** Computes and encodes a grid; what its reader should know is in the warnings of the file. */
export async function makeCustomGrid(
  room: ComputeRoom,
  request: LevelsRequest,
  output: GridOutput,
  options: WorkOptions = {},
): Promise<File> {
  const computed = await computeLevels(room, request, options).catch((error: unknown) => {
    throw asRequestError(error, ['query', 'time']);
  });
  const file = await chunksFile(await fileChunks(computed, request, output), Date.now());
  return { ...file, warnings: warningsOf(computed, request) };
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
  { cells, efPerM, ageHours, origin }: ComputedLevels,
  { aircraft: { type }, timeMs, humidityScaling, custom }: LevelsRequest,
  { format, layout, threshold, shape }: GridOutput,
): Promise<Uint8Array[]> {
  const attributes = cocipAttributes({ type, humidityScaling }, origin, custom);
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
      { ...EF_PER_M, levels: packed(efPerM) },
      { ...AGE, levels: packed(ageHours) },
    ];
    return joinNetcdf({ cells, timeMs, variables, attributes, layout });
  }
  const { name: _, ...about } = attributes;
  const properties = (flightLevel: number) =>
    levelProperties({ name: EF_PER_M.name, flightLevel, timeMs, isoValue: threshold, attributes: about });
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
