/** Contrail points of many flights or grid cells, one column per quantity, so a step is a few plain loops. */
import { takeNumbers } from '../vector/wasm/memory.ts';
import type { CocipParams } from './params.ts';

export const PLUME_COLUMNS = [
  // Whose contrail it is: index of the flight (or 0) and of the waypoint (or grid cell) that formed it.
  'flight',
  'waypoint',
  // [ms since 1970]
  'formationTimeMs',
  'timeMs',
  // Position [°, °, hPa, m, Pa].
  'longitude',
  'latitude',
  'level',
  'altitude',
  'pressure',
  // Cross-section [m, m, m²].
  'width',
  'depth',
  'sigmaYz',
  // Air at the point [K, kg kg⁻¹, kg kg⁻¹, kg m⁻³, fraction]; humidity is scaled.
  'temperature',
  'humidity',
  'saturation',
  'density',
  'rhi',
  // Ice [kg kg⁻¹, m⁻¹].
  'iceWaterContent',
  'particles',
  // Weather at the point and dz below it [m s⁻¹, m s⁻¹, Pa s⁻¹, –, K, m s⁻¹, m s⁻¹].
  'u',
  'v',
  'omega',
  'cirrusOpticalDepth',
  'temperatureBelow',
  'uBelow',
  'vBelow',
  // Unclipped gradient of potential temperature [K m⁻¹] and enhanced shear [s⁻¹], total and normal to the segment.
  'thetaGradient',
  'shear',
  'normalShear',
  // Radiation [W m⁻²]: as the weather gives it, and as the forcing needs it.
  'shortwave',
  'longwave',
  'sdr',
  'rsr',
  'olr',
  // Properties of the plume [m², kg m⁻¹, m, m s⁻¹, m² s⁻¹, m² s⁻¹, m⁻³, –, m s⁻¹, s⁻¹].
  'area',
  'massPerM',
  'radius',
  'fallSpeed',
  'diffusivityH',
  'diffusivityV',
  'particlesPerM3',
  'opticalDepth',
  'aggregation',
  'turbulence',
  // Forcing [W m⁻²].
  'rfSw',
  'rfLw',
  'rfNet',
  // Segment to the next point [m, –, –]; all 0 where the chain is broken.
  'length',
  'sinA',
  'cosA',
  // Of the last step [J, s].
  'energyForcing',
  'age',
  // Options: accumulated mean and differential heating [K], their rates [K s⁻¹], end of life [ms, NaN: not yet].
  'heat',
  'differentialHeat',
  'heatingRate',
  'differentialHeatingRate',
  'endOfLifeMs',
] as const;

export type PlumeColumn = (typeof PLUME_COLUMNS)[number];

/** What a step needs of the one before it. */
const CARRIED_COLUMNS: readonly PlumeColumn[] = [
  'flight',
  'waypoint',
  'formationTimeMs',
  'timeMs',
  'longitude',
  'latitude',
  'level',
  'altitude',
  'width',
  'depth',
  'sigmaYz',
  'humidity',
  'saturation',
  'density',
  'iceWaterContent',
  'particles',
  'u',
  'v',
  'omega',
  'uBelow',
  'vBelow',
  'normalShear',
  'massPerM',
  'fallSpeed',
  'diffusivityH',
  'diffusivityV',
  'aggregation',
  'turbulence',
  'rfNet',
  'length',
];

/** What it also needs when options of the model are on. */
const CARRIED_FOR_OPTIONS: readonly PlumeColumn[] = [
  'temperature',
  'pressure',
  'area',
  'radius',
  'particlesPerM3',
  'heat',
  'differentialHeat',
  'heatingRate',
  'differentialHeatingRate',
  'endOfLifeMs',
];

/** Columns that go along when rows change places between steps. */
export function carriedColumns(params: CocipParams): readonly PlumeColumn[] {
  const hasOptions =
    params.revisedContrailIceBudget || params.radiativeHeatingEffects || params.persistentBufferS !== null;
  return hasOptions ? [...CARRIED_COLUMNS, ...CARRIED_FOR_OPTIONS] : CARRIED_COLUMNS;
}

/**
 * Whether a point is in the weather, but its wind or vertical velocity is missing there: where it goes is unknown. A point
 * that has left the weather has no humidity either.
 */
export function isAdrift({ u, v, omega, humidity }: PlumeTable, i: number): boolean {
  const motion = (u[i] as number) + (v[i] as number) + (omega[i] as number);
  return Number.isNaN(motion) && !Number.isNaN(humidity[i]);
}

/** What a step remembers of its start or works out on the way; rows that move to another place leave it behind. */
const STEP_COLUMNS = [
  'dtS',
  'lengthBefore',
  'widthBefore',
  'forcingBefore',
  'humidityBefore',
  'saturationBefore',
  'massBefore',
  'sineOfLatitude',
  'cosineOfLatitude',
  'lnPressure',
  'lnTemperature',
  // [hPa], dz below the point.
  'levelBelow',
  'potentialTemperature',
  'shearEnhancement',
  // [W m⁻²] at the top of the atmosphere, at normal incidence.
  'solarIrradiance',
] as const;

export const TABLE_COLUMNS = [...PLUME_COLUMNS, ...STEP_COLUMNS] as const;

