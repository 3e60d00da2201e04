import { Readable } from 'node:stream';
import type { EvaluatedBody, Trajectories } from '@contrails/engine/flights/evaluate-bodies';
import type { TrajectoryModel } from '@contrails/engine/flights/models';
import { TRAJECTORY_OPTIONS } from '@contrails/engine/flights/option-table';
import type { ParquetTable, TableName } from '@contrails/engine/flights/tables';
import type { OptionEntry } from '@contrails/engine/options/entry';
import { WEATHER_OPTIONS } from '@contrails/engine/options/weather-options';
import { type Command, Option } from 'commander';
import { configureWeather } from '../configure.ts';
import { withEngine } from '../engine.ts';
import { byParameter, example, optionOf, parameterOption, parametersHelp, weatherOptions } from '../flags.ts';
import { attributeOptions, flightFileOptions, splitFlags } from '../flight-files.ts';
import { print, say } from '../output.ts';
import { openProgress } from '../progress.ts';
import type { Input, InputBody } from '../read-bodies.ts';
import { writeResult } from '../write-result.ts';

const MODELS: Readonly<Record<TrajectoryModel, string>> = {
  sac: 'where a flight forms contrails (Schmidt-Appleman criterion)',
  issr: 'where a flight is in ice-supersaturated air',
  emissions: 'NOx and particles of a flight',
  cocip: 'contrails of a flight and their energy forcing',
  accf: 'climate change functions of NOx, water vapour, contrails and CO2 along a flight',
};

/** Formats and how their files end. */
const ENDINGS = { json: 'json', csv: 'csv', parquet: 'parquet', netcdf: 'nc' } as const;

/** Options that are not parameters of the endpoint. */
export interface OwnOptions {
  readonly format: keyof typeof ENDINGS;
  readonly output: string;
  readonly json?: boolean;
  readonly demo?: boolean;
  readonly param?: readonly string[];
}

export function defineTrajectory(program: Command): void {
  const group = program
    .command('trajectory')
    .description('models along flights, without a server: what POST /v0/trajectory/{model} returns');
  example(group, 'contrails trajectory cocip flight.json');
  for (const [model, description] of Object.entries(MODELS))
    defineModel(group, model as TrajectoryModel, description);
}

function defineModel(parent: Command, model: TrajectoryModel, description: string): void {
  const command = parent
    .command(model)
    .description(description)
    .argument(
      '<files...>',
      'flight or fleet as JSON, one on each line (NDJSON), a table of waypoints (CSV), or flight files of any known format; - reads standard input',
    );
  addOptions(command, ({ models }) => models === undefined);
  command
    .option('--json', 'JSON on a terminal too, where a summary with a chart is written otherwise')
    .addOption(formatOption())
    .addOption(new Option('-o, --output <file>', 'where it is written; - is standard output').default('-'));
  addOptions(command, ({ models }) => models?.includes(model) === true);
  command.addOption(parameterOption());
  attributeOptions(flightFileOptions(command));
  weatherOptions(command, model).action((files: string[], options: Record<string, string> & OwnOptions) =>
    runTrajectory(command, model, files, options),
  );
  example(
    command,
    `contrails trajectory ${model} flight.json --demo`,
    `contrails trajectory ${model} fleet.ndjson --format csv -o ${model}.csv`,
    `contrails trajectory ${model} plan.xml --demo`,
  );
  command.addHelpText('after', parametersHelp(model));
}

export function formatOption(): Option {
  return new Option('--format <format>', 'how it is written').choices(Object.keys(ENDINGS)).default('json');
}

function addOptions(command: Command, isWanted: (entry: OptionEntry) => boolean): void {
  for (const [name, entry] of Object.entries<OptionEntry>(TRAJECTORY_OPTIONS)) {
    if (!(name in WEATHER_OPTIONS) && isWanted(entry)) command.addOption(optionOf(name, entry));
  }
}

