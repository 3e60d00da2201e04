/** Treatment of contrail grids for planners: neighbourhoods, buffers and costs, in this order. */
import { contrailCo2eKg } from '@contrails/physics/climate';
import { degreesToRadians, EARTH_RADIUS_M } from '@contrails/physics/common';
import { type CoolingRule, paidForcing } from '@contrails/physics/planning';

export const COST_UNITS = ['ef_per_m', 'j_per_m', 'co2e_kg_per_km', 'cost_per_nm'] as const;
export type CostUnit = (typeof COST_UNITS)[number];

export interface GridPrices {
  readonly unit: CostUnit;
  /** Of a tonne of CO2e. */
  readonly carbonPrice: number;
  readonly horizon: 20 | 50 | 100;
  readonly cooling: CoolingRule;
}

/** Plain data, which a thread can be sent. */
export interface GridTreatment {
  /** Each cell becomes the maximum over |Δi| + |Δj| ≤ so many cells. */
  readonly bufferCells: number;
  /** Each cell becomes the maximum, or the mean by area, of cells whose centres are so near. */
  readonly neighbourhoodKm: number;
  readonly neighbourhood: 'max' | 'mean';
  /** The same over stored hours of the run that are so near. */
  readonly neighbourhoodHours: number;
  /** As they are stored unless given. */
  readonly prices?: GridPrices | undefined;
}

export const NO_TREATMENT: GridTreatment = {
  bufferCells: 0,
  neighbourhoodKm: 0,
  neighbourhood: 'max',
  neighbourhoodHours: 0,
};

export const isTreated = ({
  bufferCells,
  neighbourhoodKm,
  neighbourhoodHours,
  prices,
}: GridTreatment): boolean =>
  bufferCells > 0 ||
  neighbourhoodKm > 0 ||
  neighbourhoodHours > 0 ||
  (prices !== undefined && !isStored(prices));

/** Whether values of a unit are those that are stored. */
const isStored = ({ unit }: GridPrices): boolean => unit === 'ef_per_m' || unit === 'j_per_m';

/** The axes of a plane, longitude by longitude, latitude running fastest. */
export interface PlaneAxes {
  readonly longitude: ArrayLike<number>;
  readonly latitude: ArrayLike<number>;
}

/** A plane of energy forcing per metre, treated; NaN is missing. `others` are planes of the hours around it. */
export function treatPlane(
  values: Float32Array,
  axes: PlaneAxes,
  treatment: GridTreatment,
  others: readonly Float32Array[] = [],
): Float32Array {
  const { bufferCells, neighbourhoodKm, neighbourhood, prices } = treatment;
  let plane = values;
  if (neighbourhoodKm > 0 || others.length > 0)
    plane = neighbourhoodOf([values, ...others], axes, neighbourhoodKm, neighbourhood);
  if (bufferCells > 0) plane = bufferMax(plane, axes, bufferCells);
  return prices === undefined || isStored(prices) ? plane : plane.map(valueIn(prices));
}

const METRES_PER_KM = 1000;
const METRES_PER_NM = 1852;

/** From energy forcing per metre to a unit. */
export function valueIn(prices: GridPrices): (efPerM: number) => number {
  const { unit, horizon, carbonPrice, cooling } = prices;
  const perJoule = contrailCo2eKg(1, horizon, { metric: 'gwp', set: 'lee2021', efficacy: true });
  if (unit === 'co2e_kg_per_km') return (efPerM) => METRES_PER_KM * perJoule * efPerM;
  if (unit === 'cost_per_nm')
    return (efPerM) => ((METRES_PER_NM * carbonPrice) / 1000) * perJoule * paidForcing(efPerM, cooling);
  return (efPerM) => efPerM;
}

