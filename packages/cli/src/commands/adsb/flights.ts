import { createReadStream, createWriteStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BuiltFlight, TableSettings, TelemetryTables } from '@contrails/flights';
import { type Command, Option } from 'commander';
import { example, integer } from '../../flags.ts';
import { print, say, shownTime, table } from '../../output.ts';
import { openProgress } from '../../progress.ts';
import { writeResult } from '../../write-result.ts';

interface FlightsOptions {
  readonly json?: boolean;
  readonly output?: string;
  readonly strict?: boolean;
  readonly memory: number;
}

export function defineFlights(parent: Command): void {
  const command = parent
    .command('flights')
    .description(
      'flights from tables of telemetry, without a server: legs, healing, whole minutes, validation',
    )
    .argument('<files...>', 'tables with the columns of the telemetry table (.csv, .ndjson, .parquet)')
    .addOption(new Option('--json', 'print every leg with its outcome as JSON').conflicts('output'))
    .option(
      '-o, --output <file>',
      'flights for "contrails trajectory" (.ndjson; "contrails inventory export" writes them as the inventory computed them), or every leg with its outcome (.parquet)',
    )
    .option(
      '--strict',
      'the rules of the reference pipeline: reject flights not seen near both airports, altitudes of 0 to 55,000 ft, no inferred airports',
    )
    .addOption(
      new Option('--memory <MiB>', 'memory for sorting; beyond it, the disk is used')
        .argParser(integer(MIN_MEMORY_MIB, MAX_MEMORY_MIB))
        .default(DEFAULT_MEMORY_MIB),
    )
    .action((files: string[], options: FlightsOptions) => run(files, options));
  example(
    command,
    'contrails adsb flights telemetry-*.parquet',
    'contrails adsb flights telemetry.csv -o flights.ndjson && contrails trajectory cocip flights.ndjson --demo',
  );
}

const DEFAULT_MEMORY_MIB = 512;
const MIN_MEMORY_MIB = 64;
const MAX_MEMORY_MIB = 2 ** 20;

async function run(
  files: readonly string[],
  { json, output, strict, memory }: FlightsOptions,
): Promise<void> {
  const format = output === undefined ? undefined : await formatOf(output);
  const { openTables } = await import('@contrails/flights');
  const { withTemporaryFolder } = await import('@contrails/runtime');
  await withTemporaryFolder('flights', async (directory) => {
    const duckdb = { memoryMiB: memory, threads: availableParallelism(), temporaryDirectory: directory };
    const tables = await openTables(files, duckdb);
    const tally = new Tally(tables);
    try {
      const flights = built(tables, strict === true, tally);
      if (output !== undefined && format === 'ndjson') {
        await writeResult(
          output,
          { open: async () => Readable.from(bodies(flights, tally)) },
          'flights.ndjson',
        );
      } else if (output !== undefined) {
        const part = join(directory, 'flights.parquet');
        await writeParquet(flights, part, duckdb);
        await writeResult(output, { open: async () => createReadStream(part) }, 'flights.parquet');
      } else if (json) {
        await writeResult('-', { open: async () => Readable.from(document(flights)) }, 'flights.json');
      } else {
        await printTable(flights);
      }
    } finally {
      tables.close();
    }
    tally.say();
    if (output !== undefined && output !== '-') say(`${output} is written`);
  });
}

async function formatOf(output: string): Promise<'ndjson' | 'parquet'> {
  const [, format] = /\.(ndjson|parquet)$/i.exec(output) ?? [];
  if (format !== undefined) return format.toLowerCase() as 'ndjson' | 'parquet';
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(`-o ${output} has no known ending; give a file that ends in .ndjson or .parquet`);
}

const QUIET_MS = 1_000;

/** The flights of one airframe after the other, with progress where it takes longer. */
async function* built(tables: TelemetryTables, isStrict: boolean, tally: Tally): AsyncGenerator<BuiltFlight> {
  const { buildAirframes } = await import('@contrails/flights');
  const startedMs = performance.now();
  const progress = openProgress();
  let tracker: ReturnType<typeof progress.track> | undefined;
  let done = 0;
  try {
    for await (const airframe of buildAirframes(tables, { isStrict, threads: availableParallelism() })) {
      tally.addAirframe(airframe.reportCount, airframe.onGroundCount);
      done += airframe.reportCount;
      if (performance.now() - startedMs > QUIET_MS) {
        tracker ??= progress.track('flights', tables.rowCount, 'reports');
        tracker.to(done);
      }
      for (const flight of airframe.flights) {
        tally.addFlight(flight);
        yield flight;
      }
    }
  } finally {
    tracker?.end();
    progress.close();
  }
}

