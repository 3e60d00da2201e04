/** Formats of telemetry that can be read. In a separate file, so command lines can list them without the readers. */
export const SOURCE_FORMATS = [
  'readsb_aircraft_json',
  'readsb_trace_json',
  'opensky_state_csv',
  'opensky_states_json',
  'target_ndjson',
  'table',
] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];