/** How far cells outside a box can change those inside: in rows, and in degrees of longitude at its latitudes. */
export function reachOf(
  { bufferCells, neighbourhoodKm }: GridTreatment,
  [south, north]: readonly [number, number],
  cellsPerDegree: number,
): { readonly latitudeDeg: number; readonly longitudeDeg: number } {
  if (bufferCells > 0)
    return { latitudeDeg: bufferCells / cellsPerDegree, longitudeDeg: bufferCells / cellsPerDegree };
  const latitudeDeg =
    (180 / Math.PI) * ((METRES_PER_KM * neighbourhoodKm) / EARTH_RADIUS_M) + 1 / cellsPerDegree;
  const farthest = Math.min(90, Math.max(Math.abs(south), Math.abs(north)) + latitudeDeg);
  const circle = Math.cos(degreesToRadians(farthest));
  return { latitudeDeg, longitudeDeg: Math.min(360, latitudeDeg / Math.max(circle, 1e-3)) };
}

/** Whether the last column is a neighbour of the first. */
function isCyclic({ longitude }: PlaneAxes): boolean {
  const step = Math.abs((longitude[1] ?? 0) - (longitude[0] ?? 0));
  return longitude.length > 1 && Math.abs(longitude.length * step - 360) < step / 2;
}

/** The maximum over the diamond, by steps of one cell; missing cells are left out. */
function bufferMax(values: Float32Array, axes: PlaneAxes, cells: number): Float32Array {
  const [columns, rows] = [axes.longitude.length, axes.latitude.length];
  const closes = isCyclic(axes);
  let from = values.map((value) => (Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value));
  let to = new Float32Array(from.length);
  for (let step = 0; step < cells; step++) {
    for (let i = 0; i < columns; i++) {
      const west = i > 0 ? i - 1 : closes ? columns - 1 : i;
      const east = i + 1 < columns ? i + 1 : closes ? 0 : i;
      for (let j = 0; j < rows; j++) {
        let most = from[i * rows + j] as number;
        most = Math.max(most, from[west * rows + j] as number, from[east * rows + j] as number);
        if (j > 0) most = Math.max(most, from[i * rows + j - 1] as number);
        if (j + 1 < rows) most = Math.max(most, from[i * rows + j + 1] as number);
        to[i * rows + j] = most;
      }
    }
    [from, to] = [to, from];
  }
  return from.map((value) => (value === Number.NEGATIVE_INFINITY ? Number.NaN : value));
}

/** Centres may be this much farther than requested, due to rounding [m]. */
const ROUNDING_M = 1;

/** Cells whose centres lie within a distance, of all hours: for each row that is near enough, a stretch of columns. */
function neighbourhoodOf(
  hours: readonly Float32Array[],
  axes: PlaneAxes,
  km: number,
  kind: 'max' | 'mean',
): Float32Array {
  const [columns, rows] = [axes.longitude.length, axes.latitude.length];
  const closes = isCyclic(axes);
  const stepDeg = columns > 1 ? Math.abs((axes.longitude[1] as number) - (axes.longitude[0] as number)) : 360;
  const radius = (METRES_PER_KM * km + ROUNDING_M) / EARTH_RADIUS_M;
  const phi = Float64Array.from(axes.latitude, degreesToRadians);
  const cosine = phi.map((angle) => Math.max(Math.cos(angle), 0));
  const lines = Array.from({ length: rows }, (_, j) => lineOf(hours, j, columns, rows, kind));
  const out = new Float32Array(columns * rows);
  const [sum, weight] = [new Float64Array(columns), new Float64Array(columns)];
  for (let j = 0; j < rows; j++) {
    sum.fill(kind === 'max' ? Number.NEGATIVE_INFINITY : 0);
    weight.fill(0);
    for (let other = 0; other < rows; other++) {
      const half = halfWidth(phi[j] as number, phi[other] as number, radius, degreesToRadians(stepDeg));
      if (half < 0) continue;
      const { values: line, counts } = lines[other] as RowOfHours;
      const width = Math.min(half, columns);
      if (kind === 'max') slideMax(sum, line, width, closes);
      else slideSum(sum, weight, line, counts, width, closes, Math.max(cosine[other] as number, MIN_WEIGHT));
    }
    for (let i = 0; i < columns; i++) {
      const isKnown = kind === 'max' ? sum[i] !== Number.NEGATIVE_INFINITY : (weight[i] as number) > 0;
      const value = kind === 'max' ? (sum[i] as number) : (sum[i] as number) / (weight[i] as number);
      out[i * rows + j] = isKnown ? value : Number.NaN;
    }
  }
  return out;
}

