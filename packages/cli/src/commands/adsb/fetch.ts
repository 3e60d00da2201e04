import { setTimeout } from 'node:timers/promises';
import type { DailyArchive } from '@contrails/flights/daily-archive';
import type { Command } from 'commander';
import { configureNew } from '../../configure.ts';
import { dayFlag, example } from '../../flags.ts';
import { print, printJson, say, table } from '../../output.ts';
import { openProgress } from '../../progress.ts';
import { withTelemetry } from './with-telemetry.ts';

interface FetchFlags {
  readonly to?: string;
  readonly from?: string;
  readonly keep?: string;
  readonly import?: boolean;
  readonly build?: boolean;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly json?: boolean;
}

/** What became of a day. */
interface FetchedDay {
  readonly date: string;
  readonly tag?: string;
  readonly bytes?: number;
  readonly files?: readonly string[];
  readonly records?: number;
  readonly truncated?: true;
  /** Why it is truncated. */
  readonly truncation?: string;
  readonly warning?: string;
  readonly error?: string;
}

const DAY_MS = 86_400_000;
const WAIT_MS = 3_600_000;
const MAX_CONNECTIONS = 2;
/** A day below this share of the median of its neighbours is incomplete. */
const MIN_SHARE = 0.5;

export function defineFetch(parent: Command): void {
  const command = parent
    .command('fetch')
    .description('download days of traffic from the archive of adsb.lol, and store them')
    .argument('<date>', 'day, such as 2026-02-25')
    .option('--to <date>', 'last day (default: the same day)')
    .option(
      '--from <source>',
      'adsb.lol, the root of a mirror with its tree, or a folder with archives (default: adsb.lol)',
    )
    .option('--keep <dir>', 'folder of the archives', 'archives')
    .option('--import', 'store the reports while they are downloaded; archives are kept only with --keep')
    .option('--build', 'with --import: publish the hours now instead of leaving them to a worker')
    .option('--dry-run', 'show what would be downloaded and its size')
    .option('--wait', 'ask every hour until the day is published')
    .option('--json', 'print JSON')
    .action(async (date: string, flags: FetchFlags) => run(command, date, flags));
  example(
    command,
    'contrails adsb fetch 2026-02-25 --dry-run',
    'contrails adsb fetch 2026-02-24 --to 2026-02-25 --import',
    'contrails adsb fetch 2026-02-25 --from https://mirror.example/adsblol --keep archives',
  );
}

async function run(command: Command, date: string, flags: FetchFlags): Promise<void> {
  const days = await daysOf(date, flags.to ?? date);
  const fetched: FetchedDay[] = [];
  for (const dayMs of days) fetched.push(await fetchDay(command, dayMs, flags));
  if (flags.import && flags.build) {
    await withTelemetry(command, (services, rules, { buildDueHours }) => buildDueHours(services, rules));
  }
  await warnOfSmallDays(fetched, flags);
  if (flags.json) printJson({ licence: (await archives()).ARCHIVE_LICENCE, days: fetched });
  else {
    const rows = fetched.map(({ date: day, tag, bytes, records, error }) => [
      day,
      tag ?? '-',
      bytes === undefined ? '-' : `${(bytes / 1e9).toFixed(2)} GB`,
      records === undefined ? '-' : String(records),
      error ?? '',
    ]);
    print(table(['date', 'archive', 'size', 'records', 'problem'], rows));
    for (const { date: day, truncation, warning } of fetched) {
      if (truncation !== undefined) say(`contrails: warning: ${day} is truncated: ${truncation}`);
      if (warning !== undefined) say(`contrails: warning: ${warning}`);
    }
    say((await archives()).ARCHIVE_LICENCE);
  }
  if (fetched.some(({ error }) => error !== undefined)) process.exitCode = 1;
}

function archives() {
  return import('@contrails/flights/daily-archive');
}

async function daysOf(first: string, last: string): Promise<number[]> {
  const [start, end] = [await dayFlag('date', first), await dayFlag('--to', last)];
  if (end < start) {
    const { UsageError } = await import('@contrails/runtime/errors');
    throw new UsageError(`--to ${last} is before ${first}`);
  }
  return Array.from({ length: (end - start) / DAY_MS + 1 }, (_, k) => start + k * DAY_MS);
}