/** Runs a model along the flights of files and writes its answers. */
export async function runTrajectory(
  command: Command,
  model: TrajectoryModel,
  files: readonly string[],
  { format, output, json, demo, param, ...flags }: Record<string, string> & OwnOptions,
): Promise<void> {
  const config = await configureWeather(command, demo);
  // What is asked for by a flag is written as it is, also on a terminal.
  const isGiven = ['format', 'output'].some((name) => command.getOptionValueSource(name) !== 'default');
  const isSummary = process.stdout.isTTY === true && json !== true && !isGiven;
  const [{ readParameterFlags }, { asUsage, UsageError }, { openInput }, { PLAN_STEP_S }] = await Promise.all(
    [
      import('@contrails/engine/flights/read-parameters'),
      import('@contrails/runtime/errors'),
      import('../read-bodies.ts'),
      import('@contrails/flights/files'),
    ],
  );
  const { fileFlags, given } = splitFlags(flags);
  const input = await openInput(files, fileFlags);
  if (input.isPlan) given.resample ??= String(PLAN_STEP_S);
  const hasTables = format === 'parquet' || format === 'netcdf';
  if (given.table === 'contrail' && !hasTables) {
    throw new UsageError(
      '--table contrail needs a format that has tables; give --format parquet or --format netcdf',
    );
  }
  await withEngine(config, async (engine) => {
    const parameters = asUsage(() => readParameterFlags(param ?? [], model));
    const trajectories = await engine.trajectories(model, byParameter(given), { parameters, hasTables });
    const shown = showProgress(`${model} ${files.join(' ')}`);
    const warnings: string[] = [];
    try {
      const bodies = { ...trajectories, threads: engine.threads };
      const answers = evaluateAll(bodies, input, shown.to, (text) => warnings.push(text));
      if (isSummary) {
        const lines = await summaries(answers);
        shown.close();
        print(lines.join('\n'));
        sayWarnings(warnings);
        return;
      }
      const written = WRITERS[format](answers, model, trajectories, given);
      const result = { open: async () => Readable.from(written) };
      await writeResult(output, result, `${model}.${ENDINGS[format]}`, {
        keepsFinished: format === 'json' || format === 'csv',
      });
      shown.close();
      sayWarnings(warnings);
      if (output !== '-') say(`${output} is written`);
    } finally {
      shown.close();
    }
  });
}

/** More flights are listed without charts. */
const MAX_CHARTS = 3;
const MAX_WIDTH = 100;

/** What every flight did, for people. */
async function summaries(answers: AsyncIterable<EvaluatedBody>): Promise<string[]> {
  const { chartOf, flightsOf, summaryOf } = await import('../flight-summary.ts');
  const width = Math.min(process.stdout.columns || 80, MAX_WIDTH);
  const lines: string[] = [];
  for await (const evaluated of answers) {
    const flights = flightsOf(evaluated);
    for (const flight of flights) {
      lines.push(...summaryOf(flight));
      if (flights.length <= MAX_CHARTS) lines.push(...chartOf(flight, width));
    }
  }
  return [...lines, 'For the values of every waypoint: --json, --format csv, or -o FILE'];
}

const MAX_WARNINGS = 20;

/** After the progress, so they stay to be read. */
function sayWarnings(warnings: readonly string[]): void {
  for (const warning of warnings.slice(0, MAX_WARNINGS)) say(`contrails: warning: ${warning}`);
  const more = warnings.length - MAX_WARNINGS;
  if (more > 0) say(`contrails: ${more} more warnings of this kind`);
}

/** As many bodies at once as there are threads; results come in the order of the bodies, up to the first that fails. */
async function* evaluateAll(
  { evaluate, threads }: Trajectories & { readonly threads: number },
  { bodies, bytes }: Input,
  show: ReturnType<typeof showProgress>['to'],
  warn: (warning: string) => void,
): AsyncGenerator<EvaluatedBody> {
  const running: Promise<EvaluatedBody>[] = [];
  const [readBytes, flights] = [new Sum(), new Sum()];
  const start = async (input: InputBody): Promise<EvaluatedBody> => {
    const [bytesOf, flightsOf] = [readBytes.part(input.bytes), flights.part(flightsIn(input.body))];
    const advance = (share: number) => {
      bytesOf(share);
      flightsOf(share);
      show(bytes === undefined ? undefined : Math.min(1, readBytes.value / bytes), flights.value);
    };
    try {
      const evaluated = await evaluate(input.body, { onProgress: advance });
      advance(1);
      for (const warning of evaluated.warnings) warn(`${input.place}: ${warning}`);
      return evaluated;
    } catch (error) {
      throw await placed(error, input.place);
    }
  };
  const reader = bodies[Symbol.asyncIterator]();
  let unreadable: { readonly error: unknown } | undefined;
  try {
    for (;;) {
      const next = await reader.next().catch((error: unknown) => {
        unreadable = { error };
      });
      if (!next || next.done) break;
      const evaluated = start(next.value);
      // It may fail while an earlier one is still waited for.
      evaluated.catch(() => undefined);
      running.push(evaluated);
      if (running.length >= threads) yield (await running.shift()) as EvaluatedBody;
    }
    for (const evaluated of running) yield await evaluated;
  } finally {
    await reader.return?.(undefined);
  }
  if (unreadable !== undefined) throw unreadable.error;
}

/** Adds up what is done of many things, each by its share. */
class Sum {
  value = 0;

  /** Takes the share that is done of a thing of this size. */
  part(size: number): (share: number) => void {
    let done = 0;
    return (share) => {
      this.value += (share - done) * size;
      done = share;
    };
  }
}