interface RowOfHours {
  /** The maximum of the known hours, NaN for none; or their sum. */
  readonly values: Float64Array;
  /** Known hours. */
  readonly counts: Uint8Array;
}

function lineOf(
  hours: readonly Float32Array[],
  row: number,
  columns: number,
  rows: number,
  kind: 'max' | 'mean',
): RowOfHours {
  const values = new Float64Array(columns).fill(kind === 'max' ? Number.NaN : 0);
  const counts = new Uint8Array(columns);
  for (const plane of hours) {
    for (let i = 0; i < columns; i++) {
      const value = plane[i * rows + row] as number;
      if (Number.isNaN(value)) continue;
      counts[i] = (counts[i] as number) + 1;
      if (kind === 'mean') values[i] = (values[i] as number) + value;
      else if (!((values[i] as number) >= value)) values[i] = value;
    }
  }
  return { values, counts };
}

/** Cells at the poles have no area, and are the only ones there. */
const MIN_WEIGHT = 1e-9;

/** Columns on each side that lie within a distance [rad] on another row; −1 for none. */
function halfWidth(phi: number, other: number, radius: number, step: number): number {
  const rest = Math.sin(radius / 2) ** 2 - Math.sin((other - phi) / 2) ** 2;
  if (rest < 0) return -1;
  const share = rest / Math.max(Math.cos(phi) * Math.cos(other), Number.MIN_VALUE);
  return share >= 1 ? Number.MAX_SAFE_INTEGER : Math.floor((2 * Math.asin(Math.sqrt(share))) / step);
}

/** Raises each value to the maximum of the line within so many indices. */
function slideMax(out: Float64Array, line: Float64Array, half: number, closes: boolean): void {
  const count = line.length;
  if (2 * half + 1 >= count && closes) {
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < count; i++) if ((line[i] as number) > most) most = line[i] as number;
    for (let i = 0; i < count; i++) if (most > (out[i] as number)) out[i] = most;
    return;
  }
  // Indices of falling values: the first is the largest within reach.
  const queue = new Int32Array(count + 2 * half + 1);
  let [head, tail] = [0, 0];
  const valueAt = (index: number) => line[((index % count) + count) % count] as number;
  const [first, last] = closes ? [-half, count - 1 + half] : [0, count - 1];
  let next = first;
  for (let i = 0; i < count; i++) {
    for (; next <= Math.min(i + half, last); next++) {
      const value = valueAt(next);
      if (Number.isNaN(value)) continue;
      while (tail > head && valueAt(queue[tail - 1] as number) <= value) tail--;
      queue[tail++] = next;
    }
    while (tail > head && (queue[head] as number) < i - half) head++;
    const most = tail > head ? valueAt(queue[head] as number) : Number.NEGATIVE_INFINITY;
    if (most > (out[i] as number)) out[i] = most;
  }
}

/** Adds to each value the sums of the line within so many indices, and how many are known, each with a weight. */
function slideSum(
  sum: Float64Array,
  weight: Float64Array,
  line: Float64Array,
  known: Uint8Array,
  half: number,
  closes: boolean,
  each: number,
): void {
  const count = line.length;
  const isWhole = 2 * half + 1 >= count;
  const [sums, counts] = [new Float64Array(count + 1), new Float64Array(count + 1)];
  for (let i = 0; i < count; i++) {
    sums[i + 1] = (sums[i] as number) + (line[i] as number);
    counts[i + 1] = (counts[i] as number) + (known[i] as number);
  }
  const between = (totals: Float64Array, from: number, end: number) =>
    (totals[end] as number) - (totals[from] as number);
  for (let i = 0; i < count; i++) {
    const [from, end] = [i - half, i + half + 1];
    for (const [totals, out] of [
      [sums, sum],
      [counts, weight],
    ] as const) {
      let all =
        isWhole && closes
          ? between(totals, 0, count)
          : between(totals, Math.max(from, 0), Math.min(end, count));
      if (closes && !isWhole) {
        if (from < 0) all += between(totals, from + count, count);
        if (end > count) all += between(totals, 0, end - count);
      }
      out[i] = (out[i] as number) + each * all;
    }
  }
}
