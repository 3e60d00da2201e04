/** A grid cut into tiles: pieces of work for threads, of adjacent cells that share the weather around them. */

export interface Tile {
  readonly firstColumn: number;
  readonly columns: number;
  readonly firstRow: number;
  readonly rows: number;
}

/** A thread takes some tens of milliseconds for so many cells, and loops over so many are long enough to be quick. */
const CELLS_PER_TILE = 4096;

/** Tiles of about the same size that cover a grid of columns × rows × levels. */
export function tilesOf(columns: number, rows: number, levels: number): Tile[] {
  const side = Math.max(1, Math.round(Math.sqrt(CELLS_PER_TILE / levels)));
  return stretches(columns, side).flatMap(([firstColumn, width]) =>
    stretches(rows, side).map(([firstRow, height]) => ({
      firstColumn,
      columns: width,
      firstRow,
      rows: height,
    })),
  );
}

function stretches(length: number, size: number): [first: number, count: number][] {
  const count = Math.ceil(length / size);
  return Array.from({ length: count }, (_, k) => {
    const first = Math.floor((k * length) / count);
    return [first, Math.floor(((k + 1) * length) / count) - first];
  });
}
