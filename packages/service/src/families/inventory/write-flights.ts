/** The flights of some days as a file, for commands. */
import { SUMMARY_COLUMNS } from '@contrails/flights/inventory';
import { type SummaryFilters, summaryConditions } from './filters.ts';
import { type TableFormat, writeTable } from './flights-table.ts';
import { type DayServices, requireRuns } from './published-days.ts';
import { datesBetween } from './run-now.ts';

export { TABLE_FORMATS } from './flights-table.ts';

export interface FlightsQuery {
  /** First and last day. */
  readonly first: string;
  readonly last: string;
  readonly filters: SummaryFilters;
  readonly format: TableFormat;
}

/** Writes the flights to a path; returns the days that have no inventory. */
export async function writeFlights(
  services: DayServices,
  { first, last, filters, format }: FlightsQuery,
  path: string,
): Promise<readonly string[]> {
  const days = datesBetween(first, last).length;
  const { manifests, missing } = await requireRuns(services, Date.parse(first), days);
  const selection = { table: SUMMARY_COLUMNS, conditions: summaryConditions(filters), format };
  const stored = manifests.map(({ summary }) => summary);
  await writeTable(services.store, stored, selection, path);
  return missing;
}