export type TableColumn = (typeof TABLE_COLUMNS)[number];

export type PlumeTable = Readonly<Record<TableColumn, Float64Array>>;

export interface Plumes {
  count: number;
  columns: PlumeTable;
}

/** Numbers between two columns: at distances of whole kilobytes, columns would push each other out of the cache. */
const CACHE_STAGGER = 56;

/**
 * A set with room for a number of rows, in one block of memory that kernels can reach: column k begins k strides after
 * the first. Rows that are not in the set hold anything.
 */
export function makePlumes(capacity: number): Plumes {
  const stride = 2 * Math.ceil((capacity + CACHE_STAGGER) / 2);
  const block = takeNumbers(TABLE_COLUMNS.length * stride);
  const columns = Object.fromEntries(
    TABLE_COLUMNS.map((name, k) => [name, block.subarray(k * stride, k * stride + capacity)]),
  ) as unknown as PlumeTable;
  // Kernels read the flight of the row after the last one.
  block[capacity] = Number.NaN;
  return { count: 0, columns };
}

/** Appends rows `from` to `to` (not included) of another set, in the columns named. */
export function appendPlumes(
  plumes: Plumes,
  other: PlumeTable,
  from: number,
  to: number,
  columns: readonly PlumeColumn[],
): void {
  for (const name of columns) plumes.columns[name].set(other[name].subarray(from, to), plumes.count);
  plumes.count += to - from;
}

/** Keeps the rows whose mark is 1, in order, in the columns named. */
export function keepMarked(plumes: Plumes, marks: Uint8Array, columns: readonly PlumeColumn[]): void {
  const runs = runsAfterFirstGap(marks, plumes.count);
  if (runs.first === plumes.count) return;
  let kept = plumes.count;
  for (const name of columns) {
    const column = plumes.columns[name];
    kept = runs.first;
    for (let r = 0; r < runs.bounds.length; r += 2) {
      const from = runs.bounds[r] as number;
      const to = runs.bounds[r + 1] as number;
      if (to - from > LONG_RUN) column.copyWithin(kept, from, to);
      else for (let i = from; i < to; i++) column[kept + i - from] = column[i] as number;
      kept += to - from;
    }
  }
  plumes.count = kept;
}

/** Beyond this length a block copy is faster than a loop. */
const LONG_RUN = 32;

/** The rows before the first gap, and the runs of marked rows (from, to, …) after it. */
function runsAfterFirstGap(marks: Uint8Array, count: number): { first: number; bounds: number[] } {
  let first = 0;
  while (first < count && marks[first] === 1) first++;
  const bounds: number[] = [];
  for (let i = first; i < count; ) {
    while (i < count && marks[i] !== 1) i++;
    if (i === count) break;
    bounds.push(i);
    while (i < count && marks[i] === 1) i++;
    bounds.push(i);
  }
  return { first, bounds };
}

/** Keeps the rows whose mark is 1 in any order: the last ones fill the gaps, so few rows move. */
export function keepMarkedUnordered(
  plumes: Plumes,
  marks: Uint8Array,
  columns: readonly PlumeColumn[],
): void {
  const moves: number[] = [];
  let end = plumes.count;
  for (let gap = 0; gap < end; gap++) {
    if (marks[gap] === 1) continue;
    end--;
    while (end > gap && marks[end] !== 1) end--;
    if (end > gap) moves.push(end, gap);
  }
  for (const name of columns) {
    const column = plumes.columns[name];
    for (let m = 0; m < moves.length; m += 2)
      column[moves[m + 1] as number] = column[moves[m] as number] as number;
  }
  plumes.count = end;
}

/**
 * Adds rows of another set, in the columns named. Both sets and the list of rows are ordered by flight and waypoint, and
 * so is the answer.
 */
export function mergeRows(
  plumes: Plumes,
  other: PlumeTable,
  rows: Uint32Array,
  columns: readonly PlumeColumn[],
): void {
  const total = plumes.count + rows.length;
  const indices = indicesOfMerged(plumes, other, rows);
  for (const name of columns) {
    const column = plumes.columns[name];
    const added = other[name];
    // From the end, so no row is written over before it has moved.
    let end = plumes.count;
    for (let k = rows.length - 1; k >= 0; k--) {
      const index = indices[k] as number;
      const start = index - k;
      if (end - start > LONG_RUN) column.copyWithin(index + 1, start, end);
      else for (let i = end - 1; i >= start; i--) column[i + k + 1] = column[i] as number;
      column[index] = added[rows[k] as number] as number;
      end = start;
    }
  }
  plumes.count = total;
}

/** Where each added row stands in the merged set. */
function indicesOfMerged(plumes: Plumes, other: PlumeTable, rows: Uint32Array): Uint32Array {
  const { flight, waypoint } = plumes.columns;
  const indices = new Uint32Array(rows.length);
  let before = 0;
  for (let k = 0; k < rows.length; k++) {
    const ofFlight = other.flight[rows[k] as number] as number;
    const ofWaypoint = other.waypoint[rows[k] as number] as number;
    while (
      before < plumes.count &&
      ((flight[before] as number) < ofFlight ||
        (flight[before] === ofFlight && (waypoint[before] as number) < ofWaypoint))
    )
      before++;
    indices[k] = before + k;
  }
  return indices;
}
