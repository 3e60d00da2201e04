import type { TelemetryColumns, WorkColumns } from './columns.ts';

/** Reports of one airframe, in any order. Without `onGround` all are airborne, without `legFlag` no leg is marked. */
export type AirframeReports = TelemetryColumns &
  Partial<Pick<WorkColumns, 'onGround' | 'legFlag'>> &
  Partial<NamedReports>;

/** What rarely changes from one report of an airframe to the next. */
export type NameColumns = Pick<
  TelemetryColumns,
  | 'icao_address'
  | 'collection_type'
  | 'flight_id'
  | 'callsign'
  | 'tail_number'
  | 'flight_number'
  | 'aircraft_type_icao'
  | 'airline_iata'
  | 'departure_airport_icao'
  | 'departure_scheduled_time'
  | 'arrival_airport_icao'
  | 'arrival_scheduled_time'
>;

/** Reports whose names are also listed, each combination once, so most need not be checked report by report. */
export interface NamedReports {
  readonly names: NameColumns;
  /** The index of each report's names in the list. */
  readonly nameIndex: Uint32Array;
}

/**
 * Where all names of these reports stand: indices in their list, each once, or else the reports themselves. Columns of names
 * are those of `reports.names ?? reports`.
 */
export function namesAmong({ nameIndex }: Partial<NamedReports>, rows: Uint32Array): Uint32Array {
  if (nameIndex === undefined) return rows;
  const found = new Set<number>();
  let last = -1;
  for (let k = 0; k < rows.length; k++) {
    const index = nameIndex[rows[k] as number] as number;
    if (index === last) continue;
    last = index;
    found.add(index);
  }
  return Uint32Array.from(found);
}

/** Where the names of a report stand: in the list, or else in the reports themselves. */
export function nameRow({ nameIndex }: Partial<NamedReports>, row: number): number {
  return nameIndex === undefined ? row : (nameIndex[row] as number);
}

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
