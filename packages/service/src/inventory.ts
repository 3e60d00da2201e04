/** The inventory for commands: computed by the process that asks, beside whatever workers there are. */

import type { Log } from '@contrails/platform/log';
import type { Config } from './configuration.ts';
import { type ExportOutcome, exportFlights } from './families/inventory/export.ts';
import { type InventoryReport, reportOf, summaryCsv } from './families/inventory/report.ts';
import { datesBetween, type RunHooks, type RunOutcome, runDates } from './families/inventory/run-now.ts';
import { type ImportedAirframes, importAirframes as importInto } from './inventory-store/airframes.ts';
import { openServices } from './open.ts';
import type { Services } from './services.ts';

export { explainLegs, type LegFate } from './families/inventory/explain.ts';
export type { ExportOutcome } from './families/inventory/export.ts';
export type { InventoryReport } from './families/inventory/report.ts';
export type { RunOutcome } from './families/inventory/run-now.ts';
export type { ImportedAirframes } from './inventory-store/airframes.ts';

export function runInventory(
  config: Config,
  log: Log,
  range: { readonly first: string; readonly last: string },
  hooks: RunHooks,
): Promise<RunOutcome[]> {
  const dates = datesBetween(range.first, range.last);
  return withServices(config, log, (services) => runDates(services, config, log, dates, hooks));
}

export function inventoryReport(config: Config, log: Log, date: string): Promise<InventoryReport> {
  return withServices(config, log, (services) => reportOf(services, date));
}

/** Calls `use` with every line of the flights of a date as CSV. */
export function inventoryCsv(
  config: Config,
  log: Log,
  date: string,
  use: (line: string) => void,
): Promise<void> {
  return withServices(config, log, (services) => summaryCsv(services, date, use));
}

/** Calls `use` with each flight of a date as a request that gives the energy forcing of the inventory. */
export function exportInventory(
  config: Config,
  log: Log,
  { date, flightIds }: { readonly date: string; readonly flightIds?: readonly string[] | undefined },
  use: (body: object) => Promise<void>,
): Promise<ExportOutcome> {
  const { memory_mib: memoryMiB } = config.inventory;
  return withServices(config, log, (services) =>
    exportFlights(services, { date, flightIds, memoryMiB }, use),
  );
}

export function importAirframes(config: Config, log: Log, path: string): Promise<ImportedAirframes> {
  return withServices(config, log, ({ database }) => importInto(database, path, Date.now()));
}

async function withServices<T>(
  config: Config,
  log: Log,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const services = await openServices(config, log);
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}
