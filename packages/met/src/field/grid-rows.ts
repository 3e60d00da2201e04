/**
 * Temperature and humidity of a regular grid, parallel by parallel. Neighbouring cells share what surrounds them, so
 * level and time are interpolated once for each stored column instead of once for each cell and corner: several times
 * as quick as `sampleInto`, and the same but for the last bits. A cell's value does not depend on which other cells are asked
 * for.
 */
import { stretchLevel } from '@contrails/physics/atmosphere';
import { cellOf, weightOf } from './axis.ts';
import type { FieldValues, MetField } from './field.ts';

export interface GridRows {
  /** Goes to a level [hPa]; has to be called before the first row. */
  toLevel(levelHpa: number): void;
  /** Fills one value for each meridian on a parallel [°]; NaN outside the field or next to missing values. */
  sampleInto(temperatureK: Float64Array, specificHumidity: Float64Array, latitude: number): void;
}

/** How humidity is interpolated between levels on grids. */
type GridHumidityMethod = 'none' | 'cubic-spline';

/** The meridians may be in any order; the time is within the field. */
export function openGridRows(
  field: MetField,
  longitude: Float64Array,
  timeMs: number,
  humidityMethod: GridHumidityMethod = 'none',
): GridRows {
  const meridians = placeMeridians(field, longitude);
  const stored = new StoredRows(field, meridians.columns, timeMs);
  const parallel = new Float64Array(meridians.columns.length);
  return {
    toLevel(levelHpa) {
      const k = cellOf(field.level, levelHpa);
      const weights = (['none', humidityMethod] as const).map((method) =>
        levelWeight(field, k, levelHpa, method),
      );
      stored.toLevel(k, weights[0] as number, weights[1] as number);
    },
    sampleInto(temperatureK, specificHumidity, latitude) {
      const j = cellOf(field.latitude, latitude);
      if (j < 0 || stored.isOutside) {
        temperatureK.fill(Number.NaN);
        specificHumidity.fill(Number.NaN);
        return;
      }
      const weight = weightOf(field.latitude.knots, j, latitude);
      const [south, north] = [stored.row(j), stored.rowAfter(j)];
      betweenRowsInto(parallel, south.temperature, north.temperature, weight);
      alongRowInto(temperatureK, parallel, meridians);
      betweenRowsInto(parallel, south.humidity, north.humidity, weight);
      alongRowInto(specificHumidity, parallel, meridians);
    },
  };
}

/** Indices of a grid's meridians among the stored ones. */
interface Meridians {
  /** Stored columns that are needed, each once. */
  readonly columns: Int32Array;
  /** For each meridian the indices of its neighbours in `columns`; −1 outside the field. */
  readonly west: Int32Array;
  readonly east: Int32Array;
  /** Of the eastern neighbour. */
  readonly weight: Float64Array;
  /** Whether the meridians are the stored ones in order, as those of reanalyses often are. */
  readonly isStored: boolean;
}

function placeMeridians({ longitude: axis }: MetField, longitude: Float64Array): Meridians {
  const cells = Int32Array.from(longitude, (degrees) => cellOf(axis, degrees));
  const next = axis.knots.length > 1 ? 1 : 0;
  const needed = new Set([...cells].filter((i) => i >= 0).flatMap((i) => [i, i + next]));
  const columns = Int32Array.from(needed).sort();
  const indices = new Map(Array.from(columns, (column, index) => [column, index]));
  const west = cells.map((i) => indices.get(i) ?? -1);
  const east = cells.map((i) => (i < 0 ? -1 : (indices.get(i + next) ?? -1)));
  const weight = longitude.map((degrees, p) =>
    (cells[p] as number) < 0 ? 0 : weightOf(axis.knots, cells[p] as number, degrees),
  );
  const isStored = west.every((index, p) => index === p && east[p] === p + 1 && weight[p] === 0);
  return { columns, west, east, weight, isStored };
}

interface Row {
  /** Number of the stored row that the values are of; −1 none. */
  j: number;
  readonly temperature: Float64Array;
  readonly humidity: Float64Array;
}

/** Both variables at one level and time on stored columns, row by row; the last two rows are kept. */
class StoredRows {
  private readonly field: MetField;
  private readonly columns: Int32Array;
  private readonly temperatureAt: number;
  private readonly humidityAt: number;
  private readonly early: FieldValues;
  private readonly late: FieldValues;
  private readonly timeWeight: number;
  private readonly rows: readonly [Row, Row];
  private k = -1;
  private temperatureWeight = 0;
  private humidityWeight = 0;

