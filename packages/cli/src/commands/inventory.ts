import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DAY_MS, isoDate } from '@contrails/runtime';
import type { FlightsQuery } from '@contrails/service/inventory/flights';
import type { InventoryReport } from '@contrails/service/inventory/report';
import type { RunOutcome } from '@contrails/service/inventory/run';
import type { Command } from 'commander';
import { configure, configureWeather, withServices } from '../configure.ts';
import { example, timeFlag } from '../flags.ts';
import { print, printJson, say, table } from '../output.ts';
import { openProgress, type Tracker } from '../progress.ts';
import { writeResult } from '../write-result.ts';
import { defineInventoryImport } from './inventory-import.ts';

export function defineInventory(program: Command): void {
  const inventory = program
    .command('inventory')
    .description('contrail climate impact of the flights of a day');
  example(
    inventory,
    'contrails inventory run --date 2026-01-01',
    'contrails inventory report --date 2026-01-01',
  );
  defineRun(inventory);
  defineInventoryImport(inventory);
  defineReport(inventory);
  defineFlights(inventory);
  defineExport(inventory);
  defineAirframes(inventory);
}

interface RunFlags {
  readonly date: string;
  readonly to?: string;
  readonly demo?: boolean;
  readonly json?: boolean;
}

function defineRun(parent: Command): void {
  const command = parent
    .command('run')
    .description('compute and publish the inventory of a day, or of several; goes on where it stopped')
    .requiredOption('--date <date>', 'first day, UTC')
    .option('--to <date>', 'last day (default: the first)')
    .option('--demo', 'synthetic weather where no source is configured')
    .option('--json', 'print JSON')
    .action(async (flags: RunFlags) => {
      const config = await configureWeather(command, flags.demo);
      const { datesBetween, runDates } = await import('@contrails/service/inventory/run');
      const first = await day('--date', flags.date);
      const last = flags.to === undefined ? first : await day('--to', flags.to);
      const dates = datesBetween(first, last);
      const stop = new AbortController();
      const onSignal = (signal: NodeJS.Signals) => stop.abort(signal);
      process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
      const progress = openProgress();
      const trackers = new Map<string, Tracker>();
      const onProgress = (date: string, done: number, total: number) => {
        if (total === 0) return;
        const tracker = trackers.get(date) ?? progress.track(date, total, 'units');
        trackers.set(date, tracker);
        tracker.to(done);
      };
      let outcomes: RunOutcome[];
      try {
        outcomes = await withServices(config, (services, log) =>
          runDates(services, config, log, dates, { signal: stop.signal, onProgress }),
        );
      } finally {
        progress.close();
        process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
      }
      if (flags.json) printJson(outcomes.map(jsonOutcome));
      else printOutcomes(outcomes);
      if (outcomes.every(({ state, parked }) => state === 'published' && parked.length === 0)) return;
      process.exitCode = 1;
      if (stop.signal.aborted) {
        say('stopped; the same command goes on from here');
        process.exitCode = 128 + constants.signals[stop.signal.reason as NodeJS.Signals];
      }
    });
  example(command, 'contrails inventory run --date 2026-01-01 --to 2026-01-07');
}

async function day(flag: string, text: string): Promise<string> {
  return isoDate(await timeFlag(flag, text));
}

function printOutcomes(outcomes: readonly RunOutcome[]): void {
  print(
    table(
      ['date', 'state', 'run', 'message'],
      outcomes.map(({ date, state, runId, message }) => [date, state, runId ?? '-', message]),
    ),
  );
  for (const { date, parked } of outcomes) {
    for (const { unit, error } of parked) say(`${date}: unit ${unit} is parked: ${error}`);
  }
}

function jsonOutcome({ date, state, runId, message, parked }: RunOutcome) {
  return { date, state, run_id: runId, message, parked };
}

interface ExportFlags {
  readonly date: string;
  readonly flightId?: readonly string[];
  readonly output: string;
}

function defineExport(parent: Command): void {
  const command = parent
    .command('export')
    .description(
      'the flights of a day as the models of the inventory got them: each line, posted to /v0/trajectory/cocip, gives the energy forcing of the inventory',
    )
    .requiredOption('--date <date>', 'day on which the flights begin, UTC')
    .option('--flight-id <ids...>', 'only these flights (default: all)')
    .option('-o, --output <file>', 'file of one JSON body per line; - is standard output', '-')
    .action(async ({ date: text, flightId, output }: ExportFlags) => {
      const config = await configure(command);
      const { exportFlights } = await import('@contrails/service/inventory/export');
      const date = await day('--date', text);
      const lines = new PassThrough();
      const write = async (body: object) => {
        if (!lines.write(`${JSON.stringify(body)}\n`)) await once(lines, 'drain');
      };
      const { memory_mib: memoryMiB } = config.inventory;
      const exporting = withServices(config, (services) =>
        exportFlights(services, { date, flightIds: flightId, memoryMiB }, write),
      );
      exporting.then(
        () => lines.end(),
        (error: Error) => lines.destroy(error),
      );
      await writeResult(output, { open: async () => lines }, `flights-${date}.ndjson`);
      const { flights, incomplete } = await exporting;
      say(`${flights} flights of ${date}${output === '-' ? '' : ` are written to ${output}`}`);
      if (incomplete === 0) return;
      say(
        `${incomplete} flights end after midnight and are not written, because the inventory of the next day is not published with them; run "contrails inventory run --date ${isoDate(Date.parse(date) + DAY_MS)}" first`,
      );
      if (flightId !== undefined) process.exitCode = 1;
    });
  example(command, 'contrails inventory export --date 2026-01-01 -o flights.ndjson');
}

