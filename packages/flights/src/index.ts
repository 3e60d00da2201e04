export { type CollectionSettings, openCollection, type TelemetryCollection } from './ingest/collection.ts';
export {
  compareReports,
  type QualityColumns,
  type ReportQuality,
  sameReport,
  winnerOrder,
} from './ingest/duplicates.ts';
export { DamagedError, FormatError } from './ingest/errors.ts';
export type { GroundReports, TelemetryBlock } from './ingest/intake.ts';
export { QUALITY, type QualityRows, qualityOf } from './ingest/quality.ts';
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
export {
  type ResampledFlight,
  type ResampleSettings,
  resampledLength,
  resampleFlight,
} from './resample.ts';
export {
  type CollectionType,
  POSITION_SOURCES,
  type PositionSource,
  TELEMETRY_COLUMNS,
  type TelemetryColumnName,
  type TelemetryColumns,
  type WorkColumns,
} from './telemetry/columns.ts';
