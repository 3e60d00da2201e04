import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileFlight, FlightReading } from '@contrails/flights/files';
import { type Command, Option } from 'commander';
import { configureNew } from '../configure.ts';
import { example } from '../flags.ts';
import { type FlightFileFlags, flightFileOptions, openFiles, readFiles } from '../flight-files.ts';
import { printJson, say } from '../output.ts';
import { withTelemetry } from './adsb/with-telemetry.ts';

interface ImportFlags extends FlightFileFlags {
  readonly as: string;
  readonly kind?: 'flown' | 'planned';
  readonly json?: boolean;
}

/** What was imported; days are those on which flights depart. */
interface Imported {
  flights: number;
  readonly days: Map<string, number>;
  records: number;
  refused: Readonly<Record<string, number>>;
}

export function defineInventoryImport(parent: Command): void {
  const command = parent
    .command('import')
    .description('store flights of files for the inventory of their days, as telemetry is stored')
    .argument('<files...>', 'flight files of any known format')
    .requiredOption('--as <source>', 'name of the source in counts and files')
    .addOption(new Option('--kind <kind>', 'flights of this kind only').choices(['flown', 'planned']))
    .option('--json', 'print JSON');
  flightFileOptions(command).action(async (files: string[], flags: ImportFlags) =>
    run(command, files, flags),
  );
  example(
    command,
    'contrails inventory import Flights_20190301_20190331.csv.gz Flight_Points_Actual_20190301_20190331.csv.gz --as eurocontrol',
  );
}

async function run(command: Command, paths: readonly string[], flags: ImportFlags): Promise<void> {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(flags.as)) {
    command.error('error: --as has 1 to 64 letters, digits, dots, dashes and underscores');
  }
  const reading = await readFiles(await openFiles(paths), flags);
  const imported = await importFlights(command, reading, flags);
  const { report } = reading;
  if (flags.json) {
    const { refused, warnings, error } = report;
    printJson({ ...imported, days: Object.fromEntries(imported.days), left_out: refused, warnings, error });
  } else {
    for (const { message } of report.warnings) say(`contrails: warning: ${message}`);
    for (const [code, count] of Object.entries(report.refused)) say(`${count} left out: ${code}`);
    for (const [day, count] of imported.days) say(`${day}: ${count} flights`);
    say(`${imported.flights} flights are stored; contrails inventory run --date computes their days`);
  }
  if (report.error !== null) {
    say(`contrails: ${report.error.message} (${report.error.code})`);
    process.exitCode = 1;
  }
}

async function importFlights(
  command: Command,
  reading: FlightReading,
  flags: ImportFlags,
): Promise<Imported> {
  const { withTemporaryFolder } = await import('@contrails/runtime');
  const imported: Imported = { flights: 0, days: new Map(), records: 0, refused: {} };
  await withTemporaryFolder('import', async (folder) => {
    const path = join(folder, 'reports.csv');
    await pipeline(Readable.from(linesOf(reading.flights, flags, imported)), createWriteStream(path));
    if (imported.flights === 0) return;
    await withTelemetry(
      command,
      async (services, rules, { buildDueHours, importFile }) => {
        const receipt = await importFile(services, rules, path, { source: flags.as, format: 'table' });
        imported.records = receipt.accepted;
        imported.refused = receipt.refused;
        await buildDueHours(services, rules, {});
      },
      configureNew,
    );
  });
  return imported;
}

async function* linesOf(
  flights: AsyncIterable<FileFlight>,
  { as: source, kind }: ImportFlags,
  imported: Imported,
): AsyncGenerator<string> {
  const { REPORT_COLUMNS, reportLines } = await import('@contrails/flights/files-as-reports');
  yield `${REPORT_COLUMNS.join(',')}\n`;
  for await (const flight of flights) {
    const isPlanned = flight.kind !== 'flown';
    if (kind !== undefined && (kind === 'planned') !== isPlanned) continue;
    imported.flights++;
    const day = new Date(flight.timeMs[0] as number).toISOString().slice(0, 10);
    imported.days.set(day, (imported.days.get(day) ?? 0) + 1);
    yield [...reportLines(flight, source)].join('');
  }
}