interface FlightsFlags {
  readonly date: string;
  readonly to?: string;
  readonly airline?: readonly string[];
  readonly type?: readonly string[];
  readonly airport?: readonly string[];
  readonly country?: readonly string[];
  readonly search?: string;
  readonly format?: string;
  readonly output: string;
}

function defineFlights(parent: Command): void {
  const command = parent
    .command('flights')
    .description('the flights of a day, or of several, with all columns as CSV or Parquet')
    .requiredOption('--date <date>', 'first day, UTC')
    .option('--to <date>', 'last day (default: the first)')
    .option('--airline <codes...>', 'only these airlines, IATA codes')
    .option('--type <codes...>', 'only these aircraft types, ICAO designators')
    .option('--airport <codes...>', 'only flights from or to these airports, ICAO codes')
    .option('--country <codes...>', 'only flights from or to these countries, ISO 3166 codes')
    .option('--search <words>', 'only flights of which every word begins callsign, airline, type or airport')
    .option('--format <format>', 'csv or parquet (default: that of the output, else csv)')
    .option('-o, --output <file>', 'file; - is standard output', '-')
    .action(async (flags: FlightsFlags) => {
      const { TABLE_FORMATS } = await import('@contrails/service/inventory/flights');
      const wanted = flags.format ?? (flags.output.endsWith('.parquet') ? 'parquet' : 'csv');
      const format = TABLE_FORMATS.find((one) => one === wanted);
      if (format === undefined) return command.error(`error: --format ${wanted} is not csv or parquet`);
      const first = await day('--date', flags.date);
      const last = flags.to === undefined ? first : await day('--to', flags.to);
      const filters = {
        airline_iata: flags.airline,
        aircraft_type_icao: flags.type,
        airport: flags.airport,
        country: flags.country,
        search: flags.search,
      };
      await saveFlights(await configure(command), { first, last, filters, format }, flags.output);
    });
  example(
    command,
    'contrails inventory flights --date 2026-01-01 --airline LX --format csv -o lx.csv',
    'contrails inventory flights --date 2026-01-01 --to 2026-01-31 -o january.parquet',
  );
}

type Config = Awaited<ReturnType<typeof configure>>;

async function saveFlights(config: Config, query: FlightsQuery, output: string): Promise<void> {
  const [{ writeFlights }, { withTemporaryFolder }] = await Promise.all([
    import('@contrails/service/inventory/flights'),
    import('@contrails/runtime'),
  ]);
  await withTemporaryFolder('flights', async (folder) => {
    const path = join(folder, 'flights');
    const missing = await withServices(config, (services) => writeFlights(services, query, path));
    if (missing.length > 0) say(`without an inventory: ${missing.join(', ')}`);
    const result = { open: async () => createReadStream(path) };
    await writeResult(output, result, `flights-${query.first}.${query.format}`);
  });
}

interface ReportFlags {
  readonly date: string;
  readonly csv?: boolean;
  readonly json?: boolean;
}

function defineReport(parent: Command): void {
  const command = parent
    .command('report')
    .description('the inventory of a day on one screen, or its flights as CSV')
    .requiredOption('--date <date>', 'day, UTC')
    .option('--csv', 'print every flight with all columns as CSV')
    .option('--json', 'print JSON')
    .action(async (flags: ReportFlags) => {
      const config = await configure(command);
      const { reportOf } = await import('@contrails/service/inventory/report');
      const date = await day('--date', flags.date);
      if (flags.csv) {
        await saveFlights(config, { first: date, last: date, filters: {}, format: 'csv' }, '-');
        return;
      }
      const report = await withServices(config, (services) => reportOf(services, date));
      if (flags.json) printJson(jsonReport(report));
      else print(shownReport(report));
    });
  example(
    command,
    'contrails inventory report --date 2026-01-01',
    'contrails inventory report --date 2026-01-01 --csv > day.csv',
  );
}

function jsonReport({ manifest, worst, warmingShare, flightsOfShare, contrailKm }: InventoryReport) {
  return {
    ...manifest.completeness,
    contrail_km: contrailKm,
    worst_flights: worst,
    warming: { share: warmingShare, flights: flightsOfShare },
  };
}

