/** The grid that all gridded products lie on: cell centres every quarter of a degree, on the 18 flight levels. */
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import { ValidationError } from '../errors.ts';
import type { BoundingBox } from '../http/params/bbox.ts';
import { FLIGHT_LEVELS } from '../http/params/flight-level.ts';

export const CELLS_PER_DEGREE = 4;
/** −180, −179.75, …, 179.75; +180 is not repeated. */
export const GRID_COLUMNS = 360 * CELLS_PER_DEGREE;
/** −90, −89.75, …, 90. */
export const GRID_ROWS = 180 * CELLS_PER_DEGREE + 1;

/** Neighbouring columns or rows of the whole grid. */
export interface Stretch {
  readonly first: number;
  readonly count: number;
}

/** A part of the grid, or all of it. */
export interface GridCells {
  /** [°], from west to east; across the antimeridian it goes on with −180. */
  readonly longitude: Float64Array;
  /** [°], increasing. */
  readonly latitude: Float64Array;
  /** [hectofeet], increasing. */
  readonly flightLevels: readonly number[];
  /** Where the longitudes are in the whole grid: one stretch, or two across the antimeridian. */
  readonly columns: readonly Stretch[];
  readonly rows: Stretch;
}

/** The cells whose centres lie in a box, its edges included; without a box those of the whole grid. */
export function gridCells(
  box: BoundingBox | undefined,
  flightLevels: readonly number[] = FLIGHT_LEVELS,
): GridCells {
  const rows = box === undefined ? { first: 0, count: GRID_ROWS } : rowsOf(box);
  const columns = (box === undefined ? [{ first: 0, count: GRID_COLUMNS }] : columnsOf(box)).filter(
    ({ count }) => count > 0,
  );
  if (box !== undefined && (rows.count <= 0 || columns.length === 0)) throw emptyBox(box);
  return {
    longitude: Float64Array.from(columns.flatMap(indexesOf), (column) => column / CELLS_PER_DEGREE - 180),
    latitude: Float64Array.from(indexesOf(rows), (row) => row / CELLS_PER_DEGREE - 90),
    flightLevels,
    columns,
    rows,
  };
}

/** Pressure of a flight level in the standard atmosphere [hPa]. */
export function pressureOf(flightLevel: number): number {
  return levelFromAltitudeFt(100 * flightLevel);
}

function rowsOf({ minLat, maxLat }: BoundingBox): Stretch {
  return stretch(minLat, maxLat, -90, GRID_ROWS);
}

function columnsOf({ minLon, maxLon, crossesAntimeridian }: BoundingBox): Stretch[] {
  if (!crossesAntimeridian) return [stretch(minLon, maxLon, -180, GRID_COLUMNS)];
  return [stretch(minLon, 180, -180, GRID_COLUMNS), stretch(-180, maxLon, -180, GRID_COLUMNS)];
}

/** Lines of the grid from one coordinate to another, where the first line lies at `origin` [°]. */
function stretch(from: number, to: number, origin: number, lines: number): Stretch {
  const first = Math.ceil(from * CELLS_PER_DEGREE) - origin * CELLS_PER_DEGREE;
  const last = Math.min(Math.floor(to * CELLS_PER_DEGREE) - origin * CELLS_PER_DEGREE, lines - 1);
  return { first, count: Math.max(last - first + 1, 0) };
}

function indexesOf({ first, count }: Stretch): number[] {
  return Array.from({ length: count }, (_, k) => first + k);
}

function emptyBox({ minLon, minLat, maxLon, maxLat }: BoundingBox): ValidationError {
  return new ValidationError([
    {
      loc: ['query', 'bbox'],
      msg:
        `bbox ${[minLon, minLat, maxLon, maxLat].join(',')} holds no cell centre; ` +
        'centres lie at multiples of 0.25° in longitudes -180 to 179.75 and latitudes -90 to 90, so widen the box',
      type: 'range',
    },
  ]);
}
