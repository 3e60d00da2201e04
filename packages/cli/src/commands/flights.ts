import { Readable } from 'node:stream';
import type { FileFlight, FlightReading } from '@contrails/flights/files';
import { type Command, Option } from 'commander';
import { example } from '../flags.ts';
import { type FlightFileFlags, flightFileOptions, openFiles, readFiles } from '../flight-files.ts';
import { print, printJson, say, shownTime, table } from '../output.ts';
import { writeResult } from '../write-result.ts';

interface ReadFlags extends FlightFileFlags {
  readonly format?: string;
  readonly json?: boolean;
  readonly output?: string;
  readonly pseudoWaypoints?: boolean;
}

export function defineFlights(program: Command): void {
  const group = program.command('flights').description('flight files of any known format');
  example(group, 'contrails flights read plan.xml');
  const command = group
    .command('read')
    .description('read flights from files and say what is refused and why; nothing is computed')
    .argument('<files...>', 'flight files, also packed (gzip, Zstandard, zip); - reads standard input')
    .addOption(new Option('--format <name>', 'format of the files (default: recognised by content)'))
    .option('--pseudo-waypoints', 'add the points where step climbs of plans begin')
    .option('--json', 'print flights and refusals as JSON')
    .option('-o, --output <file>', 'where bodies for POST /v0/trajectory are written, one on each line');
  flightFileOptions(command).action((files: string[], flags: ReadFlags) => run(files, flags));
  example(
    command,
    'contrails flights read plan.xml --json',
    'contrails flights read Flights_20190301_20190331.csv.gz Flight_Points_Actual_20190301_20190331.csv.gz',
    'contrails flights read 20190301.ALL_FT+ --profile ftfm -o flights.ndjson',
  );
}

async function run(paths: readonly string[], flags: ReadFlags): Promise<void> {
  await checkFormat(flags.format);
  const reading = await readFiles(await openFiles(paths), flags, flags.format);
  const flights = await prepared(reading, flags.pseudoWaypoints === true);
  if (flags.output !== undefined) await writeBodies(flags.output, flights, reading);
  else if (flags.json) await printAll(flights, reading);
  else await printTable(flights, reading);
  if (reading.report.error !== null) process.exitCode = 1;
}

async function checkFormat(format: string | undefined): Promise<void> {
  if (format === undefined) return;
  const { FLIGHT_FORMATS } = await import('@contrails/flights/files');
  const names = FLIGHT_FORMATS.map(({ name }) => name);
  if (names.includes(format)) return;
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(`--format ${format} is not a format of flight files; give one of ${names.join(', ')}`);
}

async function prepared({ flights }: FlightReading, isFilled: boolean): Promise<AsyncIterable<FileFlight>> {
  if (!isFilled) return flights;
  const { isPlan, withPseudoWaypoints } = await import('@contrails/flights/files');
  return (async function* () {
    for await (const flight of flights) yield isPlan(flight) ? withPseudoWaypoints(flight).flight : flight;
  })();
}

async function writeBodies(
  output: string,
  flights: AsyncIterable<FileFlight>,
  { report }: FlightReading,
): Promise<void> {
  const { flightBody } = await import('@contrails/flights/files');
  const lines = async function* () {
    for await (const flight of flights) yield Buffer.from(`${JSON.stringify(flightBody(flight))}\n`);
  };
  await writeResult(output, { open: async () => Readable.from(lines()) }, 'flights.ndjson');
  sayRefusals(report);
  if (output !== '-') say(`${output} is written`);
}

async function printAll(flights: AsyncIterable<FileFlight>, { report }: FlightReading): Promise<void> {
  const { flightJson } = await import('@contrails/flights/files');
  const list: unknown[] = [];
  for await (const flight of flights) list.push(flightJson(flight));
  const { formats, refused, refusals, warnings, error } = report;
  printJson({ formats, flights: list, refused, refusals, warnings, error });
}

const MAX_SHOWN = 1000;

async function printTable(flights: AsyncIterable<FileFlight>, { report }: FlightReading): Promise<void> {
  const rows: string[][] = [];
  let count = 0;
  for await (const { format, kind, flight_id: id, aircraft_type: type, timeMs } of flights) {
    count++;
    if (rows.length >= MAX_SHOWN) continue;
    const [first, last] = [timeMs[0], timeMs.at(-1)].map(shownTime) as [string, string];
    rows.push([format, kind, id, type ?? '-', first, last, String(timeMs.length)]);
  }
  if (rows.length > 0) print(table(['format', 'kind', 'flight', 'type', 'first', 'last', 'waypoints'], rows));
  if (count > rows.length) print(`… and ${count - rows.length} more flights`);
  sayRefusals(report);
}

const MAX_PLACES = 20;

function sayRefusals({ refused, refusals, warnings, error }: FlightReading['report']): void {
  for (const { message } of warnings) say(`contrails: warning: ${message}`);
  for (const [code, count] of Object.entries(refused)) {
    const places = refusals.filter((one) => one.code === code).slice(0, MAX_PLACES);
    const list = places.map(({ file, message }) => `${file}, ${message}`).join('; ');
    say(`${count} ${code}: ${list}${(count ?? 0) > places.length ? '; …' : ''}`);
  }
  if (error !== null) say(`contrails: ${error.message} (${error.code})`);
}
