export { greatCircleKm, worldAirports } from './airports/airport-table.ts';
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
export { unpack } from './ingest/bytes.ts';
export { type CollectionSettings, openCollection, type TelemetryCollection } from './ingest/collection.ts';
export {
  compareReports,
  type QualityColumns,
  type ReportQuality,
  sameReport,
  winnerOrder,
} from './ingest/duplicates.ts';
export { DamagedError, FormatError, TooLargeError } from './ingest/errors.ts';
export { TABLE_FIELDS } from './ingest/formats/table.ts';
export { checkTable } from './ingest/formats/table-parquet.ts';
export type { GroundReports, TelemetryBlock } from './ingest/intake.ts';
export { partsOf, readParts, suffixAt, withoutOtherParts } from './ingest/parts.ts';
export { QUALITY_MARKS, type QualityRows, qualityOf } from './ingest/quality.ts';
export { type ReadOptions, readTelemetry } from './ingest/read.ts';
export {
  isQuarantined,
  REFUSALS,
  type Refusal,
  type RefusalCode,
  type RefusalKind,
} from './ingest/refusals.ts';
export { SOURCE_FORMATS, type SourceFormat } from './ingest/source-formats.ts';
export { thin } from './ingest/thin.ts';
export { type CutReason, cutIntoLegs, type Leg } from './legs/cut.ts';
export { LEG_NAMESPACE, type LegIdSettings, type LegSpan, legUuid } from './legs/leg-ids.ts';
export { segmentHours, summaryDate } from './partition.ts';
export { flightRecord, type NotComputable, trajectoryBody } from './records.ts';
export {
  type ResampledFlight,
  type ResampleSettings,
  resampledLength,
  resampleFlight,
} from './resample.ts';
export { REPORT_NAMES, reportsOf } from './table/airframe.ts';
export { type AirframeFlights, buildAirframes } from './table/build-airframes.ts';
export { convertRecords } from './table/convert-records.ts';
export { openTables, type TableSettings, type TelemetryTables } from './table/read-tables.ts';
export {
  cleanColumns,
  columnSql,
  describeTable,
  fieldSql,
  foldedSql,
  isReadableSql,
  isStoredSql,
  refusalSql,
  storedColumnsSql,
  type TableColumns,
  withPartsSql,
} from './table/table-sql.ts';
export type { AirframeReports } from './telemetry/airframe-reports.ts';
export {
  type CollectionType,
  POSITION_SOURCES,
  type PositionSource,
  TELEMETRY_COLUMNS,
  type TelemetryColumnName,
  type TelemetryColumns,
  type WorkColumns,
} from './telemetry/columns.ts';
export { VIOLATIONS, type Violation, validateFlight } from './validate.ts';