function shownReport(report: InventoryReport): string {
  const { manifest, worst, warmingShare, flightsOfShare, contrailKm, state } = report;
  const { completeness } = manifest;
  const { totals, flights, legs, minutes, telemetry, checks } = completeness;
  const percent = (part: number, whole: number) =>
    whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
  const count = (value: number) => Math.round(value).toLocaleString('en-US');
  const kg = (value: number) => `${count(value / 1000)} t`;
  const outcomes = Object.entries(legs.by_outcome).sort(([, a], [, b]) => b - a);
  const rejected = Object.entries(minutes.rejected).sort(([, a], [, b]) => b - a);
  return [
    `Inventory of ${manifest.date}, ${manifest.status} (run ${manifest.run_id})${state === undefined ? '' : `: ${state.message}`}`,
    '',
    table(
      ['figure', 'value'],
      [
        ['flights', count(flights.computed)],
        ['distance', `${count(totals.km)} km`],
        ['fuel', kg(totals.fuel_kg)],
        ['CO2', kg(totals.co2_kg)],
        [
          'persistent contrails',
          `${count(contrailKm)} km (${percent(contrailKm, totals.km)} of the distance)`,
        ],
        ['energy forcing of contrails', `${(totals.ef_mj / 1e6).toPrecision(4)} TJ`],
        ['CO2 equivalent of contrails, 20 years', kg(totals.co2e20_kg)],
        ['CO2 equivalent of contrails, 50 years', kg(totals.co2e50_kg)],
        ['CO2 equivalent of contrails, 100 years', kg(totals.co2e100_kg)],
        [
          'flights with persistent contrails',
          `${count(flights.with_persistent)} (${percent(flights.with_persistent, flights.computed)})`,
        ],
        [
          `flights that cause ${100 * warmingShare} % of the warming`,
          `${count(flightsOfShare)} (${percent(flightsOfShare, flights.computed)})`,
        ],
      ],
    ),
    '',
    table(
      ['worst flights', 'type', 'from', 'to', 'km', 'GJ', 't CO2e 100'],
      worst.map((flight) => [
        flight.callsign ?? flight.flight_id,
        flight.aircraft_type_icao,
        flight.departure ?? '-',
        flight.arrival ?? '-',
        count(flight.km),
        count(flight.ef_mj / 1000),
        (flight.co2e100_kg / 1000).toFixed(1),
      ]),
    ),
    '',
    `Telemetry: ${telemetry.hours_present} of ${telemetry.hours_expected} hours, ${count(telemetry.rows)} reports of ${count(telemetry.aircraft)} aircraft`,
    ...Object.entries(telemetry.truncated ?? {}).map(([hour, reason]) => `  ${hour} breaks off: ${reason}`),
    `Legs: ${count(legs.total)} (${outcomes.map(([name, n]) => `${name} ${count(n)}`).join(', ')})`,
    `Minutes: ${count(minutes.in_telemetry)} in telemetry + ${count(minutes.added_at_airports)} added at airports = ${count(minutes.computed)} computed + ${count(minutes.imputed)} imputed${rejected.map(([name, n]) => ` + ${count(n)} ${name}`).join('')}`,
    '',
    table(
      ['check', 'value', 'band', 'result'],
      checks.map(({ name, value, band, ok }) => [
        name,
        value === null ? '-' : value.toPrecision(4),
        `${band[0]} to ${band[1]}`,
        ok ? 'ok' : 'outside',
      ]),
    ),
  ].join('\n');
}

function defineAirframes(parent: Command): void {
  const airframes = parent.command('airframes').description('your table of aircraft types and engines');
  example(airframes, 'contrails inventory airframes import fleet.csv');
  const command = airframes
    .command('import')
    .description('replace the table of airframes by that of a CSV or Parquet file')
    .argument(
      '<file>',
      'icao_address or tail_number, aircraft_type or engine_uid, and role (Passenger, Cargo, Business)',
    )
    .option('--json', 'print JSON')
    .action(async (file: string, flags: { readonly json?: boolean }) => {
      const config = await configure(command);
      const { importAirframes } = await import('@contrails/service/inventory/airframes');
      const {
        airframes: count,
        refused,
        examples,
        unsupportedTypes,
      } = await withServices(config, ({ database }) => importAirframes(database, file, Date.now()));
      if (flags.json) {
        printJson({ airframes: count, refused, examples, unsupported_types: unsupportedTypes });
        return;
      }
      print(`${count} airframes`);
      for (const [code, n] of Object.entries(refused)) say(`${n} rows left out: ${code}`);
      for (const line of examples) say(line);
      if (unsupportedTypes.length > 0)
        say(`no performance parameters for ${unsupportedTypes.join(', ')}: flights of these types stay out`);
    });
  example(command, 'contrails inventory airframes import fleet.csv');
}
