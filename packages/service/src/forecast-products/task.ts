/** The unit of work and of products: some levels at one hour of one run or of the reanalysis, for one aircraft. */

import { createHash } from 'node:crypto';
import {
  AIRCRAFT_CLASS_NAMES,
  aircraftName,
  COCIP_AIRCRAFT_TYPES,
  type GridAircraft,
  type PlannedAircraft,
} from '@contrails/engine/grid/aircraft';
import { FREE_SEGMENT, GRID_COCIP_PARAMS } from '@contrails/engine/grid/cocip-model';
import { type BoundingBox, FLIGHT_LEVELS, gridCells } from '@contrails/engine/grid/layout';
import { MODELING_VERSION } from '@contrails/engine/modeling-version';
import type { HumidityScalingChoice } from '@contrails/engine/weather/humidity-scaling';
import { oneOf } from '@contrails/platform/one-of';
import { type Static, Type } from 'typebox';
import { BOX_GROUP, PRODUCT_GROUP, type ProductGroup } from './manifest.ts';

const time = Type.Integer({ description: '[ms since 1970]' });

const boundingBox = Type.Object({
  minLon: Type.Number(),
  minLat: Type.Number(),
  maxLon: Type.Number(),
  maxLat: Type.Number(),
  crossesAntimeridian: Type.Boolean(),
});

/** Everything that a task depends on, so workers with any configuration produce the same result. */
export const forecastTask = Type.Object({
  source: Type.String(),
  /** Names the weather as it was when the task was planned (`generationOfChoice`); unknown where it could not be read. */
  weather: Type.Optional(Type.String()),
  /** Null for the reanalysis. */
  referenceTimeMs: Type.Union([time, Type.Null()]),
  validTimeMs: time,
  type: oneOf(COCIP_AIRCRAFT_TYPES),
  engineUid: Type.Optional(Type.String()),
  aircraftClass: Type.Optional(oneOf(AIRCRAFT_CLASS_NAMES)),
  flightLevels: Type.Array(Type.Integer()),
  cellsPerDegree: Type.Number(),
  humidityScaling: Type.Unsafe<HumidityScalingChoice>(Type.String()),
  /** Only the cells in this box; those of the globe without. */
  bbox: Type.Optional(boundingBox),
  /** Asked for by name: a newer run does not supersede it. */
  evenIfOld: Type.Boolean(),
});

export type ForecastTask = Static<typeof forecastTask>;

type EditionSettings = Pick<
  ForecastTask,
  'source' | 'weather' | 'cellsPerDegree' | 'humidityScaling' | 'bbox'
>;

/**
 * Names all that the numbers of a product depend on besides its run, hour, aircraft and levels: the weather, the model and
 * its settings. Products of one edition go together; those of two never do.
 */
export function editionOf(task: EditionSettings): string {
  const { source, weather = null, cellsPerDegree, humidityScaling, bbox } = task;
  const settings = [
    MODELING_VERSION,
    GRID_COCIP_PARAMS,
    FREE_SEGMENT,
    cellsPerDegree,
    humidityScaling,
    source,
    weather,
    ...(bbox === undefined ? [] : [boxOf(bbox, cellsPerDegree)]),
  ];
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 12);
}

/** Boxes around the same cell centres are one. */
function boxOf(bbox: BoundingBox, cellsPerDegree: number): unknown {
  const { columns, rows } = gridCells(bbox, [], cellsPerDegree);
  return [columns, rows];
}

/** Kinds of products in the catalogue. */
export function cocipKind(aircraft: GridAircraft): string {
  return `cocip.${aircraftName(aircraft)}`;
}

export function indexKind(aircraftClass: string): string {
  return `contrails.${aircraftClass}`;
}

export function regionsKind(aircraftClass: string): string {
  return `regions.${aircraftClass}`;
}

/** Kinds of products that are made for an aircraft. */
export function kindsOf(aircraft: PlannedAircraft): string[] {
  const { aircraftClass } = aircraft;
  const forecast = aircraftClass === undefined ? [] : [indexKind(aircraftClass), regionsKind(aircraftClass)];
  return [cocipKind(aircraft), ...forecast];
}

/** The same task always has the same name: of its job, and of its products in the store. */
export function taskName(task: ForecastTask): string {
  const { referenceTimeMs, validTimeMs, flightLevels } = task;
  const levels = levelsName(flightLevels);
  const aircraft = task.aircraftClass ?? aircraftName(task);
  return `${runName(referenceTimeMs)}/${hourName(validTimeMs)}/${aircraft}.${levels}.${editionOf(task)}`;
}

export function productKey(task: ForecastTask, kind: string, ending: string): string {
  const { referenceTimeMs, validTimeMs, flightLevels } = task;
  const levels = levelsName(flightLevels);
  return `${groupOf(task)}/${runName(referenceTimeMs)}/${hourName(validTimeMs)}/${kind}.${levels}.${editionOf(task)}.${ending}`;
}

/** `330-380`, or every level where some are left out in between. */
function levelsName(flightLevels: readonly number[]): string {
  const [first = 0, last = first] = [flightLevels[0], flightLevels.at(-1)];
  const isWhole = FLIGHT_LEVELS.indexOf(last) - FLIGHT_LEVELS.indexOf(first) === flightLevels.length - 1;
  return isWhole ? `${first}-${last}` : flightLevels.join('_');
}

/** Boxes are found by their edition alone, so they are kept apart from grids of the globe. */
export function groupOf({ bbox }: Pick<ForecastTask, 'bbox'>): ProductGroup {
  return bbox === undefined ? PRODUCT_GROUP : BOX_GROUP;
}

/** Keys of all products of a task. */
export function productKeys(task: ForecastTask): string[] {
  const { aircraftClass } = task;
  const cocip = productKey(task, cocipKind(task), 'nc');
  if (aircraftClass === undefined) return [cocip];
  return [
    cocip,
    productKey(task, indexKind(aircraftClass), 'nc'),
    productKey(task, regionsKind(aircraftClass), 'geojson'),
  ];
}

/** Part of the keys in the store: all products of a run begin with it. */
function runName(referenceTimeMs: number | null): string {
  return referenceTimeMs === null ? 'reanalysis' : hourName(referenceTimeMs);
}

/** `2026-01-01T0600` */
function hourName(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 16).replace(':', '');
}