  constructor(field: MetField, columns: Int32Array, timeMs: number) {
    const l = cellOf(field.time, timeMs);
    if (l < 0) throw new RangeError('the field has no weather at this time');
    this.field = field;
    this.columns = columns;
    this.temperatureAt = indexOf(field, 'air_temperature');
    this.humidityAt = indexOf(field, 'specific_humidity');
    this.early = field.slabs[l] as FieldValues;
    this.late = field.slabs[Math.min(l + 1, field.slabs.length - 1)] as FieldValues;
    this.timeWeight = weightOf(field.time.knots, l, timeMs);
    const emptyRow = (): Row => ({
      j: -1,
      temperature: new Float64Array(columns.length),
      humidity: new Float64Array(columns.length),
    });
    this.rows = [emptyRow(), emptyRow()];
  }

  get isOutside(): boolean {
    return this.k < 0;
  }

  toLevel(k: number, temperatureWeight: number, humidityWeight: number): void {
    this.k = k;
    this.temperatureWeight = temperatureWeight;
    this.humidityWeight = humidityWeight;
    for (const row of this.rows) row.j = -1;
  }

  /** The row after one, or itself where the field has no other. */
  rowAfter(j: number): Row {
    return this.row(Math.min(j + 1, this.field.latitude.knots.length - 1));
  }

  /** The values of a stored row; those of two neighbouring rows can be used together. */
  row(j: number): Row {
    const row = this.rows[j & 1] as Row;
    if (row.j !== j) this.fill(row, j);
    row.j = j;
    return row;
  }

  /** Both variables in one go: they share cache lines. */
  private fill({ temperature, humidity }: Row, j: number): void {
    const { columns, early, late, timeWeight, temperatureWeight, humidityWeight } = this;
    const { longitude, level, variables } = this.field;
    const stride = level.knots.length * variables.length;
    const below = level.knots.length > 1 ? variables.length : 0;
    const start = j * longitude.knots.length * stride + this.k * variables.length;
    const [toTemperature, toHumidity] = [this.temperatureAt, this.humidityAt];
    if (early === late) {
      for (let c = 0; c < columns.length; c++) {
        const column = start + (columns[c] as number) * stride;
        const t = column + toTemperature;
        const q = column + toHumidity;
        temperature[c] = between(early[t] as number, early[t + below] as number, temperatureWeight);
        humidity[c] = between(early[q] as number, early[q + below] as number, humidityWeight);
      }
      return;
    }
    for (let c = 0; c < columns.length; c++) {
      const column = start + (columns[c] as number) * stride;
      const t = column + toTemperature;
      const q = column + toHumidity;
      const earlyT = between(early[t] as number, early[t + below] as number, temperatureWeight);
      const earlyQ = between(early[q] as number, early[q + below] as number, humidityWeight);
      const lateT = between(late[t] as number, late[t + below] as number, temperatureWeight);
      const lateQ = between(late[q] as number, late[q + below] as number, humidityWeight);
      temperature[c] = between(earlyT, lateT, timeWeight);
      humidity[c] = between(earlyQ, lateQ, timeWeight);
    }
  }
}

/** `weight` is that of the second value; a missing one makes the result missing even without weight. */
function between(first: number, second: number, weight: number): number {
  return first * (1 - weight) + second * weight;
}

function betweenRowsInto(out: Float64Array, south: Float64Array, north: Float64Array, weight: number): void {
  for (let c = 0; c < out.length; c++) out[c] = between(south[c] as number, north[c] as number, weight);
}

function alongRowInto(out: Float64Array, row: Float64Array, meridians: Meridians): void {
  const { west, east, weight, isStored } = meridians;
  if (isStored) {
    for (let p = 0; p < out.length; p++) out[p] = between(row[p] as number, row[p + 1] as number, 0);
    return;
  }
  for (let p = 0; p < out.length; p++) {
    const a = west[p] as number;
    out[p] =
      a < 0 ? Number.NaN : between(row[a] as number, row[east[p] as number] as number, weight[p] as number);
  }
}

function indexOf({ variables }: MetField, name: string): number {
  const index = variables.indexOf(name);
  if (index < 0) throw new RangeError(`the field has no ${name}`);
  return index;
}

function levelWeight({ level }: MetField, k: number, levelHpa: number, method: GridHumidityMethod): number {
  if (k < 0) return 0;
  if (method === 'none') return weightOf(level.knots, k, levelHpa);
  return weightOf(level.knots.subarray(k, k + 2).map(stretchLevel), 0, stretchLevel(levelHpa));
}
