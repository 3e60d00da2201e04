/** Powers of supersaturation from a table of cubics, for loops over many points: a tenth of the time of the power itself. */

const FIRST = 1;
const LAST = 2;
const CELLS = 512;

/** Four coefficients per cell of x^exponent between 1 and 2. */
export interface PowerTable {
  readonly exponent: number;
  readonly coefficients: Float64Array;
}

/** Cubics through the points 0, ¼, ¾ and 1 of each cell. */
export function tabulatePower(exponent: number): PowerTable {
  const coefficients = new Float64Array(4 * CELLS);
  const y = (position: number) => (FIRST + position / CELLS) ** exponent;
  for (let cell = 0; cell < CELLS; cell++) {
    const [y0, y1, y2, y3] = [y(cell), y(cell + 0.25), y(cell + 0.75), y(cell + 1)] as const;
    coefficients[4 * cell] = y0;
    coefficients[4 * cell + 1] = (-19 * y0 + 24 * y1 - 8 * y2 + 3 * y3) / 3;
    coefficients[4 * cell + 2] = (32 * y0 - 56 * y1 + 40 * y2 - 16 * y3) / 3;
    coefficients[4 * cell + 3] = (-16 * y0 + 32 * y1 - 32 * y2 + 16 * y3) / 3;
  }
  return { exponent, coefficients };
}

/** x^exponent for x ≥ 1; beyond the table the power itself answers. */
export function tabulatedPower(x: number, table: PowerTable): number {
  if (!(x < LAST)) return x ** table.exponent;
  const position = (x - FIRST) * CELLS;
  const cell = position | 0;
  const at = cell << 2;
  const t = position - cell;
  const c = table.coefficients;
  return (
    (c[at] as number) + t * ((c[at + 1] as number) + t * ((c[at + 2] as number) + t * (c[at + 3] as number)))
  );
}
