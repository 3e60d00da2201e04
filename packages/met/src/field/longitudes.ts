import { wrapLongitude } from '@contrails/physics/numerics';

/** How the columns of a source's longitude axis make the columns of a field: increasing, in [−180, 180], wrapped. */
export interface LongitudePlan {
  /** [°], strictly increasing. */
  readonly longitudes: Float64Array;
  /** For each column of the field, the column of the source. */
  readonly sourceColumns: Uint32Array;
}

/** A gap between neighbouring meridians of a circle wider than this is a region, not a globe [°]. */
const MAX_CELL_DEG = 30;
/** Meridians at even distances all around are a globe up to this distance [°]. */
const MAX_EVEN_CELL_DEG = 90;

/**
 * Wraps longitudes to [−180, 180), sorts them, drops repeated ones (the first stays) and, with `wrap`, repeats the
 * outermost meridians beyond the antimeridian to put every longitude inside a cell.
 */
export function planLongitudes(source: ArrayLike<number>, wrap: boolean): LongitudePlan {
  const columns = Array.from(source, (longitude, column) => ({ longitude: wrapLongitude(longitude), column }))
    .sort((a, b) => a.longitude - b.longitude || a.column - b.column)
    .filter((entry, i, all) => i === 0 || entry.longitude !== all[i - 1]?.longitude);
  const first = columns[0];
  const last = columns.at(-1);
  if (wrap && first !== undefined && last !== undefined) {
    if (last.longitude < 180) columns.push({ longitude: first.longitude + 360, column: first.column });
    if (first.longitude > -180) columns.unshift({ longitude: last.longitude - 360, column: last.column });
  }
  return {
    longitudes: Float64Array.from(columns, (entry) => entry.longitude),
    sourceColumns: Uint32Array.from(columns, (entry) => entry.column),
  };
}

/** The easternmost meridian before a gap is repeated at this distance [°], where stored coordinates count as the same. */
export const EDGE_DEG = 1e-6;

/**
 * The longitudes of a field that holds a source's meridians: a globe is wrapped; a region across the antimeridian is
 * wrapped too and gets one more knot in the gap that is not its own. Nothing is stored under that knot, so it stays
 * NaN, and no point between the two ends of the region gets a value. A NaN corner spoils a cell at any weight, so the
 * easternmost meridian appears twice: points on it have their own cell.
 */
export function fieldLongitudes(source: ArrayLike<number>): Float64Array {
  if (isGlobal(source)) return planLongitudes(source, true).longitudes;
  // A region that ends at 180 is in one piece only as long as that meridian is not called −180.
  const asStored = Float64Array.from(new Set(Float64Array.from(source).sort()));
  const turn = (asStored[0] as number) < -180 || (asStored[asStored.length - 1] as number) > 180;
  const longitudes = turn ? planLongitudes(source, false).longitudes : asStored;
  const seam = widestInnerGap(longitudes);
  if (seam < 0) return longitudes;
  const { longitudes: wrapped } = planLongitudes(source, true);
  const west = longitudes[seam] as number;
  const east = longitudes[seam + 1] as number;
  const end = wrapped.indexOf(west) + 1;
  return Float64Array.of(
    ...wrapped.subarray(0, end),
    west + EDGE_DEG,
    (west + east) / 2,
    ...wrapped.subarray(end),
  );
}

/** True when the meridians go all around the earth, so the field wraps. */
export function isGlobal(source: ArrayLike<number>): boolean {
  const { longitudes } = planLongitudes(source, true);
  const gaps = longitudes
    .subarray(1)
    .map((longitude, i) => longitude - (longitudes[i] as number))
    .sort();
  const widest = gaps.at(-1);
  const next = gaps.at(-2);
  if (widest === undefined || next === undefined) return false;
  const isEven = widest - (gaps[0] as number) < EDGE_DEG;
  return widest <= (isEven ? MAX_EVEN_CELL_DEG : Math.min(1.5 * next, MAX_CELL_DEG));
}

/** The last knot before the widest gap, −1 when that gap is the one across the antimeridian. */
function widestInnerGap(longitudes: Float64Array): number {
  const n = longitudes.length;
  let widest = 360 - ((longitudes[n - 1] as number) - (longitudes[0] as number));
  let seam = -1;
  for (let i = 1; i < n; i++) {
    const gap = (longitudes[i] as number) - (longitudes[i - 1] as number);
    if (gap <= widest) continue;
    widest = gap;
    seam = i - 1;
  }
  return seam;
}
