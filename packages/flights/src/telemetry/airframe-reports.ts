import type { TelemetryColumns, WorkColumns } from './columns.ts';

/** Reports of one airframe, in any order. Without `onGround` all are airborne, without `legFlag` no leg is marked. */
export type AirframeReports = TelemetryColumns & Partial<Pick<WorkColumns, 'onGround' | 'legFlag'>>;

/** Altitude [ft] of a report: of pressure where it is known, else geometric. */
export function knownAltitudeFt(
  { altitude_baro, altitude_gnss }: Pick<TelemetryColumns, 'altitude_baro' | 'altitude_gnss'>,
  row: number,
): number {
  const baro = altitude_baro[row] as number;
  return Number.isNaN(baro) ? (altitude_gnss[row] as number) : baro;
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
