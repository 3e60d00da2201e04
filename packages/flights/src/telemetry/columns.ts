/**
 * Telemetry as columns: position reports of aircraft, one value for each report. The 19 columns of the telemetry table keep
 * their public names; the work columns stay inside the pipeline and are never served.
 */

/** The columns of the telemetry table, in the order of the file. */
export const TELEMETRY_COLUMNS = [
  'timestamp',
  'latitude',
  'longitude',
  'collection_type',
  'altitude_baro',
  'altitude_gnss',
  'icao_address',
  'flight_id',
  'callsign',
  'tail_number',
  'flight_number',
  'aircraft_type_icao',
  'airline_iata',
  'departure_airport_icao',
  'departure_scheduled_time',
  'arrival_airport_icao',
  'arrival_scheduled_time',
  'nic',
  'nacp',
] as const;

export type TelemetryColumnName = (typeof TELEMETRY_COLUMNS)[number];

export type CollectionType = 'terrestrial' | 'satellite';

type Text = readonly (string | null)[];

/** NaN is an unknown number, null an unknown text. Times are milliseconds since 1970, UTC; altitudes are feet. */
export interface TelemetryColumns {
  readonly timestamp: Float64Array;
  readonly latitude: Float64Array;
  /** −180 ≤ longitude < 180. */
  readonly longitude: Float64Array;
  readonly collection_type: readonly CollectionType[];
  readonly altitude_baro: Float64Array;
  readonly altitude_gnss: Float64Array;
  /** Six upper-case hexadecimal digits. */
  readonly icao_address: readonly string[];
  readonly flight_id: Text;
  readonly callsign: Text;
  readonly tail_number: Text;
  readonly flight_number: Text;
  readonly aircraft_type_icao: Text;
  readonly airline_iata: Text;
  readonly departure_airport_icao: Text;
  readonly departure_scheduled_time: Float64Array;
  readonly arrival_airport_icao: Text;
  readonly arrival_scheduled_time: Float64Array;
  readonly nic: Float64Array;
  readonly nacp: Float64Array;
}

/** Where a position comes from, best first. */
export const POSITION_SOURCES = ['adsb', 'adsr', 'tisb', 'mlat', 'adsc', 'other'] as const;
export type PositionSource = (typeof POSITION_SOURCES)[number];

/** What the pipeline knows of a report beyond the 19 columns. */
export interface WorkColumns {
  /** Index in `POSITION_SOURCES`. */
  readonly positionSource: Uint8Array;
  /** Age of the position when it was received [s]. */
  readonly positionAgeS: Float64Array;
  /** 1 where the source marks the start of a new leg. */
  readonly legFlag: Uint8Array;
  /** 1 where the aircraft is on the ground; such a report is not a row of the table, but it separates legs. */
  readonly onGround: Uint8Array;
}