/** How many flights a body has, before it is checked. */
function flightsIn(body: unknown): number {
  const ids = (body as { readonly flight_id?: unknown } | null)?.flight_id;
  return Array.isArray(ids) ? new Set(ids).size : 1;
}

/** Names the body that failed, unless all of them would fail alike. */
async function placed(error: unknown, place: string): Promise<unknown> {
  const { ContrailsError, UsageError, ValidationError } = await import('@contrails/runtime/errors');
  if (!(error instanceof ContrailsError) || error instanceof UsageError) return error;
  const message = error instanceof ValidationError ? error.summary : error.message;
  return new ContrailsError(`${place}: ${message}`, { cause: error });
}

async function* asJson(answers: AsyncIterable<EvaluatedBody>): AsyncGenerator<Buffer> {
  const { toJson } = await import('@contrails/formats/json/writer');
  for await (const { answer } of answers) {
    yield Buffer.from(toJson(answer));
    yield Buffer.from('\n');
  }
}

type Writer = (
  answers: AsyncIterable<EvaluatedBody>,
  model: TrajectoryModel,
  trajectories: Trajectories,
  given: Readonly<Record<string, string>>,
) => AsyncGenerator<Buffer>;

const WRITERS: Readonly<Record<OwnOptions['format'], Writer>> = {
  json: (answers) => asJson(answers),
  csv: (answers, model, { options }) => asCsv(model, options, answers),
  parquet: (answers, _model, _trajectories, { table = 'waypoints' }) =>
    asParquet(answers, table as TableName),
  netcdf: (answers) => asNetcdf(answers),
};

/** All answers in one table. */
async function* asParquet(answers: AsyncIterable<EvaluatedBody>, name: TableName): AsyncGenerator<Buffer> {
  let table: ParquetTable | undefined;
  try {
    for await (const { tables } of answers) {
      // Not before the first answer: input lines are lost while nothing reads them.
      table ??= await openTable(name);
      await table.add(tables());
    }
    if (table !== undefined) yield await table.finish();
  } finally {
    await table?.close();
  }
}

async function openTable(name: TableName): Promise<ParquetTable> {
  const [{ openParquetTable }, { makeFolder }] = await Promise.all([
    import('@contrails/engine/flights/tables'),
    import('@contrails/platform/workspace'),
  ]);
  return openParquetTable(name, await makeFolder('table'));
}

async function* asNetcdf(answers: AsyncIterable<EvaluatedBody>): AsyncGenerator<Buffer> {
  let only: EvaluatedBody | undefined;
  for await (const evaluated of answers) {
    if (only !== undefined) {
      const { UsageError } = await import('@contrails/runtime/errors');
      throw new UsageError(
        'netCDF holds the answer to one document; send the flights as one fleet, or give --format parquet',
      );
    }
    only = evaluated;
  }
  if (only === undefined) return;
  const { toNetcdf } = await import('@contrails/engine/flights/tables');
  yield await toNetcdf(only.tables());
}

const LINES_AT_ONCE = 1000;

async function* asCsv(
  model: TrajectoryModel,
  options: Trajectories['options'],
  answers: AsyncIterable<EvaluatedBody>,
): AsyncGenerator<Buffer> {
  const { csvColumns, csvHead, csvLines } = await import('./trajectory-csv.ts');
  const columns = csvColumns(model, options);
  let lines = [csvHead(columns)];
  for await (const evaluated of answers) {
    for (const line of csvLines(columns, evaluated)) {
      lines.push(line);
      if (lines.length < LINES_AT_ONCE) continue;
      yield Buffer.from(lines.join(''));
      lines = [];
    }
    // What is finished must not wait here: the next flight may fail.
    if (lines.length > 0) yield Buffer.from(lines.join(''));
    lines = [];
  }
  if (lines.length > 0) yield Buffer.from(lines.join(''));
}

const QUIET_MS = 1_000;

/** A flight takes a few milliseconds, which is not worth a bar; what takes longer gets one. */
function showProgress(label: string): {
  /** The share of the input is unknown where its size is. */
  to(share: number | undefined, flights: number): void;
  close(): void;
} {
  const startedMs = performance.now();
  let progress: ReturnType<typeof openProgress> | undefined;
  let tracker: ReturnType<ReturnType<typeof openProgress>['track']> | undefined;
  return {
    to(share, flights) {
      const isWorthIt = performance.now() - startedMs >= QUIET_MS && share !== 1;
      if (tracker === undefined && !isWorthIt) return;
      progress ??= openProgress();
      tracker ??=
        share === undefined
          ? progress.track(label, Number.POSITIVE_INFINITY, 'flights')
          : progress.track(label, 100, '%', { itemUnit: 'flights' });
      if (share === undefined) tracker.to(Math.floor(flights));
      else tracker.to(100 * share, flights);
    },
    close() {
      tracker?.end();
      progress?.close();
      tracker = progress = undefined;
    },
  };
}
