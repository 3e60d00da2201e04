export { worldAirports } from './airports/airport-table.ts';
export { type Airport, type Airports, indexAirports } from './airports/airports.ts';
export {
  type BuildSettings,
  type BuiltAirframe,
  type BuiltFlight,
  buildFlights,
  type FlightOutcome,
} from './build/build-flights.ts';
export { FLIGHT_QUALITY, type QualityGrade } from './build/quality.ts';
export type { PressureAltitude } from './heal/altitude.ts';
export type { HealCounts, LegEnd } from './heal/heal.ts';
export type { LegAttributes } from './heal/settle.ts';
export { type CutReason, cutIntoLegs, type Leg } from './legs/cut.ts';
export { LEG_NAMESPACE, type LegSpan } from './legs/leg-ids.ts';
export { segmentHours, summaryDate } from './partition.ts';
export { flightRecord, type NotComputable, trajectoryBody } from './records.ts';
export {
  type ResampledFlight,
  type ResampleSettings,
  resampledLength,
  resampleFlight,
} from './resample.ts';
export { convertRecords } from './table/convert-records.ts';
export { openTables, type TelemetryTables } from './table/read-tables.ts';
export type { AirframeReports } from './telemetry/airframe-reports.ts';
export { VIOLATIONS, type Violation, validateFlight } from './validate.ts';
