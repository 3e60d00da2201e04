/** Telemetry for commands and other families. */
import { CancelledError } from '@contrails/runtime/errors';
import type { TelemetryRules } from '../../telemetry-store/config.ts';
import type { TelemetryServices } from '../../telemetry-store/services.ts';
import { publishWithRetry } from './hours/jobs.ts';
import { dueHours } from './hours/plan.ts';
import type { PublishOutcome } from './hours/publish.ts';

export { type Completeness, completenessOfDay } from '../../telemetry-store/completeness.ts';
export { type TelemetryRules, telemetryRules } from '../../telemetry-store/config.ts';
export { type HourManifest, readManifest } from '../../telemetry-store/manifest.ts';
export {
  type AddressRange,
  type AircraftRows,
  airframeReports,
  inRange,
  listDesignators,
  readAircraftRows,
} from '../../telemetry-store/read.ts';
export type { TelemetryServices } from '../../telemetry-store/services.ts';
export { type Gap, listGaps, listSources, type SourceState } from '../../telemetry-store/sources.ts';
export { type HourRecord, hoursClosedSince, listHours } from '../../telemetry-store/table.ts';
export { type AirframeReport, explainAirframe } from './explain.ts';
export { reopenHour } from './hours/maintenance.ts';
export { applyBatch, type BatchHeader, type BatchReader, type BatchReceipt } from './ingest/batch.ts';
export { type ImportOptions, importFile, importStream } from './ingest/import.ts';
export { importFlights } from './ingest/import-flights.ts';
export {
  dropQuarantine,
  listQuarantine,
  type QuarantinedRecord,
  type QuarantineEntry,
  quarantinedRecords,
  retryQuarantine,
} from './ingest/quarantine.ts';
export { storedLegs } from './stored-legs.ts';

export interface BuildOptions {
  readonly nowMs?: () => number;
  readonly signal?: AbortSignal;
  readonly onHour?: (hourMs: number, outcome: PublishOutcome, done: number, total: number) => void;
}

/** Builds every hour that is due, in this process; returns how many have a new generation. */
export async function buildDueHours(
  services: TelemetryServices,
  rules: TelemetryRules,
  { nowMs = Date.now, signal, onHour }: BuildOptions = {},
): Promise<number> {
  const due = await dueHours(services.database, { ...rules, settleMs: 0 }, nowMs());
  let built = 0;
  for (const [index, { hourMs }] of due.entries()) {
    if (signal?.aborted) throw new CancelledError('the hours that are left are built by the next worker');
    const outcome = await publishWithRetry(services, rules, hourMs, nowMs);
    if (outcome.isNew) built += 1;
    onHour?.(hourMs, outcome, index + 1, due.length);
  }
  return built;
}
