/** Contrails above and below each other share the radiation; an option of the model for groups of flights. */
import { cellAreaM2 } from '../geodesy/sphere.ts';
import type { CocipParams } from './params.ts';
import type { PlumeTable } from './plumes.ts';
import { updateForcing } from './properties.ts';
import { setOptions } from './vector/index.ts';

const SPACING_DEG = 0.25;

/**
 * Corrects radiation, cirrus and forcing of points that share one time, layer by layer from the lowest upward: contrails
 * above dim a layer, contrails below change what it reflects and receives. Points in no layer get 0. The energy of
 * the step just finished stays; the corrected forcing starts the next one.
 */
export function overlapContrails(plumes: PlumeTable, count: number, params: CocipParams): void {
  if (count === 0) return;
  const lowest = params.minAltitudeM ?? Number.NEGATIVE_INFINITY;
  const highest = params.maxAltitudeM ?? Number.POSITIVE_INFINITY;
  if (!Number.isFinite(lowest) || !Number.isFinite(highest)) {
    throw new RangeError('overlapping contrails need minAltitudeM and maxAltitudeM');
  }
  const grid = new CoverGrid(plumes, count);
  const reflected = grid.field();
  const emitted = grid.field();
  const inLayer = new Uint8Array(count);
  for (let base = lowest; base < highest; base += params.dzOverlapM) {
    const top = base + params.dzOverlapM;
    const rows = rowsBetween(plumes, count, base, top);
    if (rows.length === 0) continue;
    const above = grid.field();
    for (let i = 0; i < count; i++) {
      const altitude = plumes.altitude[i] as number;
      if (altitude >= top && altitude <= highest) grid.add(above, i, plumes.opticalDepth[i] as number);
    }
    for (const i of rows) {
      inLayer[i] = 1;
      const sdr = plumes.sdr[i] as number;
      const olr = plumes.olr[i] as number;
      plumes.cirrusOpticalDepth[i] = (plumes.cirrusOpticalDepth[i] as number) + grid.interpolate(above, i);
      plumes.rsr[i] = Math.min(sdr, (plumes.rsr[i] as number) + grid.interpolate(reflected, i));
      plumes.olr[i] = Math.max(0.8 * olr, olr + grid.interpolate(emitted, i));
    }
    refreshForcing(plumes, count, params);
    for (const i of rows) {
      grid.add(reflected, i, Math.abs(plumes.rfSw[i] as number));
      grid.add(emitted, i, -(plumes.rfLw[i] as number));
    }
  }
  for (let i = 0; i < count; i++) {
    if (inLayer[i] === 1) continue;
    plumes.rsr[i] = plumes.olr[i] = plumes.cirrusOpticalDepth[i] = 0;
    plumes.rfSw[i] = plumes.rfLw[i] = plumes.rfNet[i] = 0;
  }
}

/** The forcing without enhancement factors. */
function refreshForcing(plumes: PlumeTable, count: number, params: CocipParams): void {
  const plain = { ...params, rfSwEnhancementFactor: 1, rfLwEnhancementFactor: 1 };
  setOptions(plain);
  updateForcing(plumes, count, plain);
}

function rowsBetween(plumes: PlumeTable, count: number, base: number, top: number): number[] {
  const rows: number[] = [];
  for (let i = 0; i < count; i++) {
    const altitude = plumes.altitude[i] as number;
    if (altitude >= base && altitude < top) rows.push(i);
  }
  return rows;
}

/** Contrail cover per area on a quarter-degree grid around the points; values live on nodes. */
class CoverGrid {
  private readonly plumes: PlumeTable;
  private readonly west: number;
  private readonly south: number;
  private readonly columns: number;
  private readonly rows: number;

  constructor(plumes: PlumeTable, count: number) {
    this.plumes = plumes;
    let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < count; i++) {
      west = Math.min(west, plumes.longitude[i] as number);
      east = Math.max(east, plumes.longitude[i] as number);
      south = Math.min(south, plumes.latitude[i] as number);
      north = Math.max(north, plumes.latitude[i] as number);
    }
    this.west = Math.max(Math.floor(west - 1), -180);
    this.south = Math.max(Math.floor(south - 1), -90);
    this.columns = nodes(this.west, Math.min(Math.ceil(east + 1), 179.99));
    this.rows = nodes(this.south, Math.min(Math.ceil(north + 1), 90));
  }

  field(): Float64Array {
    return new Float64Array(this.columns * this.rows);
  }

  /** Adds a quantity of a point, weighted by its area over that of the cell. */
  add(field: Float64Array, i: number, quantity: number): void {
    const column = cellBelow(this.plumes.longitude[i] as number, this.west);
    const row = cellBelow(this.plumes.latitude[i] as number, this.south);
    const cell = column * this.rows + row;
    const area = cellAreaM2(this.south + row * SPACING_DEG, SPACING_DEG, SPACING_DEG);
    const covered = (this.plumes.length[i] as number) * (this.plumes.width[i] as number);
    field[cell] = (field[cell] as number) + (quantity * covered) / area;
  }

  interpolate(field: Float64Array, i: number): number {
    const x = ((this.plumes.longitude[i] as number) - this.west) / SPACING_DEG;
    const y = ((this.plumes.latitude[i] as number) - this.south) / SPACING_DEG;
    const column = Math.min(Math.floor(x), this.columns - 2);
    const row = Math.min(Math.floor(y), this.rows - 2);
    const wx = x - column;
    const wy = y - row;
    const at = (c: number, r: number) => field[c * this.rows + r] as number;
    return (
      (at(column, row) * (1 - wx) + at(column + 1, row) * wx) * (1 - wy) +
      (at(column, row + 1) * (1 - wx) + at(column + 1, row + 1) * wx) * wy
    );
  }
}

/** Nodes from a first value in steps of the spacing, below the last value + 0.01. */
function nodes(first: number, last: number): number {
  return Math.ceil((last + 0.01 - first) / SPACING_DEG);
}

/** The largest node strictly below a coordinate. */
function cellBelow(coordinate: number, first: number): number {
  return Math.ceil((coordinate - first) / SPACING_DEG) - 1;
}
