/** Regions of a grid, widened by steps of cells: the diamond |Δi| + |Δj| ≤ b, the short way round the globe, never over a pole. */
import { columnCount, type GridCells } from './layout.ts';

export const MAX_BUFFER_CELLS = 40;

/** Height of a cell of a quarter of a degree. */
const CELL_KM = 27.8;

/** File attributes of a buffer, in cells and in kilometres. */
export function bufferAttributes(bufferCells: number): Record<string, string | number> {
  if (bufferCells === 0) return {};
  const km = (CELL_KM * bufferCells).toFixed(1);
  return {
    buffer_cells: bufferCells,
    buffer_extent: `${bufferCells} steps of cells; of 0.25 degrees that is ${km} km north to south, and ${km} km times cos(latitude) east to west`,
  };
}

/** A plane of cells, longitude by longitude, latitude running fastest. */
export interface PlaneShape {
  readonly columns: number;
  readonly rows: number;
  /** Whether the last column is a neighbour of the first. */
  readonly isCyclic: boolean;
}

/** Steps of cells from each cell to the nearest one of value 1, at most one more than the largest buffer. */
export function stepsToRegion(region: Uint8Array, { columns, rows, isCyclic }: PlaneShape): Uint8Array {
  const far = MAX_BUFFER_CELLS + 1;
  const steps = new Uint8Array(region.length);
  for (let column = 0; column < columns; column++) sweepColumn(steps, region, column * rows, rows, far);
  // Beyond the seam only as far as a buffer reaches.
  const turns = isCyclic ? columns + Math.min(far, columns) : columns;
  for (let turn = 1; turn < turns; turn++)
    lowerColumn(steps, (turn % columns) * rows, ((turn - 1) % columns) * rows, rows);
  for (let turn = turns - 2; turn >= 0; turn--)
    lowerColumn(steps, (turn % columns) * rows, ((turn + 1) % columns) * rows, rows);
  if (isCyclic) {
    for (let turn = columns - 1; turn >= columns - Math.min(far, columns); turn--)
      lowerColumn(steps, turn * rows, ((turn + 1) % columns) * rows, rows);
  }
  return steps;
}

/** Steps along a column, there and back. */
function sweepColumn(steps: Uint8Array, region: Uint8Array, first: number, rows: number, far: number): void {
  let distance = far;
  for (let at = first; at < first + rows; at++) {
    distance = region[at] === 1 ? 0 : Math.min(distance + 1, far);
    steps[at] = distance;
  }
  for (let at = first + rows - 1; at >= first; at--) {
    distance = Math.min(distance + 1, steps[at] as number);
    steps[at] = distance;
  }
}

/** One step more than the neighbouring column, where that is less. */
function lowerColumn(steps: Uint8Array, to: number, from: number, rows: number): void {
  for (let row = 0; row < rows; row++) {
    const reached = (steps[from + row] as number) + 1;
    if (reached < (steps[to + row] as number)) steps[to + row] = reached;
  }
}

/** Widens the cells of value 1 of a plane of flags; a missing cell (NaN) that is reached becomes 1. */
export function bufferFlags(values: Float32Array, shape: PlaneShape, cells: number): Float32Array {
  if (cells === 0) return values;
  const region = new Uint8Array(values.length);
  for (let at = 0; at < region.length; at++) region[at] = values[at] === 1 ? 1 : 0;
  const steps = stepsToRegion(region, shape);
  const buffered = values.slice();
  for (let at = 0; at < buffered.length; at++) if ((steps[at] as number) <= cells) buffered[at] = 1;
  return buffered;
}

type Cells = Pick<GridCells, 'longitude' | 'latitude'>;

/** The wanted cells of a plane of flags whose regions are widened; the plane has all cells that a buffer may reach from. */
export function bufferInto(values: Float32Array, reached: Cells, wanted: Cells, cells: number): Float32Array {
  if (cells === 0) return values;
  const [columns, rows] = [reached.longitude.length, reached.latitude.length];
  const widened = bufferFlags(values, { columns, rows, isCyclic: columns === columnCount() }, cells);
  const west = reached.longitude.indexOf(wanted.longitude[0] as number);
  const south = reached.latitude.indexOf(wanted.latitude[0] as number);
  const height = wanted.latitude.length;
  const cut = new Float32Array(wanted.longitude.length * height);
  for (let i = 0; i < wanted.longitude.length; i++) {
    const from = ((west + i) % columns) * rows + south;
    cut.set(widened.subarray(from, from + height), i * height);
  }
  return cut;
}
