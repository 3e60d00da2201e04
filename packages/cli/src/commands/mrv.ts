import { extname, resolve } from 'node:path';
import type { Engine } from '@contrails/engine';
import type { Comparison } from '@contrails/engine/mrv/compare';
import type { CheckedTables } from '@contrails/engine/mrv/prepare-flights';
import type { ScopeRequest } from '@contrails/engine/mrv/scope';
import type { ScopeRule } from '@contrails/engine/mrv/settings';
import type { Summary } from '@contrails/engine/mrv/summary';
import type { Verification } from '@contrails/engine/mrv/verify';
import type { DuckDb } from '@contrails/formats';
import type { Config } from '@contrails/service/config';
import { type Command, Option } from 'commander';
import { configure, configureWeather } from '../configure.ts';
import { withEngine } from '../engine.ts';
import { dayFlag, example, integer } from '../flags.ts';
import { print, printJson, say, table } from '../output.ts';
import { openProgress } from '../progress.ts';

const DEFAULT_SAMPLE = 20;
const SHOWN_DIFFERENCES = 50;

export function defineMrv(program: Command): void {
  const mrv = program
    .command('mrv')
    .description("reports on the non-CO2 effects of an operator's flights, and their verification");
  example(
    mrv,
    'contrails mrv report --operator XZ --from 2025-01-01 --to 2025-01-31 --flights flights.csv --trajectories trajectories.csv -o report',
    'contrails mrv verify report',
  );
  defineReport(mrv);
  defineVerify(mrv);
  defineCompare(mrv);
  defineCheck(mrv);
}

interface ReportFlags {
  readonly operator: string;
  readonly from: string;
  readonly to: string;
  readonly flights?: string;
  readonly trajectories?: string;
  readonly scope?: ScopeRule;
  readonly efficacy?: 'true' | 'false';
  readonly output: string;
  readonly force?: boolean;
  readonly demo?: boolean;
  readonly json?: boolean;
}

function defineReport(parent: Command): void {
  const command = parent
    .command('report')
    .description('compute the flights of an operator and write a folder that a verifier can recompute')
    .requiredOption('--operator <name>', 'code of the airline, or the text in the column operator')
    .requiredOption('--from <date>', 'first day of departure, UTC')
    .requiredOption('--to <date>', 'last day of departure, UTC')
    .option('--flights <file>', 'flights of the operator, CSV or Parquet (default: those of the inventory)')
    .option('--trajectories <file>', 'their waypoints, CSV or Parquet')
    .addOption(
      new Option('--efficacy <flag>', 'whether figures of the page count efficacy (default: true)').choices([
        'true',
        'false',
      ]),
    )
    .addOption(
      new Option('--scope <rule>', 'which flights are reported (default: the rule of the day)').choices([
        'reduced',
        'full',
        'all',
      ]),
    )
    .requiredOption('-o, --output <folder>', 'where the report is written')
    .option('--force', 'replace a folder that is not empty')
    .option('--demo', 'synthetic weather where no source is configured')
    .option('--json', 'print the summary as JSON')
    .action(async (flags: ReportFlags) => {
      const { from, to } = await readPeriod(flags);
      const request = {
        inputs: { flights: flags.flights, trajectories: flags.trajectories },
        scope: {
          ...{ operator: flags.operator, from, to },
          ...(flags.scope && { rule: flags.scope }),
          ...(flags.efficacy && { efficacy: flags.efficacy === 'true' }),
        },
        folder: resolve(flags.output),
        force: flags.force === true,
        command: commandOf(flags, { from, to }),
      };
      const { summary, missingDays } = await compute(
        command,
        flags.demo,
        `report ${flags.operator}`,
        async (engine, duckdb, hooks, { config, directory }) => {
          const telemetry = await telemetryOf(config, { duckdb, directory }, request.scope);
          const inputs = { ...request.inputs, ...telemetry.inputs };
          await requireFlights(inputs, request.scope);
          const own = await engine.report(duckdb, { ...request, inputs }, hooks);
          return { summary: own, missingDays: inputs.telemetry === undefined ? [] : telemetry.missingDays };
        },
      );
      if (flags.json) printJson(summary);
      else printSummary(summary);
      if (missingDays.length > 0)
        say(`contrails: warning: ${missingDays.length} days have no inventory, from ${missingDays[0]} on`);
      say(`${flags.output} is written; open ${flags.output}/report.html`);
    });
  example(
    command,
    'contrails mrv report --operator XZ --from 2025-01-01 --to 2025-01-31 --flights flights.csv --trajectories trajectories.csv -o report',
  );
}

