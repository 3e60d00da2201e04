/** Contrail points of many flights or grid cells, one column per quantity, so that a step is a few plain loops. */

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

export type PlumeTable = Readonly<Record<PlumeColumn, Float64Array>>;

export interface Plumes {
  count: number;
  columns: PlumeTable;
}

export function makePlumes(capacity: number): Plumes {
  const columns = Object.fromEntries(
    PLUME_COLUMNS.map((name) => [name, new Float64Array(capacity)]),
  ) as unknown as PlumeTable;
  return { count: 0, columns };
}

/** Appends rows `from` to `to` (not included) of another set, making room when there is too little. */
export function appendPlumes(plumes: Plumes, other: PlumeTable, from: number, to: number): void {
  const needed = plumes.count + to - from;
  const grown =
    needed > plumes.columns.flight.length ? makePlumes(Math.max(needed, 2 * plumes.count)).columns : null;
  for (const name of PLUME_COLUMNS) {
    const target = grown === null ? plumes.columns[name] : grown[name];
    if (grown !== null) target.set(plumes.columns[name].subarray(0, plumes.count));
    target.set(other[name].subarray(from, to), plumes.count);
  }
  if (grown !== null) plumes.columns = grown;
  plumes.count = needed;
}

/** Keeps the rows whose mark is 1, in order. */
export function keepMarked(plumes: Plumes, marks: Uint8Array): void {
  const runs = runsAfterFirstGap(marks, plumes.count);
  let kept = plumes.count;
  for (const name of PLUME_COLUMNS) {
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

/** Keeps the rows whose mark is 1 in any order: the last ones fill the gaps, so that few rows move. */
export function keepMarkedUnordered(plumes: Plumes, marks: Uint8Array): void {
  const moves: number[] = [];
  let end = plumes.count;
  for (let gap = 0; gap < end; gap++) {
    if (marks[gap] === 1) continue;
    end--;
    while (end > gap && marks[end] !== 1) end--;
    if (end > gap) moves.push(end, gap);
  }
  for (const name of PLUME_COLUMNS) {
    const column = plumes.columns[name];
    for (let m = 0; m < moves.length; m += 2)
      column[moves[m + 1] as number] = column[moves[m] as number] as number;
  }
  plumes.count = end;
}

/** Brings the rows into the order of an index list. */
export function reorderPlumes(plumes: Plumes, order: Uint32Array, scratch: Float64Array): void {
  for (const name of PLUME_COLUMNS) {
    const column = plumes.columns[name];
    for (let i = 0; i < order.length; i++) scratch[i] = column[order[i] as number] as number;
    column.set(scratch.subarray(0, order.length));
  }
}