async function* document(flights: AsyncIterable<BuiltFlight>): AsyncGenerator<string> {
  let separator = '{"flights": [\n';
  for await (const line of records(flights)) {
    yield separator + line;
    separator = ',\n';
  }
  yield separator === ',\n' ? '\n]}\n' : '{"flights": []}\n';
}

async function* records(flights: AsyncIterable<BuiltFlight>): AsyncGenerator<string> {
  const { flightRecord } = await import('@contrails/flights');
  for await (const flight of flights) yield JSON.stringify(flightRecord(flight));
}

/** A line for each flight that a model can be run along; the others are counted. */
async function* bodies(flights: AsyncIterable<BuiltFlight>, tally: Tally): AsyncGenerator<string> {
  const { trajectoryBody } = await import('@contrails/flights');
  for await (const flight of flights) {
    const body = trajectoryBody(flight);
    if (typeof body === 'string') tally.addLeftOut(body);
    else yield `${JSON.stringify(body)}\n`;
  }
}

async function writeParquet(
  flights: AsyncIterable<BuiltFlight>,
  file: string,
  duckdb: TableSettings,
): Promise<void> {
  const lines = join(duckdb.temporaryDirectory, 'flights.ndjson');
  await pipeline(
    records(flights),
    async function* (chunks: AsyncIterable<string>) {
      for await (const chunk of chunks) yield `${chunk}\n`;
    },
    createWriteStream(lines),
  );
  const { convertRecords } = await import('@contrails/flights');
  await convertRecords(lines, file, duckdb);
}

const HEADINGS = [
  'flight',
  'address',
  'callsign',
  'from',
  'to',
  'first',
  'last',
  'reports',
  'cut',
  'outcome',
  'codes',
];

async function printTable(flights: AsyncIterable<BuiltFlight>): Promise<void> {
  const rows: string[][] = [];
  for await (const flight of flights) {
    const attributes = flight.healed?.attributes;
    rows.push([
      flight.flightId,
      flight.icaoAddress,
      attributes?.callsign ?? '-',
      attributes?.departure_airport_icao ?? '-',
      attributes?.arrival_airport_icao ?? '-',
      shownTime(flight.firstMs),
      shownTime(flight.lastMs),
      String(flight.reportCount),
      flight.cut ?? '-',
      flight.outcome,
      flight.codes.join(', ') || '-',
    ]);
  }
  if (rows.length > 0) print(table(HEADINGS, rows));
}

/** Where every row of the tables went. */
class Tally {
  private readonly tables: TelemetryTables;
  private readonly outcomes = new Map<string, number>();
  private readonly leftOut = new Map<string, number>();
  private airframes = 0;
  private reports = 0;
  private flights = 0;
  private onGround = 0;

  constructor(tables: TelemetryTables) {
    this.tables = tables;
  }

  addAirframe(reports: number, onGround: number): void {
    this.airframes++;
    this.reports += reports;
    this.onGround += onGround;
  }

  addFlight({ outcome }: BuiltFlight): void {
    this.flights++;
    count(this.outcomes, outcome);
  }

  addLeftOut(reason: string): void {
    count(this.leftOut, reason);
  }

  say(): void {
    const { refused } = this.tables;
    say(`reports: ${this.reports} of ${this.airframes} aircraft, ${this.onGround} of them on the ground`);
    if (refused.size > 0) say(`rows that are not reports: ${listed(refused)}`);
    say(`legs: ${this.flights}${this.flights === 0 ? '' : ` (${listed(this.outcomes)})`}`);
    if (this.leftOut.size > 0)
      say(`not written, because no model can be run along them: ${listed(this.leftOut)}`);
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** `12 ok, 3 fragment`, the most frequent first. */
function listed(counts: Iterable<readonly [string, number]>): string {
  return [...counts]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([key, n]) => `${n} ${key}`)
    .join(', ');
}
