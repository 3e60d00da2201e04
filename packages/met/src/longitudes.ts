/** How the columns of a source's longitude axis make the columns of a field: increasing, in [−180, 180], wrapped. */
export interface LongitudePlan {
  /** [°], strictly increasing. */
  readonly longitudes: Float64Array;
  /** For each column of the field, the column of the source. */
  readonly sourceColumns: Uint32Array;
}

/** A gap between the last and first meridian of a circle wider than this is a region, not a globe [°]. */
const WIDEST_CELL_DEG = 30;

/**
 * Brings longitudes to [−180, 180), sorts them, drops repeated ones (the first stays) and, when `wrap` asks for it,
 * repeats the outermost meridians beyond the antimeridian so that every longitude lies inside a cell.
 */
export function planLongitudes(source: ArrayLike<number>, wrap: boolean): LongitudePlan {
  const columns = Array.from(source, (longitude, column) => ({ longitude: normalise(longitude), column }))
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

/** True when the meridians go all around the earth, so that the field is to be wrapped. */
export function isGlobal(source: ArrayLike<number>): boolean {
  const { longitudes } = planLongitudes(source, false);
  const n = longitudes.length;
  if (n < 2) return false;
  const span = (longitudes[n - 1] as number) - (longitudes[0] as number);
  let widest = 0;
  for (let i = 1; i < n; i++)
    widest = Math.max(widest, (longitudes[i] as number) - (longitudes[i - 1] as number));
  const gap = 360 - span;
  return gap <= Math.min(1.5 * widest, WIDEST_CELL_DEG);
}

/** Exactly 180 stays, because a wrapped axis may end there; everything else goes to [−180, 180). */
function normalise(longitude: number): number {
  if (longitude >= -180 && longitude < 180) return longitude;
  const turned = (((longitude + 180) % 360) + 360) % 360;
  return turned - 180;
}
