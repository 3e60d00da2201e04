import type { TelemetryColumns, WorkColumns } from './columns.ts';

/** Reports of one airframe, in any order. Without `onGround` all are airborne, without `legFlag` no leg is marked. */
export type AirframeReports = TelemetryColumns &
  Partial<Pick<WorkColumns, 'onGround' | 'legFlag'> & NamedReports>;

export interface NamedReports {
  /** Reports with the same number have the same texts and scheduled times: most are looked at once. */
  readonly nameIds: Float64Array;
}

/** Altitude [ft] of a report: of pressure where it is known, else geometric. */
export function knownAltitudeFt(
  { altitude_baro, altitude_gnss }: Pick<TelemetryColumns, 'altitude_baro' | 'altitude_gnss'>,
  row: number,
): number {
  const baro = altitude_baro[row] as number;
  return Number.isNaN(baro) ? (altitude_gnss[row] as number) : baro;
}

/** Of these rows, the first with each number of names; all of them where names have no numbers. */
export function differentNames({ nameIds }: Partial<NamedReports>, rows: Uint32Array): Uint32Array {
  if (nameIds === undefined || rows.length === 0) return rows;
  const found: number[] = [];
  const ids = new Set<number>();
  let last = Number.NaN;
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k] as number;
    const id = nameIds[row] as number;
    if (id === last) continue;
    last = id;
    if (ids.has(id)) continue;
    ids.add(id);
    found.push(row);
  }
  return Uint32Array.from(found);
}

/** 0, 1, 2, … */
export function rowNumbers(count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  return rows;
}

/** These rows in order of time; rows of the same time keep their order. */
export function inTimeOrder(timestamp: Float64Array, rows: Uint32Array): Uint32Array {
  for (let k = 1; k < rows.length; k++) {
    if (timeAt(timestamp, rows, k) >= timeAt(timestamp, rows, k - 1)) continue;
    return Uint32Array.from(
      Array.from(rows).sort((a, b) => (timestamp[a] as number) - (timestamp[b] as number)),
    );
  }
  return rows;
}

export function timeAt(timestamp: Float64Array, rows: Uint32Array, k: number): number {
  return timestamp[rows[k] as number] as number;
}
