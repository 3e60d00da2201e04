import { Readable } from 'node:stream';
import type { EvaluatedBody, OfflineTrajectories, TrajectoryModel } from '@contrails/service/trajectory';
import { type Command, Option } from 'commander';
import { byParameter } from '../by-parameter.ts';
import { configure } from '../configure.ts';
import { example } from '../example.ts';
import { say } from '../output.ts';
import { openProgress } from '../progress.ts';
import type { Input, InputBody } from '../read-bodies.ts';
import { weatherOptions } from '../weather-options.ts';
import { writeResult } from '../write-result.ts';

const MODELS: Readonly<Record<TrajectoryModel, string>> = {
  sac: 'where a flight forms contrails (Schmidt-Appleman criterion)',
  issr: 'where a flight is in ice-supersaturated air',
  emissions: 'NOx and particles of a flight',
  cocip: 'contrails of a flight and their energy forcing',
};

/** Options that are no parameters of the endpoint. */
interface OwnOptions {
  readonly format: 'json' | 'csv';
  readonly output: string;
  readonly demo?: boolean;
}

export function defineTrajectory(program: Command): void {
  const group = program
    .command('trajectory')
    .description('models along flights, without a server: what POST /v0/trajectory/{model} answers');
  example(group, 'contrails trajectory cocip flight.json');
  for (const [model, description] of Object.entries(MODELS))
    defineModel(group, model as TrajectoryModel, description);
}

function defineModel(parent: Command, model: TrajectoryModel, description: string): void {
  const command = parent
    .command(model)
    .description(description)
    .argument(
      '<flight>',
      'file with a flight or a fleet as JSON, or one on each line; - reads standard input',
    )
    .option('--include <names>', 'some of performance, emissions, met, co2e, contrail, separated by commas')
    .option('--resample <seconds>', 'resample flights to whole multiples of so many seconds, such as 60')
    .addOption(new Option('--format <format>', 'how it is written').choices(['json', 'csv']).default('json'))
    .addOption(new Option('-o, --output <file>', 'where it is written; - is standard output').default('-'));
  if (model === 'cocip') {
    command
      .option('--max-age-hours <hours>', 'longest life of a contrail (default: 12)')
      .option('--dt-integration-minutes <minutes>', 'time step of the model (default: 10)');
  }
  weatherOptions(command).action((file: string, options: Record<string, string> & OwnOptions) =>
    run(command, model, file, options),
  );
  example(
    command,
    `contrails trajectory ${model} flight.json --demo`,
    `contrails trajectory ${model} fleet.ndjson --format csv -o ${model}.csv`,
  );
}

async function run(
  command: Command,
  model: TrajectoryModel,
  file: string,
  { format, output, demo, ...given }: Record<string, string> & OwnOptions,
): Promise<void> {
  const settings = await configure(command);
  const [{ openOffline, withDemoWeather }, { openInput }] = await Promise.all([
    import('@contrails/service/trajectory'),
    import('../read-bodies.ts'),
  ]);
  const offline = openOffline(demo ? withDemoWeather(settings) : settings, model, byParameter(given));
  const shown = showProgress(`${model} ${file}`);
  const warnings: string[] = [];
  try {
    const answers = evaluateAll(offline, await openInput(file), shown.to, (text) => warnings.push(text));
    const written = format === 'csv' ? asCsv(offline, answers) : asJson(answers);
    await writeResult(output, { open: async () => Readable.from(written) }, `${model}.${format}`);
    shown.close();
    sayWarnings(warnings);
    if (output !== '-') say(`${output} is written`);
  } finally {
    shown.close();
    await offline.close();
  }
}

const MOST_WARNINGS = 20;

/** After the progress, so that they stay to be read. */
function sayWarnings(warnings: readonly string[]): void {
  for (const warning of warnings.slice(0, MOST_WARNINGS)) say(`contrails: warning: ${warning}`);
  const more = warnings.length - MOST_WARNINGS;
  if (more > 0) say(`contrails: ${more} more warnings of this kind`);
}

/** As many bodies at once as there are threads; answers come in the order of the bodies. */
async function* evaluateAll(
  offline: OfflineTrajectories,
  { bodies, bytes }: Input,
  onProgress: (share: number) => void,
  warn: (warning: string) => void,
): AsyncGenerator<EvaluatedBody> {
  const running: Promise<EvaluatedBody>[] = [];
  let doneBytes = 0;
  const start = async (input: InputBody): Promise<EvaluatedBody> => {
    const total = bytes ?? input.bytes;
    try {
      const evaluated = await offline.evaluate(input.body, (share) =>
        onProgress(Math.min(1, (doneBytes + share * input.bytes) / total)),
      );
      doneBytes += input.bytes;
      for (const warning of evaluated.warnings) warn(`${input.place}: ${warning}`);
      return evaluated;
    } catch (error) {
      throw await placed(error, input.place);
    }
  };
  for await (const input of bodies) {
    const evaluated = start(input);
    // It may fail while an earlier one is still waited for.
    evaluated.catch(() => undefined);
    running.push(evaluated);
    if (running.length >= offline.threads) yield (await running.shift()) as EvaluatedBody;
  }
  for (const evaluated of running) yield await evaluated;
}

/** Says which body is at fault. */
async function placed(error: unknown, place: string): Promise<unknown> {
  const { ContrailsError } = await import('@contrails/service/errors');
  if (!(error instanceof ContrailsError)) return error;
  return new ContrailsError(`${place}: ${error.message}`, { cause: error });
}

async function* asJson(answers: AsyncIterable<EvaluatedBody>): AsyncGenerator<Buffer> {
  const { toJson } = await import('@contrails/service/trajectory');
  for await (const { answer } of answers) {
    yield Buffer.from(toJson(answer));
    yield Buffer.from('\n');
  }
}

const LINES_AT_ONCE = 1000;

async function* asCsv(
  { columns }: OfflineTrajectories,
  answers: AsyncIterable<EvaluatedBody>,
): AsyncGenerator<Buffer> {
  const { csvHead, csvLines } = await import('@contrails/service/trajectory');
  let lines = [csvHead(columns)];
  for await (const evaluated of answers) {
    for (const line of csvLines(columns, evaluated)) {
      lines.push(line);
      if (lines.length < LINES_AT_ONCE) continue;
      yield Buffer.from(lines.join(''));
      lines = [];
    }
  }
  yield Buffer.from(lines.join(''));
}

const QUIET_MS = 1_000;

/** A flight takes a few milliseconds, which is not worth a word; what takes longer is shown. */
function showProgress(label: string): { to(share: number): void; close(): void } {
  const startedMs = performance.now();
  let progress: ReturnType<typeof openProgress> | undefined;
  let tracker: ReturnType<ReturnType<typeof openProgress>['track']> | undefined;
  return {
    to(share) {
      const isWorthIt = performance.now() - startedMs >= QUIET_MS && share < 1;
      if (tracker === undefined && !isWorthIt) return;
      progress ??= openProgress();
      tracker ??= progress.track(label, 100, '%');
      tracker.to(100 * share);
    },
    close() {
      tracker?.end();
      progress?.close();
      tracker = progress = undefined;
    },
  };
}
