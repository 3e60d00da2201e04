/** Why a record of an input is not a row of the telemetry table. Each record has the first reason of this list that applies. */

/** Filtered records are counted; quarantined ones are kept with their text, because they may be right after a fix. */
export type RefusalKind = 'filtered' | 'quarantined';

/** In the order in which they are checked. The last two depend on the other rows of an hour. */
export const REFUSALS = {
  parse_error: 'quarantined',
  missing_address: 'quarantined',
  non_icao_address: 'filtered',
  bad_address: 'quarantined',
  missing_position: 'filtered',
  missing_time: 'quarantined',
  time_in_future: 'quarantined',
  position_out_of_range: 'quarantined',
  null_island: 'quarantined',
  stale_position: 'filtered',
  on_ground: 'filtered',
  surface_vehicle: 'filtered',
  missing_altitude: 'filtered',
  altitude_out_of_range: 'quarantined',
  duplicate: 'filtered',
  conflicting_duplicate: 'quarantined',
  thinned: 'filtered',
  late: 'quarantined',
} as const satisfies Readonly<Record<string, RefusalKind>>;

export type RefusalCode = keyof typeof REFUSALS;

export interface Refusal {
  /** Number of the record in the input, from 0. */
  readonly record: number;
  readonly code: RefusalCode;
  readonly detail: string;
  /** Address of the transponder as it was given, where the record has one. */
  readonly address?: string;
  /** Time of the report [ms since 1970], where it has one. */
  readonly timeMs?: number;
  /** Quarantined records only: a document of the same format that holds this record alone, so it can be read again. */
  readonly raw?: string;
}

export function isQuarantined(code: RefusalCode): boolean {
  return REFUSALS[code] === 'quarantined';
}