async function fetchDay(command: Command, dayMs: number, flags: FetchFlags): Promise<FetchedDay> {
  const { findArchive } = await archives();
  const date = new Date(dayMs).toISOString().slice(0, 10);
  const options = optionsOf(flags);
  let found = await findArchive(dayMs, options);
  while (found === undefined && flags.wait) {
    say(`${date} is not published yet; asking again in an hour`);
    await setTimeout(WAIT_MS);
    found = await findArchive(dayMs, options);
  }
  if (found === undefined) {
    const isFolder = options.root !== undefined && !/^https?:/.test(options.root);
    const error = isFolder
      ? `${options.root} has no archive of ${date}; check the path`
      : `${date} is not published yet; days usually appear by 03:30 UTC of the day after`;
    return { date, error };
  }
  const { tag, bytes } = found;
  if (!flags.json) say(`${tag}: ${found.files.length} files, ${(bytes / 1e9).toFixed(2)} GB`);
  if (flags.dryRun) return { date, tag, bytes };
  const isKept = command.getOptionValueSource('keep') === 'cli';
  if (flags.import && !isKept) return { date, tag, bytes, ...(await importDay(command, found, options)) };
  const files = await download(found, flags.keep ?? 'archives', options);
  const imported = flags.import ? await importDay(command, found, { root: flags.keep }) : {};
  return { date, tag, bytes, files, ...imported };
}

function optionsOf({ from }: FetchFlags) {
  return { root: from === 'adsb.lol' ? undefined : from };
}

async function download(
  { tag, files, bytes }: DailyArchive,
  folder: string,
  options: ReturnType<typeof optionsOf>,
): Promise<string[]> {
  const [{ downloadPart, requireSpace }, { atOnce }] = await Promise.all([
    archives(),
    import('@contrails/runtime'),
  ]);
  await requireSpace(folder, bytes);
  const progress = openProgress();
  const tracker = progress.track(tag, 100, '%');
  const done = new Map<string, number>();
  try {
    const paths = new Map<string, string>();
    await atOnce(MAX_CONNECTIONS, files, async (file) => {
      const onBytes = (count: number) => {
        done.set(file.name, count);
        tracker.to((100 * [...done.values()].reduce((sum, one) => sum + one, 0)) / Math.max(1, bytes));
      };
      paths.set(file.name, await downloadPart(file, folder, { ...options, onBytes }));
    });
    return files.map(({ name }) => paths.get(name) as string);
  } finally {
    tracker.end();
    progress.close();
  }
}

/** The archive goes straight into the store, as it is downloaded or read. */
async function importDay(
  command: Command,
  found: DailyArchive,
  options: ReturnType<typeof optionsOf>,
): Promise<Pick<FetchedDay, 'records' | 'truncated' | 'truncation'>> {
  const { archiveIdentity, ARCHIVE_LICENCE, findArchive, streamArchive } = await archives();
  // What was kept is read from there.
  const archive = (await findArchive(Date.parse(found.date), options)) ?? found;
  const progress = openProgress();
  const tracker = progress.track(`import ${found.tag}`, 100, '%');
  const stream = {
    bytes: streamArchive(archive, options),
    totalBytes: found.bytes,
    name: `${found.tag} (${ARCHIVE_LICENCE})`,
    sha256: archiveIdentity(found),
  };
  const onProgress = (bytes: number, total: number) => tracker.to((100 * bytes) / Math.max(1, total));
  try {
    return await withTelemetry(
      command,
      async (services, rules, { importStream }) => {
        const receipt = await importStream(services, rules, stream, {
          source: 'adsb.lol',
          format: undefined,
          onProgress,
        });
        return {
          records: receipt.records,
          ...(receipt.truncated === null ? {} : { truncated: true, truncation: receipt.truncated }),
        };
      },
      configureNew,
    );
  } finally {
    tracker.end();
    progress.close();
  }
}

const NEIGHBOURS = [-2, -1, 1, 2];

/** Days that the publisher has cut short are much smaller than those around them. */
async function warnOfSmallDays(days: FetchedDay[], flags: FetchFlags): Promise<void> {
  const { findArchive } = await archives();
  const sizes = new Map(days.map(({ date, bytes }) => [Date.parse(date), bytes]));
  const sizeOf = async (dayMs: number) => {
    if (!sizes.has(dayMs)) {
      const found = await findArchive(dayMs, optionsOf(flags)).catch(() => undefined);
      sizes.set(dayMs, found?.bytes);
    }
    return sizes.get(dayMs);
  };
  for (const [k, day] of days.entries()) {
    if (day.bytes === undefined) continue;
    const around: number[] = [];
    for (const distance of NEIGHBOURS) {
      const size = await sizeOf(Date.parse(day.date) + distance * DAY_MS);
      if (size !== undefined) around.push(size);
    }
    const median = around.sort((a, b) => a - b)[Math.floor(around.length / 2)] ?? 0;
    if (day.bytes >= MIN_SHARE * median) continue;
    const share = Math.round((100 * day.bytes) / median);
    days[k] = {
      ...day,
      warning: `${day.date} is incomplete: ${share} % of the median size of its neighbours`,
    };
  }
}
