/**
 * Temperature and humidity of a regular grid, parallel by parallel. Neighbouring cells share what surrounds them, so that
 * level and time are interpolated once for each stored column instead of once for each cell and corner: several times
 * as quick as `sampleInto`, and the same but for the last bits. A cell's value does not depend on which other cells are asked
 * for.
 */
import { stretchLevel } from '@contrails/physics/atmosphere';
import { cellOf } from './axis.ts';
import type { FieldValues, MetField } from './field.ts';

export interface GridRows {
  /** Goes to a level [hPa]; has to be called before the first row. */
  toLevel(levelHpa: number): void;
  /** Fills one value for each meridian on a parallel [°]; NaN outside the field or next to missing values. */
  sampleInto(temperatureK: Float64Array, specificHumidity: Float64Array, latitude: number): void;
}

/** How humidity is interpolated between levels on grids. */
type GridHumidityMethod = 'none' | 'cubic-spline';

/** The meridians may have any order; the time lies within the field. */
export function openGridRows(
  field: MetField,
  longitude: Float64Array,
  timeMs: number,
  humidityMethod: GridHumidityMethod = 'none',
): GridRows {
  const meridians = placeMeridians(field, longitude);
  const temperature = new PlaneRows(field, 'air_temperature', meridians.columns, timeMs);
  const humidity = new PlaneRows(field, 'specific_humidity', meridians.columns, timeMs);
  return {
    toLevel(levelHpa) {
      const k = cellOf(field.level, levelHpa);
      temperature.toLevel(k, levelWeight(field, k, levelHpa, 'none'));
      humidity.toLevel(k, levelWeight(field, k, levelHpa, humidityMethod));
    },
    sampleInto(temperatureK, specificHumidity, latitude) {
      const j = cellOf(field.latitude, latitude);
      const weight = j < 0 ? 0 : weightOf(field.latitude.knots, j, latitude);
      blendInto(temperatureK, temperature, meridians, j, weight);
      blendInto(specificHumidity, humidity, meridians, j, weight);
    },
  };
}

/** Where the meridians of a grid lie among the stored ones. */
interface Meridians {
  /** Stored columns that are needed, each once. */
  readonly columns: Int32Array;
  /** For each meridian the places of its neighbours in `columns`; −1 outside the field. */
  readonly west: Int32Array;
  readonly east: Int32Array;
  /** Of the eastern neighbour. */
  readonly weight: Float64Array;
}

function placeMeridians({ longitude: axis }: MetField, longitude: Float64Array): Meridians {
  const cells = Int32Array.from(longitude, (degrees) => cellOf(axis, degrees));
  const next = axis.knots.length > 1 ? 1 : 0;
  const needed = new Set([...cells].filter((i) => i >= 0).flatMap((i) => [i, i + next]));
  const columns = Int32Array.from(needed).sort();
  const places = new Map(Array.from(columns, (column, place) => [column, place]));
  return {
    columns,
    west: cells.map((i) => places.get(i) ?? -1),
    east: cells.map((i) => (i < 0 ? -1 : (places.get(i + next) ?? -1))),
    weight: longitude.map((degrees, p) =>
      (cells[p] as number) < 0 ? 0 : weightOf(axis.knots, cells[p] as number, degrees),
    ),
  };
}

/** One variable at one level and time on stored columns, row by row; the last two rows are kept. */
class PlaneRows {
  private readonly field: MetField;
  private readonly variable: number;
  private readonly columns: Int32Array;
  private readonly early: FieldValues;
  private readonly late: FieldValues;
  private readonly timeWeight: number;
  private k = -1;
  private levelWeight = 0;
  private readonly rows: [Float64Array, Float64Array];
  private readonly held: [number, number] = [-1, -1];

  constructor(field: MetField, name: string, columns: Int32Array, timeMs: number) {
    const l = cellOf(field.time, timeMs);
    this.variable = field.variables.indexOf(name);
    if (l < 0 || this.variable < 0) throw new RangeError(`the field has no ${name} at this time`);
    this.field = field;
    this.columns = columns;
    this.early = field.slabs[l] as FieldValues;
    this.late = field.slabs[Math.min(l + 1, field.slabs.length - 1)] as FieldValues;
    this.timeWeight = weightOf(field.time.knots, l, timeMs);
    this.rows = [new Float64Array(columns.length), new Float64Array(columns.length)];
  }

  toLevel(k: number, weight: number): void {
    this.k = k;
    this.levelWeight = weight;
    this.held.fill(-1);
  }

  get isOutside(): boolean {
    return this.k < 0;
  }

  /** The row after one, or itself where the field has no other. */
  rowAfter(j: number): Float64Array {
    return this.row(Math.min(j + 1, this.field.latitude.knots.length - 1));
  }

  /** The values of a stored row; those of two neighbouring rows can be used together. */
  row(j: number): Float64Array {
    const place = j & 1;
    const values = this.rows[place] as Float64Array;
    if (this.held[place] !== j) this.fill(values, j);
    this.held[place] = j;
    return values;
  }

  private fill(values: Float64Array, j: number): void {
    const { columns, early, late, levelWeight: wz, timeWeight: wt } = this;
    const { longitude, level, variables } = this.field;
    const stride = level.knots.length * variables.length;
    const below = level.knots.length > 1 ? variables.length : 0;
    const start = j * longitude.knots.length * stride + this.k * variables.length + this.variable;
    const [uz, ut] = [1 - wz, 1 - wt];
    if (early === late) {
      for (let c = 0; c < columns.length; c++) {
        const a = start + (columns[c] as number) * stride;
        values[c] = (early[a] as number) * uz + (early[a + below] as number) * wz;
      }
      return;
    }
    for (let c = 0; c < columns.length; c++) {
      const a = start + (columns[c] as number) * stride;
      values[c] =
        ((early[a] as number) * uz + (early[a + below] as number) * wz) * ut +
        ((late[a] as number) * uz + (late[a + below] as number) * wz) * wt;
    }
  }
}

function blendInto(
  out: Float64Array,
  plane: PlaneRows,
  { west, east, weight }: Meridians,
  j: number,
  wy: number,
): void {
  if (j < 0 || plane.isOutside) {
    out.fill(Number.NaN);
    return;
  }
  const south = plane.row(j);
  const north = plane.rowAfter(j);
  const uy = 1 - wy;
  for (let p = 0; p < out.length; p++) {
    const a = west[p] as number;
    const b = east[p] as number;
    if (a < 0) {
      out[p] = Number.NaN;
      continue;
    }
    const wx = weight[p] as number;
    const ux = 1 - wx;
    out[p] =
      (south[a] as number) * (ux * uy) +
      (south[b] as number) * (wx * uy) +
      (north[a] as number) * (ux * wy) +
      (north[b] as number) * (wx * wy);
  }
}

function levelWeight({ level }: MetField, k: number, levelHpa: number, method: GridHumidityMethod): number {
  if (k < 0) return 0;
  if (method === 'none') return weightOf(level.knots, k, levelHpa);
  return weightOf(level.knots.subarray(k, k + 2).map(stretchLevel), 0, stretchLevel(levelHpa));
}

/** Of the knot after a cell's first; an axis of one knot has no other. */
function weightOf(knots: Float64Array, cell: number, x: number): number {
  if (knots.length === 1) return 0;
  const low = knots[cell] as number;
  return (x - low) / ((knots[cell + 1] as number) - low);
}
