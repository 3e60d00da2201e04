/** Features inside clients' boxes. */
import { type BoundingBox, contains } from '@contrails/engine/grid/layout';
import type { ContrailFeature } from '@contrails/engine/live/contrail-runs';
import type { FlightFeature } from '@contrails/engine/live/flight-features';

type Feature = Pick<FlightFeature | ContrailFeature, 'geometry'>;

/** Whether a point of the feature lies in the box; without a box everything does. */
export function isInBox({ geometry }: Feature, box: BoundingBox | undefined): boolean {
  if (box === undefined) return true;
  if (geometry.type === 'Point') return contains(box, ...geometry.coordinates);
  return geometry.coordinates.some(([longitude, latitude]) => contains(box, longitude, latitude));
}

/** Side of the cells of the globe [°]. */
const CELL_DEG = 10;
const COLUMNS = 360 / CELL_DEG;
const ROWS = 180 / CELL_DEG;

/** 180° is the same column as −180°. */
const columnOf = (longitude: number) => Math.floor((longitude + 180) / CELL_DEG);
const rowOf = (latitude: number) => Math.min(Math.max(Math.floor((latitude + 90) / CELL_DEG), 0), ROWS - 1);
const cellIn = (column: number, row: number) => row * COLUMNS + (((column % COLUMNS) + COLUMNS) % COLUMNS);

/** The cells that points of the feature lie in. */
export function cellsOf({ geometry }: Feature): readonly number[] {
  const points = geometry.type === 'Point' ? [geometry.coordinates] : geometry.coordinates;
  const cells: number[] = [];
  for (const [longitude, latitude] of points) {
    const cell = cellIn(columnOf(longitude), rowOf(latitude));
    if (!cells.includes(cell)) cells.push(cell);
  }
  return cells;
}

/** The cells that a box touches. */
export function cellsOfBox(box: BoundingBox): ReadonlySet<number> {
  const { minLon, maxLon, minLat, maxLat, crossesAntimeridian } = box;
  const cells = new Set<number>();
  const lastColumn = columnOf(crossesAntimeridian ? maxLon + 360 : maxLon);
  for (let column = columnOf(minLon); column <= lastColumn; column++)
    for (let row = rowOf(minLat); row <= rowOf(maxLat); row++) cells.add(cellIn(column, row));
  return cells;
}

/** Finds boxes that may contain a feature: comparing each feature with the box of each client would take seconds. */
export class ByCell<T> {
  readonly #everywhere = new Set<T>();
  readonly #inCell = new Map<number, Set<T>>();

  /** Without cells, it is everywhere. */
  add(item: T, cells: ReadonlySet<number> | undefined): void {
    for (const set of this.#setsOf(cells)) set.add(item);
  }

  remove(item: T, cells: ReadonlySet<number> | undefined): void {
    for (const set of this.#setsOf(cells)) set.delete(item);
  }

  /** Maybe more than once for an item that has several of the cells. */
  forEachAt(cells: readonly number[], visit: (item: T) => void): void {
    for (const item of this.#everywhere) visit(item);
    for (const cell of cells) for (const item of this.#inCell.get(cell) ?? []) visit(item);
  }

  *#setsOf(cells: ReadonlySet<number> | undefined): Generator<Set<T>> {
    if (cells === undefined) {
      yield this.#everywhere;
      return;
    }
    for (const cell of cells) {
      const set = this.#inCell.get(cell) ?? new Set<T>();
      this.#inCell.set(cell, set);
      yield set;
    }
  }
}
