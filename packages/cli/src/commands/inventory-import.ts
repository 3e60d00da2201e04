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

/** Flights that were read; days are those on which they depart. */
interface ReadFlights {
  flights: number;
  readonly days: Map<string, number>;
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
  const read: ReadFlights = { flights: 0, days: new Map() };
  const result = await withTelemetry(
    command,
    async (services, rules, { buildDueHours, importFlights }) => {
      const imported = await importFlights(services, rules, wanted(reading.flights, flags, read), flags.as);
      await buildDueHours(services, rules, {});
      return imported;
    },
    configureNew,
  );
  const { report } = reading;
  if (flags.json) {
    const { refused, warnings, error } = report;
    const days = Object.fromEntries(read.days);
    printJson({
      source: flags.as,
      flights: read.flights,
      days,
      ...result,
      left_out: refused,
      warnings,
      error,
    });
  } else {
    for (const { message } of report.warnings) say(`contrails: warning: ${message}`);
    for (const [code, count] of Object.entries(report.refused)) say(`${count} left out: ${code}`);
    for (const [code, count] of Object.entries(result.refused)) say(`${count} reports refused: ${code}`);
    for (const [day, count] of read.days) say(`${day}: ${count} flights`);
    const earlier = [
      ...(result.replaced > 0 ? [`${result.replaced} in place of earlier ones`] : []),
      ...(result.unchanged > 0 ? [`${result.unchanged} were there already`] : []),
    ];
    const counts = [`${result.stored} flights are stored`, ...earlier].join(', ');
    say(`${counts}; contrails inventory run --date computes their days`);
  }
  if (report.error !== null) {
    say(`contrails: ${report.error.message} (${report.error.code})`);
    process.exitCode = 1;
  }
}

async function* wanted(
  flights: FlightReading['flights'],
  { kind }: ImportFlags,
  read: ReadFlights,
): AsyncGenerator<FileFlight> {
  for await (const flight of flights) {
    const isPlanned = flight.kind !== 'flown';
    if (kind !== undefined && (kind === 'planned') !== isPlanned) continue;
    read.flights++;
    const day = new Date(flight.timeMs[0] as number).toISOString().slice(0, 10);
    read.days.set(day, (read.days.get(day) ?? 0) + 1);
    yield flight;
  }
}
