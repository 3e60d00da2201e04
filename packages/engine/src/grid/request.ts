import type { WeatherRequest } from '@contrails/met';
import {
  type ChosenScaling,
  chooseScaling,
  type HumidityQuery,
  type HumidityScalingChoice,
} from '../weather/humidity-scaling.ts';
import type { GridLayout } from './file.ts';
import { type GridFormat, wholeSecond } from './file.ts';
import {
  type BoundingBox,
  columnCount,
  type GridCells,
  gridCells,
  pressureOf,
  widenedBox,
} from './layout.ts';
import { type PolygonQuery, type PolygonShape, polygonShape } from './level.ts';
import { type BinaryModel, DEFAULT_ENGINE_EFFICIENCY } from './models.ts';

/** The parsed parameters of a request. */
export interface BinaryQuery extends PolygonQuery, HumidityQuery {
  /** [ms since 1970] */
  readonly time: number;
  readonly flight_level: readonly number[];
  readonly bbox: BoundingBox | undefined;
  readonly format: GridFormat;
  readonly layout: GridLayout;
  readonly engine_efficiency?: number;
  /** Cells that regions are widened by. */
  readonly buffer: number;
  readonly met_source: string | undefined;
}

/** A request for a grid of flags, checked and complete. */
export interface BinaryRequest {
  readonly model: BinaryModel;
  /** [ms since 1970], a whole second. */
  readonly timeMs: number;
  readonly cells: GridCells;
  readonly format: GridFormat;
  readonly layout: GridLayout;
  readonly shape: PolygonShape;
  readonly engineEfficiency: number;
  readonly bufferCells: number;
  /** The cells with those around them that a buffer may reach from. */
  readonly reached: GridCells;
  readonly scaling: ChosenScaling;
  readonly source: string | undefined;
}

/** Throws `ValidationError` where parameters that are right by themselves do not go together. */
export function binaryRequest(
  model: BinaryModel,
  query: BinaryQuery,
  defaultScaling: HumidityScalingChoice,
): BinaryRequest {
  return {
    model,
    timeMs: wholeSecond(query.time),
    cells: gridCells(query.bbox, query.flight_level),
    format: query.format,
    layout: query.layout,
    shape: polygonShape(query),
    engineEfficiency: query.engine_efficiency ?? DEFAULT_ENGINE_EFFICIENCY,
    bufferCells: query.buffer,
    reached: gridCells(widenedBox(query.bbox, query.buffer), query.flight_level),
    scaling: chooseScaling(query, defaultScaling),
    source: query.met_source,
  };
}

/** Weather that covers a part of the cells will do; the others are unknown. */
export function weatherRequest(
  { timeMs, cells, source }: Pick<BinaryRequest, 'timeMs' | 'cells' | 'source'>,
  columns = columnCount(),
): WeatherRequest {
  const { longitude, latitude, flightLevels } = cells;
  const ends = (values: ArrayLike<number>): [number, number] => [
    values[0] as number,
    values[values.length - 1] as number,
  ];
  const [lowest, highest] = ends(flightLevels);
  return {
    for: 'formation',
    partial: true,
    time: [timeMs, timeMs],
    level: [pressureOf(highest), pressureOf(lowest)],
    latitude: ends(latitude),
    longitude: longitude.length === columns ? [-180, 180] : ends(longitude),
    ...(source === undefined ? {} : { source }),
  };
}
