/** Flights of files as telemetry: their reports are stored in batches, each of which counts as a whole or not at all. */
import { join } from 'node:path';
import type { FileFlight } from '@contrails/flights/files';
import { REPORT_COLUMNS, reportColumns } from '@contrails/flights/files-as-reports';
import { encodeRowGroup, ParquetWriter } from '@contrails/formats';
import { HOUR_MS, hourOf, withTemporaryFolder } from '@contrails/runtime';
import type { TelemetryRules } from '../../../telemetry-store/config.ts';
import { concludeImport, type ImportPlan, planImport } from '../../../telemetry-store/imports.ts';
import type { TelemetryServices } from '../../../telemetry-store/services.ts';
import { reopenHour } from '../hours/maintenance.ts';
import { importFile } from './import.ts';
import { closedHours } from './late.ts';

/** A batch ends with so many flights or points of files, which bounds memory and disk. */
const BATCH_FLIGHTS = 50_000;
const BATCH_POINTS = 4_000_000;
/** Flights whose reports are encoded at once. */
const GROUP_FLIGHTS = 1000;

/** What became of the flights. */
export interface ImportedFlights {
  /** New ones and those that have changed. */
  readonly stored: number;
  /** Of these, flights in place of earlier ones. */
  readonly replaced: number;
  /** Stored before, as they are. */
  readonly unchanged: number;
  readonly records: number;
  readonly refused: Readonly<Record<string, number>>;
}

/** Stores flights under the name of a source. A flight that has changed takes the place of the one that the source had. */
export async function importFlights(
  services: TelemetryServices,
  rules: Pick<TelemetryRules, 'memoryMiB' | 'closeAfterMs'>,
  flights: AsyncIterable<FileFlight>,
  source: string,
): Promise<ImportedFlights> {
  const total = { stored: 0, replaced: 0, unchanged: 0, records: 0 };
  const refused: Record<string, number> = {};
  let since: number | undefined;
  const store = async (batch: readonly FileFlight[]) => {
    const plan = await planImport(services.database, source, batch, since);
    since ??= plan.fresh[0]?.number;
    total.stored += plan.fresh.length;
    total.replaced += plan.replaced.length;
    total.unchanged += plan.unchanged;
    if (plan.fresh.length === 0) return;
    const receipt = await storeReports(services, rules, plan, source);
    total.records += receipt.accepted;
    for (const [code, count] of Object.entries(receipt.refused)) {
      refused[code] = (refused[code] ?? 0) + count;
    }
    await concludeImport(services.database, plan);
  };
  let batch: FileFlight[] = [];
  let points = 0;
  for await (const flight of flights) {
    batch.push(flight);
    points += flight.timeMs.length;
    if (batch.length < BATCH_FLIGHTS && points < BATCH_POINTS) continue;
    await store(batch);
    batch = [];
    points = 0;
  }
  if (batch.length > 0) await store(batch);
  return { ...total, refused };
}

async function storeReports(
  services: TelemetryServices,
  rules: Pick<TelemetryRules, 'memoryMiB' | 'closeAfterMs'>,
  { fresh }: ImportPlan,
  source: string,
) {
  await reopenHours(services, rules, fresh);
  return withTemporaryFolder('import', async (folder) => {
    const path = join(folder, 'reports.parquet');
    const writer = await ParquetWriter.create(path, REPORT_COLUMNS);
    for (let from = 0; from < fresh.length; from += GROUP_FLIGHTS) {
      const some = fresh.slice(from, from + GROUP_FLIGHTS).map((one) => ({ ...one, source }));
      const { rowCount, values } = reportColumns(some);
      await writer.append(encodeRowGroup(REPORT_COLUMNS, rowCount, values));
    }
    await writer.finish();
    return importFile(services, rules, path, { source, format: 'table' });
  });
}

/** Files come years after their flights, so hours that are closed to late reports take them in any case. */
async function reopenHours(
  services: TelemetryServices,
  { closeAfterMs }: Pick<TelemetryRules, 'closeAfterMs'>,
  fresh: ImportPlan['fresh'],
): Promise<void> {
  const nowMs = Date.now();
  const isClosed = closedHours(services.database, nowMs, closeAfterMs);
  const hours = new Set<number>();
  for (const { flight } of fresh) {
    const [first, last] = [flight.timeMs[0] as number, flight.timeMs.at(-1) as number];
    for (let hourMs = hourOf(first); hourMs <= last; hourMs += HOUR_MS) hours.add(hourMs);
  }
  for (const hourMs of [...hours].sort((a, b) => a - b)) {
    if (await isClosed(hourMs)) await reopenHour(services, hourMs, nowMs);
  }
}
