import { cellsInto, type Horizontal } from '../field/axis.ts';

/** Where and when points are, without their level. */
export interface Points {
  /** [°] */
  readonly longitude: Float64Array;
  /** [°] */
  readonly latitude: Float64Array;
  /** [ms since 1970] */
  readonly timeMs: Float64Array;
}

/**
 * Points between the meridians and parallels of a grid: looked up once for every level, variable and field on that grid.
 * The columns are overwritten when other points are located.
 */
export class LocatedPoints {
  /** South-western column of the grid around each point, counted row by row; −1 outside. */
  cell = new Int32Array(0);
  /** Weight of the eastern columns. */
  east = new Float64Array(0);
  /** Weight of the northern columns. */
  north = new Float64Array(0);
  timeMs = new Float64Array(0);
  private row = new Int32Array(0);

  /** Takes `count` points from `from` on. */
  locate({ longitude, latitude }: Horizontal, points: Points, from: number, count: number): void {
    if (count > this.cell.length) this.reserve(count);
    const { cell, row, east, north, timeMs } = this;
    cellsInto(cell, east, longitude, points.longitude, from, count);
    cellsInto(row, north, latitude, points.latitude, from, count);
    const times = points.timeMs;
    const meridians = longitude.knots.length;
    for (let p = 0; p < count; p++) {
      const i = cell[p] as number;
      const j = row[p] as number;
      cell[p] = i < 0 || j < 0 ? -1 : j * meridians + i;
      timeMs[p] = times[from + p] as number;
    }
  }

  private reserve(count: number): void {
    this.cell = new Int32Array(count);
    this.row = new Int32Array(count);
    this.east = new Float64Array(count);
    this.north = new Float64Array(count);
    this.timeMs = new Float64Array(count);
  }
}