/** The command as it can be given in the folder of the report, so the same inputs give the same text. */
function commandOf(
  { operator, flights, trajectories, scope, efficacy }: ReportFlags,
  { from, to }: Period,
): string {
  const inputs = Object.entries({ flights, trajectories }).flatMap(([table, path]) =>
    path === undefined ? [] : [`--${table} inputs/${table}${extname(path) || '.csv'}`],
  );
  return [
    `contrails mrv report --operator ${operator} --from ${from} --to ${to}`,
    ...inputs,
    ...(scope === undefined ? [] : [`--scope ${scope}`]),
    ...(efficacy === undefined ? [] : [`--efficacy ${efficacy}`]),
  ].join(' ');
}

type Period = Pick<ReportFlags, 'from' | 'to'>;

interface VerifyFlags {
  readonly sample?: number;
  readonly all?: boolean;
  readonly seed: number;
  readonly demo?: boolean;
  readonly json?: boolean;
}

function defineVerify(parent: Command): void {
  const command = parent
    .command('verify')
    .description('check the folder of a report: hashes, weather, sums, and flights computed again')
    .argument('<folder>', 'of contrails mrv report')
    .addOption(
      new Option(
        '--sample <number>',
        `flights that are computed again besides the 5 largest (default: ${DEFAULT_SAMPLE})`,
      )
        .argParser(integer(0, 1_000_000))
        .conflicts('all'),
    )
    .option('--all', 'compute all flights again')
    .addOption(
      new Option('--seed <number>', 'which flights are drawn').argParser(integer(0, 2 ** 31)).default(0),
    )
    .option('--demo', 'synthetic weather where no source is configured')
    .option('--json', 'print JSON')
    .action(async (folder: string, flags: VerifyFlags) => {
      const sample = { ...(flags.all ? {} : { sample: flags.sample ?? DEFAULT_SAMPLE }), seed: flags.seed };
      const verification = await compute(command, flags.demo, `verify ${folder}`, (engine, duckdb, hooks) =>
        engine.verifyReport(duckdb, resolve(folder), sample, hooks),
      );
      if (flags.json) printJson(verification);
      else printVerification(verification);
      if (verification.conditions.length + verification.differences.length > 0) process.exitCode = 1;
    });
  example(command, 'contrails mrv verify report', 'contrails mrv verify report --all --json');
}

/** Legs of the operator on the days of the period that have an inventory. */
async function telemetryOf(
  config: Config,
  workspace: { readonly duckdb: DuckDb; readonly directory: string },
  scope: ScopeRequest,
) {
  const { stageStored } = await import('@contrails/service/inventory/mrv-telemetry');
  return stageStored(config, workspace, scope);
}

async function requireFlights(
  { flights, telemetry }: { readonly flights?: string | undefined; readonly telemetry?: string | undefined },
  { from, to }: ScopeRequest,
): Promise<void> {
  if (flights !== undefined || telemetry !== undefined) return;
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(
    `no day from ${from} to ${to} has an inventory; give --flights, or run "contrails inventory run"`,
  );
}

interface CompareFlags {
  readonly columns?: string;
  readonly demo?: boolean;
  readonly json?: boolean;
}

