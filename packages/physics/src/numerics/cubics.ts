/** A function cut into equal cells with a cubic in each: c0 + t (c1 + t (c2 + t c3)) for t from 0 to 1. */
export interface Cubics {
  /*
   * The coefficients of one power stand together, so compilers compare the cell with their length and need no sums.
   */
  readonly c0: Float64Array;
  readonly c1: Float64Array;
  readonly c2: Float64Array;
  readonly c3: Float64Array;
}

/** Cubics through the Chebyshev–Lobatto points 0, ¼, ¾, 1 of each cell: neighbours meet, so order is kept. */
export function tabulateCubics(cells: number, valueAt: (position: number) => number): Cubics {
  const c0 = new Float64Array(cells);
  const c1 = new Float64Array(cells);
  const c2 = new Float64Array(cells);
  const c3 = new Float64Array(cells);
  for (let cell = 0; cell < cells; cell++) {
    const y0 = valueAt(cell);
    const y1 = valueAt(cell + 0.25);
    const y2 = valueAt(cell + 0.75);
    const y3 = valueAt(cell + 1);
    c0[cell] = y0;
    c1[cell] = (-19 * y0 + 24 * y1 - 8 * y2 + 3 * y3) / 3;
    c2[cell] = (32 * y0 - 56 * y1 + 40 * y2 - 16 * y3) / 3;
    c3[cell] = (-16 * y0 + 32 * y1 - 32 * y2 + 16 * y3) / 3;
  }
  return { c0, c1, c2, c3 };
}
