import fc from 'fast-check';

/** A small plane of cells, latitude running fastest. */
export interface Mask {
  readonly longitudes: number;
  readonly latitudes: number;
  readonly cells: Float64Array;
}

/** A drawing: rows from north to south, `#` in the region. */
export function maskFrom(...rows: readonly string[]): Mask {
  const latitudes = rows.length;
  const longitudes = rows[0]?.length ?? 0;
  const cells = Float64Array.from({ length: longitudes * latitudes }, (_, k) => {
    const row = rows[latitudes - 1 - (k % latitudes)] as string;
    return row[Math.floor(k / latitudes)] === '#' ? 1 : 0;
  });
  return { longitudes, latitudes, cells };
}

/** Random cells, from lonely ones to a plane with few gaps. */
export function arbitraryMask(most = 14): fc.Arbitrary<Mask> {
  return fc
    .record({
      longitudes: fc.integer({ min: 1, max: most }),
      latitudes: fc.integer({ min: 1, max: most }),
      filled: fc.double({ min: 0.1, max: 0.95, noNaN: true }),
    })
    .chain(({ longitudes, latitudes, filled }) =>
      fc
        .array(fc.double({ min: 0, max: 1, noNaN: true }), {
          minLength: longitudes * latitudes,
          maxLength: longitudes * latitudes,
        })
        .map((draws) => ({
          longitudes,
          latitudes,
          cells: Float64Array.from(draws, (draw) => (draw < filled ? 1 : 0)),
        })),
    );
}

/** Axis of one degree per cell. */
export function degrees(count: number, from = 0): Float64Array {
  return Float64Array.from({ length: count }, (_, k) => from + k);
}

/** Number of connected parts among the cells of a value; `corners` states whether cells that touch at corners connect. */
export function componentsOf(
  { longitudes, latitudes, cells }: Mask,
  value: number,
  corners: boolean,
): { count: number; touchingEdge: number } {
  const part = new Int32Array(cells.length).fill(-1);
  let count = 0;
  let touchingEdge = 0;
  for (let start = 0; start < cells.length; start++) {
    if (cells[start] !== value || (part[start] as number) >= 0) continue;
    let touches = false;
    const pending = [start];
    part[start] = count;
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const i = Math.floor(at / latitudes);
      const j = at % latitudes;
      if (i === 0 || j === 0 || i === longitudes - 1 || j === latitudes - 1) touches = true;
      for (let di = -1; di <= 1; di++) {
        for (let dj = -1; dj <= 1; dj++) {
          const [ni, nj] = [i + di, j + dj];
          if ((!corners && di !== 0 && dj !== 0) || ni < 0 || nj < 0) continue;
          if (ni >= longitudes || nj >= latitudes) continue;
          const next = ni * latitudes + nj;
          if (cells[next] !== value || (part[next] as number) >= 0) continue;
          part[next] = count;
          pending.push(next);
        }
      }
    }
    count++;
    if (touches) touchingEdge++;
  }
  return { count, touchingEdge };
}
