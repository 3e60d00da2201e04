import { signed, viewOf } from './sections.ts';

/** A regular grid of longitudes and latitudes, in the order in which its values are packed. */
export interface LatLonGrid {
  /** [°] */
  readonly longitudes: Float64Array;
  readonly latitudes: Float64Array;
  /** Distances of neighbours among the packed values. */
  readonly longitudeStride: number;
  readonly latitudeStride: number;
}

const REGULAR_LAT_LON = 0;
const PER_DEGREE = 1e6;
/** A globe at 0.025°, beyond every archive: a damaged number must not allocate memory. */
const [MAX_COLUMNS, MAX_ROWS] = [14_400, 7201];
const MISSING = 0xffff_ffff;

/** Reads section 3. Only regular grids (template 3.0) carry the global data the models use. */
export function readGrid(section: Uint8Array): LatLonGrid {
  const view = viewOf(section);
  const template = view.getUint16(12);
  if (template !== REGULAR_LAT_LON) {
    throw new RangeError(
      `grid template 3.${template} is not read; convert to a regular latitude-longitude grid`,
    );
  }
  const columns = view.getUint32(30);
  const rows = view.getUint32(34);
  if (columns === 0 || rows === 0 || columns > MAX_COLUMNS || rows > MAX_ROWS) {
    throw new RangeError(
      `a grid of ${columns} × ${rows} points is not read; ${MAX_COLUMNS} × ${MAX_ROWS} are the limit`,
    );
  }
  const points = view.getUint32(6);
  if (columns * rows !== points) {
    throw new RangeError(
      `the grid has ${columns} × ${rows} points, but the field ${points}; fetch the file again`,
    );
  }
  // Each of the two has its own default, as in ecCodes.
  const basicAngle = given(view.getUint32(38)) ?? 1;
  const unit = basicAngle / (given(view.getUint32(42)) ?? PER_DEGREE);
  const scanning = view.getUint8(71);
  const westward = (scanning & 0x80) !== 0;
  const columnsFirst = (scanning & 0x20) !== 0;
  if ((scanning & 0x10) !== 0) throw new RangeError('rows that run back and forth are not read');
  const firstLatitude = signed(view.getUint32(46), 32) * unit;
  const firstLongitude = signed(view.getUint32(50), 32) * unit;
  const lastLatitude = signed(view.getUint32(55), 32) * unit;
  const lastLongitude = alongCircle(firstLongitude, signed(view.getUint32(59), 32) * unit, westward);
  const resolution = view.getUint8(54);
  if ((resolution & 0x20) !== 0)
    requireSpacing('columns', firstLongitude, lastLongitude, columns, view.getUint32(63), unit);
  if ((resolution & 0x10) !== 0)
    requireSpacing('rows', firstLatitude, lastLatitude, rows, view.getUint32(67), unit);
  return {
    longitudes: steps(firstLongitude, lastLongitude, columns),
    latitudes: steps(firstLatitude, lastLatitude, rows),
    longitudeStride: columnsFirst ? rows : 1,
    latitudeStride: columnsFirst ? 1 : columns,
  };
}

/** Distances are stored with the first and the last point. Some centres round them to three digits. */
const SPACING_TOLERANCE = 2e-3;

function requireSpacing(
  what: string,
  first: number,
  last: number,
  count: number,
  stored: number,
  unit: number,
): void {
  const increment = stored * unit;
  const isKnown = count > 1 && given(stored) !== undefined;
  const extent = Math.abs(last - first);
  const allowed = Math.min(increment / 2, SPACING_TOLERANCE * extent) + count * unit;
  if (!isKnown || Math.abs(extent - (count - 1) * increment) <= allowed) return;
  throw new RangeError(
    `the grid has ${count} ${what} from ${first}° to ${last}°, which are not ${increment}° apart; fetch the file again`,
  );
}

function given(stored: number): number | undefined {
  return stored === 0 || stored === MISSING ? undefined : stored;
}

/** The last longitude, wrapped so the row does not jump. */
function alongCircle(first: number, last: number, westward: boolean): number {
  if (westward) return last > first ? last - 360 : last;
  return last < first ? last + 360 : last;
}

/** Evenly spaced, rounded to what the file can express. */
function steps(first: number, last: number, count: number): Float64Array {
  const step = count > 1 ? (last - first) / (count - 1) : 0;
  return Float64Array.from(
    { length: count },
    (_, i) => Math.round((first + i * step) * PER_DEGREE) / PER_DEGREE,
  );
}