function defineCompare(parent: Command): void {
  const command = parent
    .command('compare')
    .description(
      'the folder of a report beside the table of another tool: what differs, and what explains it',
    )
    .argument('<folder>', 'of contrails mrv report')
    .argument('<table>', 'of the other tool, CSV or Parquet')
    .option('--columns <file>', 'JSON with the names of flights.csv by those of the table')
    .option('--demo', 'synthetic weather where no source is configured')
    .option('--json', 'print JSON')
    .action(async (folder: string, other: string, flags: CompareFlags) => {
      const map = flags.columns === undefined ? {} : await readMap(flags.columns);
      const comparison = await compute(command, flags.demo, `compare ${folder}`, (engine, duckdb, hooks) =>
        engine.compareReport(duckdb, resolve(folder), other, map, hooks),
      );
      if (flags.json) printJson(comparison);
      else printComparison(comparison);
    });
  example(
    command,
    'contrails mrv compare report other.csv',
    'contrails mrv compare report other.csv --columns map.json --json',
  );
}

async function readMap(path: string): Promise<Record<string, string>> {
  const [{ readFile }, { UsageError }] = await Promise.all([
    import('node:fs/promises'),
    import('@contrails/runtime/errors'),
  ]);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--columns ${path} cannot be read`, { cause: error });
  });
  const parsed: unknown = await Promise.resolve()
    .then(() => JSON.parse(text) as unknown)
    .catch(() => undefined);
  const isMap =
    typeof parsed === 'object' &&
    parsed !== null &&
    !Array.isArray(parsed) &&
    Object.values(parsed).every((name) => typeof name === 'string');
  if (isMap) return parsed as Record<string, string>;
  throw new UsageError(`--columns ${path} is not a JSON object such as {"fuel": "fuel_burn_kg"}`);
}

function printComparison({
  only_ours,
  only_theirs,
  matched,
  differences,
  explained,
  totals,
}: Comparison): void {
  print(`${matched} flights in both, ${only_ours.length} only ours, ${only_theirs.length} only theirs`);
  const rows = Object.entries(totals).map(([name, { ours, theirs }]) => [
    name,
    ours.toPrecision(6),
    theirs.toPrecision(6),
    (theirs - ours).toPrecision(3),
  ]);
  if (rows.length > 0) print(table(['total of both', 'ours', 'theirs', 'difference'], rows));
  for (const { flight_key, field, ours, theirs } of differences.slice(0, SHOWN_DIFFERENCES))
    print(`${flight_key}: ${field} is ${String(ours)} here and ${String(theirs)} there`);
  for (const { flight_key, field, contribution_co2e100_kg } of explained.slice(0, SHOWN_DIFFERENCES))
    print(`${flight_key}: ${field} explains ${contribution_co2e100_kg.toPrecision(4)} kg CO2e (GWP100)`);
  const more = Math.max(differences.length, explained.length) - SHOWN_DIFFERENCES;
  if (more > 0) print(`${more} more; --json lists all of them`);
}

interface CheckFlags {
  readonly flights: string;
  readonly trajectories?: string;
  readonly json?: boolean;
}

function defineCheck(parent: Command): void {
  const command = parent
    .command('check')
    .description('read the tables of an operator without computing anything')
    .requiredOption('--flights <file>', 'flights of the operator, CSV or Parquet')
    .option('--trajectories <file>', 'their waypoints, CSV or Parquet')
    .option('--json', 'print JSON')
    .action(async (flags: CheckFlags) => {
      const { checkTables } = await import('@contrails/engine/mrv/prepare-flights');
      const { withWorkspace } = await import('@contrails/platform/workspace');
      const { mrv } = await configure(command);
      const checked = await withWorkspace(LIMITS, ({ duckdb }) => checkTables(duckdb, flags, mrv));
      if (flags.json) printJson(checked);
      else printChecked(checked);
    });
  example(command, 'contrails mrv check --flights flights.csv --trajectories trajectories.csv');
}

function printChecked(checked: CheckedTables): void {
  print(`${checked.flights} flights, ${checked.with_trajectory} of them with waypoints`);
  for (const { flight_key, codes } of checked.findings) print(`${flight_key}: ${codes.join(' ')}`);
  for (const { flight_key, reason } of checked.not_computed)
    print(`${flight_key}: cannot be computed (${reason})`);
  const stray = checked.waypoints_without_flight;
  if (stray.length > 0)
    print(`${stray.length} flights have waypoints and no row, such as ${stray.slice(0, 5).join(', ')}`);
}

const LIMITS = { memoryMiB: 512, threads: 1 };

interface Hooks {
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

async function compute<T>(
  command: Command,
  demo: boolean | undefined,
  label: string,
  work: (
    engine: Engine,
    duckdb: DuckDb,
    hooks: Hooks,
    room: { readonly config: Config; readonly directory: string },
  ) => Promise<T>,
): Promise<T> {
  const config = await configureWeather(command, demo);
  const { withWorkspace } = await import('@contrails/platform/workspace');
  return withProgress(label, (hooks) =>
    withEngine(config, (engine) =>
      withWorkspace(LIMITS, ({ duckdb, directory }) => work(engine, duckdb, hooks, { config, directory })),
    ),
  );
}

/** The first and the last day of a report. */
async function readPeriod(flags: Period) {
  for (const name of ['from', 'to'] as const) await dayFlag(`--${name}`, flags[name]);
  const { from, to } = flags;
  if (to < from) {
    const { UsageError } = await import('@contrails/runtime/errors');
    throw new UsageError(`--to ${to} is before --from ${from}; give a later day`);
  }
  return { from, to };
}

async function withProgress<T>(label: string, work: (hooks: Hooks) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => stop.abort(signal);
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const progress = openProgress();
  let tracker: ReturnType<typeof progress.track> | undefined;
  try {
    return await work({
      signal: stop.signal,
      onProgress: (done, total) => {
        tracker ??= progress.track(label, total, 'flights');
        tracker.to(done);
      },
    });
  } finally {
    progress.close();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function printSummary({ flights, totals }: Summary): void {
  const tonnes = (name: string) => ((totals[name] ?? 0) / 1000).toFixed(1);
  const reasons = { ...flights.out_of_scope, ...flights.not_computed };
  print(
    table(
      ['quantity', 'value'],
      [
        ['flights supplied', String(flights.supplied)],
        ['only in the telemetry', String(flights.telemetry)],
        ['reported', String(flights.reported)],
        ...Object.entries(reasons).map(([reason, count]) => [reason, String(count)]),
        ['fuel [t]', tonnes('fuel_burn_kg')],
        ['CO2 [t]', tonnes('co2_kg')],
        ...[20, 50, 100].map((years) => [`non-CO2 GWP${years} [t CO2e]`, tonnes(`non_co2_co2e${years}_kg`)]),
      ],
    ),
  );
}

function printVerification({ conditions, differences, recomputed, deviations }: Verification): void {
  for (const { message } of conditions) print(`differs here: ${message}`);
  for (const { file, message } of differences.slice(0, SHOWN_DIFFERENCES)) print(`${file}: ${message}`);
  const more = differences.length - SHOWN_DIFFERENCES;
  if (more > 0) print(`${more} more differences; --json lists all of them`);
  const columns = Object.entries(deviations).sort(([, one], [, other]) => other - one);
  const [worst] = columns;
  const rows = columns.map(([name, deviation]) => [name, deviation.toExponential(1)]);
  if (rows.length > 0) print(table(['column', 'largest deviation'], rows));
  const deviation =
    worst === undefined ? '' : `, largest deviation ${worst[1].toExponential(1)} (${worst[0]})`;
  print(
    `${recomputed} flights computed again${deviation}: ${conditions.length + differences.length === 0 ? 'all equal' : 'something differs'}`,
  );
}
