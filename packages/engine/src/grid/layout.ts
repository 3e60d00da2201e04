/**
 * The grid of gridded products: cell centres every quarter of a degree, on the 18 flight levels. What is computed
 * beforehand may be coarser.
 */
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import { ValidationError } from '@contrails/runtime/errors';

/** The levels that grids and forecasts are served on, in hectofeet. */
export const FLIGHT_LEVELS: readonly number[] = Array.from({ length: 18 }, (_, index) => 270 + index * 10);

/** A box on the globe, in degrees; longitudes lie in −180…180. */
export interface BoundingBox {
  readonly minLon: number;
  readonly minLat: number;
  readonly maxLon: number;
  readonly maxLat: number;
  /** True when the box goes east from `minLon` over 180° to a smaller `maxLon`. */
  readonly crossesAntimeridian: boolean;
}

export function contains(
  { minLon, maxLon, minLat, maxLat, crossesAntimeridian }: BoundingBox,
  longitude: number,
  latitude: number,
): boolean {
  if (latitude < minLat || latitude > maxLat) return false;
  return crossesAntimeridian
    ? longitude >= minLon || longitude <= maxLon
    : longitude >= minLon && longitude <= maxLon;
}

const CELLS_PER_DEGREE = 4;

/** −180, −179.75, …, 179.75; +180 is not repeated. */
export function columnCount(cellsPerDegree = CELLS_PER_DEGREE): number {
  return 360 * cellsPerDegree;
}

/** −90, −89.75, …, 90. */
export function rowCount(cellsPerDegree = CELLS_PER_DEGREE): number {
  return 180 * cellsPerDegree + 1;
}

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
  /** Less than 1 where cells are larger than a degree. */
  readonly cellsPerDegree: number;
}

/** The cells whose centres lie in a box, its edges included; without a box those of the whole grid. */
export function gridCells(
  box: BoundingBox | undefined,
  flightLevels: readonly number[] = FLIGHT_LEVELS,
  cellsPerDegree = CELLS_PER_DEGREE,
): GridCells {
  const rows =
    box === undefined ? { first: 0, count: rowCount(cellsPerDegree) } : rowsOf(box, cellsPerDegree);
  const columns = (
    box === undefined ? [{ first: 0, count: columnCount(cellsPerDegree) }] : columnsOf(box, cellsPerDegree)
  ).filter(({ count }) => count > 0);
  if (box !== undefined && (rows.count <= 0 || columns.length === 0)) throw emptyBox(box, cellsPerDegree);
  return {
    longitude: degreesOf(columns, -180, cellsPerDegree),
    latitude: degreesOf([rows], -90, cellsPerDegree),
    flightLevels,
    columns,
    rows,
    cellsPerDegree,
  };
}

/** A box with so many more cells on every side, as far as the poles and once round the globe. */
export function widenedBox(box: BoundingBox | undefined, cells: number): BoundingBox | undefined {
  if (box === undefined || cells === 0) return box;
  return widenedBy(box, cells / CELLS_PER_DEGREE, cells / CELLS_PER_DEGREE);
}

/** A box with so many more degrees on every side. */
export function widenedBy(box: BoundingBox, longitudeDeg: number, latitudeDeg: number): BoundingBox {
  const width = box.maxLon - box.minLon + (box.crossesAntimeridian ? 360 : 0);
  const latitudes = {
    minLat: Math.max(-90, box.minLat - latitudeDeg),
    maxLat: Math.min(90, box.maxLat + latitudeDeg),
  };
  if (width + 2 * longitudeDeg >= 360)
    return { minLon: -180, maxLon: 180, crossesAntimeridian: false, ...latitudes };
  const wrapped = (longitude: number) => longitude - 360 * Math.floor((longitude + 180) / 360);
  const [minLon, maxLon] = [wrapped(box.minLon - longitudeDeg), wrapped(box.maxLon + longitudeDeg)];
  return { minLon, maxLon, crossesAntimeridian: minLon > maxLon, ...latitudes };
}

/** Pressure of a flight level in the standard atmosphere [hPa]. */
export function pressureOf(flightLevel: number): number {
  return levelFromAltitudeFt(100 * flightLevel);
}

function rowsOf({ minLat, maxLat }: BoundingBox, cellsPerDegree: number): Stretch {
  return stretch(minLat, maxLat, -90, rowCount(cellsPerDegree), cellsPerDegree);
}

function columnsOf({ minLon, maxLon, crossesAntimeridian }: BoundingBox, cellsPerDegree: number): Stretch[] {
  const between = (west: number, east: number) =>
    stretch(west, east, -180, columnCount(cellsPerDegree), cellsPerDegree);
  return crossesAntimeridian ? [between(minLon, 180), between(-180, maxLon)] : [between(minLon, maxLon)];
}

/** Lines of the grid from one coordinate to another, where the first line lies at `origin` [°]. */
function stretch(from: number, to: number, origin: number, lines: number, cellsPerDegree: number): Stretch {
  const start = Math.floor(origin * cellsPerDegree);
  // Nothing but 0 unless cells are larger than 2°; multiples of 4° do not start at −90°.
  const shift = origin * cellsPerDegree - start;
  const first = Math.ceil(from * cellsPerDegree - shift) - start;
  const last = Math.min(Math.floor(to * cellsPerDegree - shift) - start, lines - 1);
  return { first, count: Math.max(last - first + 1, 0) };
}

/** Every request has thousands of these made, so without an object for each. */
function degreesOf(stretches: readonly Stretch[], origin: number, cellsPerDegree: number): Float64Array {
  const degrees = new Float64Array(stretches.reduce((sum, { count }) => sum + count, 0));
  let at = 0;
  for (const { first, count } of stretches) {
    for (let k = 0; k < count; k++) degrees[at++] = (first + k) / cellsPerDegree + origin;
  }
  return degrees;
}

function emptyBox({ minLon, minLat, maxLon, maxLat }: BoundingBox, cellsPerDegree: number): ValidationError {
  const step = 1 / cellsPerDegree;
  return new ValidationError([
    {
      loc: ['query', 'bbox'],
      msg:
        `bbox ${[minLon, minLat, maxLon, maxLat].join(',')} holds no cell centre; ` +
        `centres lie at multiples of ${step}° in longitudes -180 to ${180 - step} and latitudes -90 to 90, so widen the box`,
      type: 'range',
    },
  ]);
}
