import { resolve } from 'node:path';
import type { ScopeRule, Summary, Verification } from '@contrails/service/mrv';
import { type Command, Option } from 'commander';
import { configure } from '../configure.ts';
import { example, integer } from '../flags.ts';
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
  defineCheck(mrv);
}

interface ReportFlags {
  readonly operator: string;
  readonly from: string;
  readonly to: string;
  readonly flights: string;
  readonly trajectories?: string;
  readonly scope?: ScopeRule;
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
    .requiredOption('--flights <file>', 'flights of the operator, CSV or Parquet')
    .option('--trajectories <file>', 'their waypoints, CSV or Parquet')
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
      const [from, to] = [await day('--from', flags.from), await day('--to', flags.to)];
      const config = await openConfig(command, flags.demo);
      const { reportFlights } = await import('@contrails/service/mrv');
      const summary = await withProgress(`report ${flags.operator}`, (hooks) =>
        reportFlights(
          config,
          {
            inputs: { flights: flags.flights, trajectories: flags.trajectories },
            scope: { operator: flags.operator, from, to, ...(flags.scope ? { rule: flags.scope } : {}) },
            folder: resolve(flags.output),
            force: flags.force === true,
            command: `contrails mrv report --operator ${flags.operator} --from ${from} --to ${to}${flags.scope ? ` --scope ${flags.scope}` : ''}`,
          },
          hooks,
        ),
      );
      if (flags.json) printJson(summary);
      else printSummary(summary);
      say(`${flags.output} is written; open ${flags.output}/report.html`);
    });
  example(
    command,
    'contrails mrv report --operator XZ --from 2025-01-01 --to 2025-01-31 --flights flights.csv --trajectories trajectories.csv -o report',
  );
}

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
      const config = await openConfig(command, flags.demo);
      const { verifyReport } = await import('@contrails/service/mrv');
      const sample = flags.all ? {} : { sample: flags.sample ?? DEFAULT_SAMPLE };
      const verification = await withProgress(`verify ${folder}`, (hooks) =>
        verifyReport(config, resolve(folder), { ...sample, seed: flags.seed }, hooks),
      );
      if (flags.json) printJson(verification);
      else printVerification(verification);
      if (verification.conditions.length + verification.differences.length > 0) process.exitCode = 1;
    });
  example(command, 'contrails mrv verify report', 'contrails mrv verify report --all --json');
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
      const { checkTables } = await import('@contrails/service/mrv');
      const checked = await checkTables(flags.flights, flags.trajectories);
      if (flags.json) {
        printJson(checked);
        return;
      }
      print(`${checked.flights} flights, ${checked.withTrajectory} of them with waypoints`);
      for (const { flightKey, codes } of checked.findings) print(`${flightKey}: ${codes.join(' ')}`);
    });
  example(command, 'contrails mrv check --flights flights.csv --trajectories trajectories.csv');
}

async function openConfig(command: Command, demo: boolean | undefined) {
  const settings = await configure(command);
  const { withDemoWeather } = await import('@contrails/service/demo');
  return demo ? withDemoWeather(settings) : settings;
}

async function day(flag: string, text: string): Promise<string> {
  const date = new Date(`${text}T00:00:00Z`);
  if (/^\d{4}-\d\d-\d\d$/.test(text) && Number.isFinite(date.getTime())) return text;
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(`${flag} ${text} is not a day; give one such as 2025-01-31`);
}

async function withProgress<T>(
  label: string,
  work: (hooks: { signal: AbortSignal; onProgress: (done: number, total: number) => void }) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => stop.abort(signal);
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const progress = openProgress();
  let tracker: ReturnType<typeof progress.track> | undefined;
  try {
    return await work({
      signal: stop.signal,
      onProgress: (done, total) => {
        tracker ??= progress.track(label, total, 'runs');
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
  const worst = Object.entries(deviations).sort(([, a], [, b]) => b - a)[0];
  const deviation =
    worst === undefined ? '' : `, largest deviation ${worst[1].toExponential(1)} (${worst[0]})`;
  print(
    `${recomputed} flights computed again${deviation}: ${conditions.length + differences.length === 0 ? 'all equal' : 'something differs'}`,
  );
}
