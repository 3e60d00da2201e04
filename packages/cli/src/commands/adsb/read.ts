import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TelemetryCollection } from '@contrails/flights';
import { SOURCE_FORMATS, type SourceFormat } from '@contrails/flights/source-formats';
import { type Command, Option } from 'commander';
import { example, timeFlag } from '../../flags.ts';
import { say } from '../../output.ts';
import { openProgress } from '../../progress.ts';
import { writeResult } from '../../write-result.ts';

interface ReadFlags {
  readonly format?: SourceFormat;
  readonly now?: string;
  readonly strict?: boolean;
  readonly output?: string;
  readonly json?: boolean;
}

export function defineRead(parent: Command): void {
  const command = parent
    .command('read')
    .description('read telemetry and say which records are refused and why; nothing is stored')
    .argument(
      '<files...>',
      'files of any known format, also compressed (gzip, Zstandard) or as a tar archive; - reads standard input',
    )
    .addOption(
      new Option('--format <format>', 'format of the files (default: told from each)').choices(
        SOURCE_FORMATS,
      ),
    )
    .option('--now <time>', 'the clock for reports in the future, such as 2025-01-01T09:10 (default: now)')
    .option('--strict', 'refuse files that break off (truncated, or with a wrong checksum) whole')
    .option('-o, --output <file>', 'where rows are written: a .parquet file, or rows and refusals as .json')
    .option('--json', 'print rows and refusals as JSON')
    .action((files: string[], flags: ReadFlags) => run(files, flags));
  example(
    command,
    'contrails adsb read aircraft.json --json',
    'contrails adsb read trace_full_40095d.json.gz states.csv -o telemetry.parquet',
    'contrails adsb read traces-2025-01-01.tar --now 2025-01-02 -o telemetry.parquet',
  );
}

const MEMORY_MIB = 256;

async function run(
  given: readonly string[],
  { format, now, strict = false, output, json }: ReadFlags,
): Promise<void> {
  const { openCollection, withoutOtherParts } = await import('@contrails/flights');
  const files = await withoutOtherParts(given);
  const target = await targetOf(output, json === true);
  const nowMs = now === undefined ? Date.now() : await timeFlag('--now', now);
  const sizes = await Promise.all(files.map(sizeOf));
  const collection = await openCollection({ memoryMiB: MEMORY_MIB, threads: availableParallelism() });
  try {
    const truncated: string[] = [];
    for (const [input, file] of files.entries()) {
      const reasons = await readInto(collection, { file, input, format, nowMs, strict, bytes: sizes[input] });
      truncated.push(...reasons.map((reason) => `${file} breaks off: ${reason}`));
    }
    await collection.refuseDuplicates();
    await writeTarget(target, collection, files);
    await sayCounts(collection);
    truncated.forEach(say);
    if (truncated.length > 0) process.exitCode = 1;
    if (target !== undefined && target.file !== '-') say(`${target.file} is written`);
  } finally {
    await collection.close();
  }
}

interface Target {
  readonly file: string;
  readonly isParquet: boolean;
}

async function targetOf(output: string | undefined, json: boolean): Promise<Target | undefined> {
  if (output === undefined) return json ? { file: '-', isParquet: false } : undefined;
  if (output.endsWith('.parquet') && !json) return { file: output, isParquet: true };
  if (output.endsWith('.json') || (json && !output.endsWith('.parquet')))
    return { file: output, isParquet: false };
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(
    json
      ? `--json and -o ${output} contradict each other; leave one of them out`
      : `-o ${output} names no kind of file; end it with .parquet or .json`,
  );
}

