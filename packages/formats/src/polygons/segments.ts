import { boxOf, type Ring } from './ring.ts';

/** The sides of many rings in one row. Side k goes from position k to position k + 1. */
export interface Segments {
  /** Longitude, latitude of every position, ring after ring. */
  readonly positions: Float64Array;
  /** Ring of the side that starts at a position; −1 at the last position of a ring, where none starts. */
  readonly ringOf: Int32Array;
  /** First position of every ring, and one more. */
  readonly first: Int32Array;
}

export function segmentsOf(rings: readonly Ring[]): Segments {
  const first = new Int32Array(rings.length + 1);
  rings.forEach((ring, r) => {
    first[r + 1] = (first[r] as number) + ring.length / 2;
  });
  const count = first[rings.length] as number;
  const positions = new Float64Array(2 * count);
  const ringOf = new Int32Array(count);
  rings.forEach((ring, r) => {
    const end = first[r + 1] as number;
    positions.set(ring, 2 * (first[r] as number));
    ringOf.fill(r, first[r], end - 1);
    ringOf[end - 1] = -1;
  });
  return { positions, ringOf, first };
}

/**
 * Calls `visit` for every pair of sides whose boxes meet, until it returns true; returns whether it did. A pair may come
 * more than once. Sides are entered into a grid of about as many cells as there are sides and compared with those that are
 * there already.
 */
export function somePair({ positions, ringOf }: Segments, visit: (a: number, b: number) => boolean): boolean {
  const count = ringOf.length;
  const grid = new Grid(positions, count);
  const { heads, columns } = grid;
  let entries = new Int32Array(8 * count + 64);
  let used = 0;
  for (let k = 0; k < count; k++) {
    if (ringOf[k] === -1) continue;
    const ax = positions[2 * k] as number;
    const ay = positions[2 * k + 1] as number;
    const bx = positions[2 * k + 2] as number;
    const by = positions[2 * k + 3] as number;
    const west = Math.min(ax, bx);
    const east = Math.max(ax, bx);
    const south = Math.min(ay, by);
    const north = Math.max(ay, by);
    const firstRow = grid.row(south);
    const lastRow = grid.row(north);
    const rises = ax < bx === ay < by;
    for (let row = firstRow; row <= lastRow; row++) {
      let from = grid.column(west);
      let to = grid.column(east);
      if (firstRow !== lastRow) {
        const slope = (bx - ax) / (by - ay);
        const below = grid.column(ax + slope * (grid.southOf(row) - ay));
        const above = grid.column(ax + slope * (grid.southOf(row + 1) - ay));
        from = Math.max(from, (rises ? below : above) - 1);
        to = Math.min(to, (rises ? above : below) + 1);
      }
      for (let cell = row * columns + from; cell <= row * columns + to; cell++) {
        for (let entry = heads[cell] as number; entry >= 0; entry = entries[entry + 1] as number) {
          const other = entries[entry] as number;
          const cx = positions[2 * other] as number;
          const dx = positions[2 * other + 2] as number;
          if ((cx < west && dx < west) || (cx > east && dx > east)) continue;
          const cy = positions[2 * other + 1] as number;
          const dy = positions[2 * other + 3] as number;
          if ((cy < south && dy < south) || (cy > north && dy > north)) continue;
          if (visit(other, k)) return true;
        }
        if (used === entries.length) entries = grown(entries);
        entries[used] = k;
        entries[used + 1] = heads[cell] as number;
        heads[cell] = used;
        used += 2;
      }
    }
  }
  return false;
}

/** Square cells over the box of all positions, each with the index of its newest entry. */
class Grid {
  readonly heads: Int32Array;
  readonly columns: number;
  private readonly rows: number;
  private readonly west: number;
  private readonly south: number;
  private readonly size: number;

  constructor(positions: Float64Array, count: number) {
    const { west, south, east, north } = boxOf(positions);
    const width = east - west;
    const height = north - south;
    this.west = west;
    this.south = south;
    this.size = Math.sqrt((width * height) / count) || Math.max(width, height, 1e-9) / count;
    this.columns = Math.floor(width / this.size) + 1;
    this.rows = Math.floor(height / this.size) + 1;
    this.heads = new Int32Array(this.columns * this.rows).fill(-1);
  }

  row(y: number): number {
    return Math.floor((y - this.south) / this.size);
  }

  column(x: number): number {
    return Math.floor((x - this.west) / this.size);
  }

  southOf(row: number): number {
    return this.south + row * this.size;
  }
}

function grown(entries: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * entries.length);
  more.set(entries);
  return more;
}