/** Bytes of a file; undefined for standard input. */
async function sizeOf(file: string): Promise<number | undefined> {
  if (file === '-') return undefined;
  const { UsageError } = await import('@contrails/runtime/errors');
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code}); check the path`, { cause: error });
  });
  if (found.isDirectory()) throw new UsageError(`${file} is a directory; name the files in it`);
  return found.size;
}

interface InputFile {
  readonly file: string;
  readonly input: number;
  readonly format: SourceFormat | undefined;
  readonly nowMs: number;
  readonly strict: boolean;
  readonly bytes: number | undefined;
}

const QUIET_MS = 1_000;

/** Returns where the file breaks off, and why. */
async function readInto(
  collection: TelemetryCollection,
  { file, input, format, nowMs, strict, bytes }: InputFile,
): Promise<readonly string[]> {
  const { FormatError, readTelemetry } = await import('@contrails/flights');
  const name = file === '-' ? 'standard input' : file;
  const shown = showProgress(name, bytes);
  const skipped: string[] = [];
  const truncated: string[] = [];
  try {
    for await (const block of readTelemetry(file === '-' ? process.stdin : file, {
      format,
      name,
      nowMs,
      memoryMiB: MEMORY_MIB,
      onBytes: shown.to,
    })) {
      await collection.add(block, input);
      skipped.push(...block.skippedEntries);
      truncated.push(...block.truncations);
      const [reason] = truncated;
      if (strict && reason !== undefined)
        throw new FormatError(`${name} breaks off: ${reason}; nothing of it is used`, { reason });
    }
  } finally {
    shown.close();
  }
  if (skipped.length > 0) {
    say(`${name}: ${skipped.length} entries of the archive hold no telemetry, such as ${skipped[0]}`);
  }
  return truncated;
}

/** Nothing for what is read within a second. */
function showProgress(
  label: string,
  bytes: number | undefined,
): { to(bytesRead: number): void; close(): void } {
  const startedMs = performance.now();
  const progress = openProgress();
  let tracker: ReturnType<typeof progress.track> | undefined;
  return {
    to(bytesRead) {
      if (performance.now() - startedMs < QUIET_MS) return;
      tracker ??= progress.track(label, (bytes ?? Number.POSITIVE_INFINITY) / 2 ** 20, 'MiB');
      tracker.to(bytesRead / 2 ** 20);
    },
    close() {
      tracker?.end();
      progress.close();
    },
  };
}

async function writeTarget(
  target: Target | undefined,
  collection: TelemetryCollection,
  files: readonly string[],
): Promise<void> {
  if (target === undefined) return;
  if (!target.isParquet) {
    const text = Readable.from(asJson(collection, files));
    await writeResult(target.file, { open: async () => text }, 'telemetry.json');
    return;
  }
  const { withTemporaryFolder } = await import('@contrails/runtime');
  await withTemporaryFolder('read', async (folder) => {
    const file = join(folder, 'telemetry.parquet');
    await collection.writeParquet(file);
    await writeResult(target.file, { open: async () => createReadStream(file) }, 'telemetry.parquet');
  });
}

const TIMES: readonly string[] = ['timestamp', 'departure_scheduled_time', 'arrival_scheduled_time'];

/** One column after the other, so the document is written without holding it in memory. */
async function* asJson(collection: TelemetryCollection, files: readonly string[]): AsyncGenerator<string> {
  const { TELEMETRY_COLUMNS } = await import('@contrails/flights');
  yield '{"rows": {';
  for (const [k, name] of TELEMETRY_COLUMNS.entries()) {
    yield `${k === 0 ? '' : ','}\n"${name}": [`;
    const written = TIMES.includes(name) ? jsonTime : (value: unknown) => JSON.stringify(value);
    yield* joined<unknown>(collection.column(name), written);
    yield ']';
  }
  yield '},\n"refused": [';
  yield* joined(collection.refused(), ({ input, record, code, detail }) => {
    const file = files.length > 1 ? { file: files[input] } : {};
    return `\n${JSON.stringify({ ...file, record, code, detail })}`;
  });
  yield ']}\n';
}

async function* joined<T>(
  chunks: AsyncIterable<ArrayLike<T>>,
  write: (value: T) => string,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const chunk of chunks) {
    yield `${isFirst ? '' : ','}${Array.from(chunk, write).join(',')}`;
    isFirst = false;
  }
}

/** `2025-01-01T08:59:59.500`, as the telemetry table has it: UTC without a zone, milliseconds where there are some. */
function jsonTime(ms: unknown): string {
  return typeof ms !== 'number' || Number.isNaN(ms)
    ? 'null'
    : `"${new Date(ms).toISOString().replace(/(\.000)?Z$/, '')}"`;
}

async function sayCounts(collection: TelemetryCollection): Promise<void> {
  const { REFUSALS } = await import('@contrails/flights');
  const { rows, refused } = await collection.counts();
  const total = [...refused.values()].reduce((sum, count) => sum + count, 0);
  say(`${rows} of ${rows + total} records accepted, ${total} refused`);
  for (const [code, kind] of Object.entries(REFUSALS)) {
    const count = refused.get(code as keyof typeof REFUSALS);
    if (count !== undefined) say(`  ${code} ${count} (${kind})`);
  }
}
