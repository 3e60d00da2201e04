import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, isoDate, isoSecond, MINUTE_MS, SECOND_MS } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import type { Config } from '@contrails/service/config';
import type { SyncPlan, SyncResult } from '@contrails/service/weather';
import type { Command } from 'commander';
import { configure } from '../configure.ts';
import { collect, example, integer, timeFlag } from '../flags.ts';
import { print, publicNames, say } from '../output.ts';
import { openProgress, type Tracker } from '../progress.ts';

interface Flags {
  readonly hours?: number;
  readonly run?: string;
  readonly asOf?: string;
  readonly from?: string;
  readonly to?: string;
  readonly levels?: string;
  readonly bbox?: string;
  readonly members?: string;
  readonly radiationFrom?: string;
  readonly keep?: string;
  readonly watch?: boolean;
  readonly every?: number;
  readonly root?: string[];
  readonly maxRate?: string;
  readonly connections?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly wait?: number;
}

const GIBIBYTE = 2 ** 30;
const ASK_ABOVE_BYTES = 20 * GIBIBYTE;
const EXIT_CODES = { failed: 1, usage: 2, locked: 3 } as const;
/** How soon to recheck a run that is being written. */
const LOOK_AGAIN_MS = 2 * MINUTE_MS;

export function defineSync(parent: Command): void {
  const command = parent
    .command('sync')
    .description(
      'fetch real weather: the newest run of a forecast, or past days; the source registers itself',
    )
    .argument('<sources...>', 'ecmwf, gfs, ukmo, icon-eu, era5, era5-cds')
    .option('--hours <n>', 'last forecast hour (default: 36; ukmo 12, icon-eu 24)', integer(0, 384))
    .option('--run <time>', 'start of the run (default: the newest complete one)')
    .option('--as-of <time>', 'newest run that was complete at a time (default: now)')
    .option('--from <day>', 'first day, of a reanalysis')
    .option('--to <day>', 'last day, of a reanalysis')
    .option('--levels <hPa>', 'pressure levels, such as 200,250,300')
    .option('--bbox <W,S,E,N>', 'part of the grid, of ukmo, icon-eu, era5 and era5-cds')
    .option('--members <n>', 'members of the ensemble of ecmwf, 1 to 50 or all')
    .option('--radiation-from <source>', 'take radiation from another source, such as gfs')
    .option('--keep <age>', 'remove runs that start so long before the newest one (default: 2d)')
    .option('--watch', 'stay, and fetch every new run')
    .option('--every <minutes>', 'time between two looks of --watch (default: 5)', integer(1, 60))
    .option('--root <url>', 'where to fetch from, or SOURCE=URL; may be repeated for an order', collect)
    .option('--max-rate <MiB>', 'maximum rate in MiB/s')
    .option('--connections <n>', 'connections to one server (default: 4)', integer(1, 16))
    .option('--dry-run', 'show run, steps and size; write nothing')
    .option('--wait <seconds>', 'wait for another process that syncs the source', integer(0, 86_400))
    .option('--yes', 'do not ask above 20 GiB')
    .option('--json', 'print JSON, one line for each source')
    .action(async (sources: string[], flags: Flags) => {
      const config = await configure(command);
      const { providerNamed } = await import('@contrails/service/weather');
      for (const source of sources) providerNamed(source);
      if (flags.watch) {
        const ordered = inOrder(sources, flags.radiationFrom, config);
        await watch(config, ordered, flags, await readFlags(flags));
      } else await syncOnce(config, sources, flags);
    });
  example(
    command,
    'contrails met sync ecmwf',
    'contrails met sync ecmwf gfs --radiation-from gfs',
    'contrails met sync era5 --from 2024-06-15 --to 2024-06-15 --bbox=-60,30,10,70',
    'contrails met sync ecmwf --watch',
  );
}

/** Brings sources up to date once, as the command does with these flags. */
export async function syncOnce(config: Config, sources: readonly string[], flags: Flags): Promise<void> {
  await syncAll(config, inOrder(sources, flags.radiationFrom, config), flags, await readFlags(flags));
}

type Choices = Omit<
  Parameters<typeof import('@contrails/service/weather').syncWeather>[2],
  'radiationFrom' | 'roots'
>;

async function readFlags(flags: Flags): Promise<Choices> {
  const { durationMs } = await import('@contrails/platform/config/duration');
  const usage = (text: string) => new UsageError(text);
  const numbers = (flag: string, text: string) =>
    text.split(',').map((part) => {
      const value = Number(part);
      if (part.trim() !== '' && Number.isFinite(value)) return value;
      throw usage(`${flag} is ${text}; give numbers with commas between them`);
    });
  const time = async (flag: string, text: string | undefined) =>
    text === undefined
      ? undefined
      : await timeFlag(flag, /^\d{4}-\d\d-\d\dT\d\d$/.test(text) ? `${text}:00Z` : text);
  const [runMs, asOfMs] = [await time('--run', flags.run), await time('--as-of', flags.asOf)];
  const [fromMs, toMs] = [await time('--from', flags.from), await time('--to', flags.to ?? flags.from)];
  if (fromMs === undefined && toMs !== undefined) throw usage('--to is given without --from; give both');
  if (fromMs !== undefined && toMs !== undefined && toMs < fromMs)
    throw usage('--to is before --from; exchange them');
  const keepMs = flags.keep === undefined ? undefined : durationMs(flags.keep);
  if (Number.isNaN(keepMs)) throw usage(`--keep is ${flags.keep}; give a duration such as 12h or 2d`);
  const rate = flags.maxRate === undefined ? undefined : Number(flags.maxRate);
  if (rate !== undefined && !(rate > 0)) throw usage(`--max-rate is ${flags.maxRate}; give MiB a second`);
  const bbox = flags.bbox === undefined ? undefined : numbers('--bbox', flags.bbox);
  if (bbox !== undefined && !isBox(bbox)) {
    throw usage(
      `--bbox is ${flags.bbox}; give west, south, east and north in degrees, such as --bbox=-60,30,10,70`,
    );
  }
  const levels = flags.levels === undefined ? undefined : numbers('--levels', flags.levels);
  if (levels?.some((level) => level < 1 || level > 1100))
    throw usage(`--levels is ${flags.levels}; give hPa`);
  const members = flags.members === 'all' ? 50 : Number(flags.members ?? 1);
  if (!Number.isInteger(members) || members < 1 || members > 50) {
    throw usage(`--members is ${flags.members}; give a number from 1 to 50, or all`);
  }
  const day = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;
  return definedOnly({
    hours: flags.hours,
    runMs,
    asOfMs,
    days: fromMs === undefined || toMs === undefined ? undefined : ([day(fromMs), day(toMs)] as const),
    levels,
    bbox,
    members: flags.members === undefined ? undefined : members,
    keepMs,
    maxBytesPerSecond: rate === undefined ? undefined : rate * 2 ** 20,
    connections: flags.connections,
    dryRun: flags.dryRun,
    waitMs: flags.wait === undefined ? undefined : flags.wait * SECOND_MS,
  });
}

/** West, south, east and north [°]. */
export function isBox(values: readonly number[]): values is readonly [number, number, number, number] {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = values;
  const areInRange = [west, east].every((x) => x >= -180 && x <= 360) && south >= -90 && north <= 90;
  return values.length === 4 && areInRange && south < north;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function definedOnly<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** A source that others take radiation from must be there before them. */
function inOrder(sources: readonly string[], radiationFrom: string | undefined, config: Config): string[] {
  const each = [...new Set(sources)];
  if (radiationFrom === undefined) return each;
  if (each.includes(radiationFrom)) {
    return [radiationFrom, ...each.filter((source) => source !== radiationFrom)];
  }
  if (config.met.sources.some(({ name }) => name === radiationFrom)) return each;
  throw new UsageError(
    `--radiation-from is ${radiationFrom}, which is not a source; sync it too: contrails met sync ${each.join(' ')} ${radiationFrom} --radiation-from ${radiationFrom}`,
  );
}

/** Brings all sources up to date; the exit code is that of the worst of them. Returns whether a newer run is being written. */
async function syncAll(
  config: Config,
  sources: readonly string[],
  flags: Flags,
  choices: Choices,
  signal?: AbortSignal,
): Promise<boolean> {
  let isNewerComing = false;
  const { syncWeather, SyncError } = await import('@contrails/service/weather');
  for (const source of sources) {
    const progress = openProgress();
    let tracker: Tracker | undefined;
    try {
      const radiationFrom = flags.radiationFrom === source ? undefined : flags.radiationFrom;
      const results = await syncWeather(config, source, {
        ...choices,
        ...(radiationFrom === undefined ? {} : { radiationFrom }),
        ...rootsOf(flags.root, source, sources),
        ...(signal === undefined ? {} : { signal }),
        onPlan: async (plan) => {
          tracker?.end();
          say(shownPlan(plan, flags));
          if (!flags.dryRun) await confirm(plan, flags);
          if (flags.dryRun) return;
          const before = (plan.bytes - plan.missingBytes) / 2 ** 20;
          tracker = progress.track(source, plan.bytes / 2 ** 20, 'MiB', { before });
        },
        onProgress: (bytes) => tracker?.to(bytes / 2 ** 20),
        onNotice: say,
      });
      tracker?.end();
      progress.close();
      isNewerComing ||= results.some((result) => result.isNewerComing);
      if (flags.json) print(JSON.stringify(jsonResult(results)));
      else for (const result of results) print(shownResult(result));
    } catch (error) {
      tracker?.end();
      progress.close();
      if (!(error instanceof SyncError)) throw error;
      process.exitCode = Math.max(Number(process.exitCode ?? 0), EXIT_CODES[error.kind]);
      if (flags.json) {
        print(JSON.stringify({ source, state: 'failed', error: error.problem, remedy: error.remedy }));
      }
      say(`contrails: ${source}: ${error.message}`);
    }
  }
  return isNewerComing;
}

/** Looks again and again until a signal comes; what fails is tried again at the next look. */
async function watch(
  config: Config,
  sources: readonly string[],
  flags: Flags,
  choices: Choices,
): Promise<void> {
  const stop = new AbortController();
  const end = () => {
    stop.abort();
    // A request that does not end must not keep the command.
    setTimeout(() => process.exit(0), 9 * SECOND_MS).unref();
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  const look = async () => {
    const isNewerComing = await syncAll(config, sources, flags, choices, stop.signal);
    const isDone = !process.exitCode && !isNewerComing;
    process.exitCode = 0;
    return isDone;
  };
  await lookRegularly(look, (flags.every ?? 5) * MINUTE_MS, stop.signal);
  // What a signal cuts short is not a failure.
  process.exitCode = 0;
}

/** Looks until the signal comes: soon again while a run is being written or after a failure, else after the interval. */
export async function lookRegularly(
  look: () => Promise<boolean>,
  everyMs: number,
  signal: AbortSignal,
  wait: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { signal }),
): Promise<void> {
  while (!signal.aborted) {
    try {
      const isDone = await look();
      await wait(isDone ? everyMs : Math.min(LOOK_AGAIN_MS, everyMs));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** `URL` where there is one source, `SOURCE=URL` where there are several. */
function rootsOf(
  roots: readonly string[] | undefined,
  source: string,
  sources: readonly string[],
): { readonly roots?: readonly string[] } {
  if (roots === undefined) return {};
  const own = roots.flatMap((text) => {
    const [, name, url = text] = /^([a-z0-9-]+)=(.*)$/.exec(text) ?? [];
    if (!/^https?:\/\/[^\s@]+$/.test(url)) {
      throw new UsageError(`--root is ${text}; give an http:// or https:// address without credentials`);
    }
    if (name === undefined && sources.length > 1) {
      throw new UsageError(`--root is ${text}, but there are several sources; write ${source}=${url}`);
    }
    return name === undefined || name === source ? [url] : [];
  });
  return own.length === 0 ? {} : { roots: own };
}

async function confirm({ missingBytes, source }: SyncPlan, { yes }: Flags): Promise<void> {
  if (missingBytes <= ASK_ABOVE_BYTES || yes) return;
  const { SyncError } = await import('@contrails/service/weather');
  const size = `${shownBytes(missingBytes)} of ${source}`;
  if (!process.stdin.isTTY)
    throw new SyncError(
      `${size} would be fetched`,
      'give --yes to fetch them, or --hours, --levels or --bbox for less',
    );
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`Fetch ${size}? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim()))
      throw new SyncError('nothing is fetched', 'choose --hours, --levels or --bbox for less');
  } finally {
    lines.close();
  }
}

/** `ecmwf: run 2026-09-14 00 UTC, 13 steps to 36 h, 264 MiB from data.ecmwf.int; 41 GiB free` */
function shownPlan(plan: SyncPlan, { dryRun }: Flags): string {
  const { source, runMs, steps, missingBytes, bytes, root, freeBytes } = plan;
  const isDay = steps.length <= 1 && steps[0] === 0 && runMs % DAY_MS === 0;
  const what = isDay
    ? isoDate(runMs)
    : `run ${isoDate(runMs)} ${String((runMs % DAY_MS) / HOUR_MS).padStart(2, '0')} UTC, ${steps.length} steps to ${steps.at(-1)} h`;
  const messages = dryRun && plan.messages > 0 ? `, ${plan.messages} messages` : '';
  const there = missingBytes < bytes ? ` (${shownBytes(bytes - missingBytes)} are there)` : '';
  return `${source}: ${what}${messages}, ${shownBytes(missingBytes)}${there} from ${new URL(root).host}; ${shownBytes(freeBytes)} free`;
}

function shownResult(result: SyncResult): string {
  const {
    source,
    state,
    runMs,
    steps,
    bytesFetched,
    seconds,
    radiation,
    radiationFrom,
    attribution,
    nextRunMs,
  } = result;
  if (state === 'planned')
    return `${source}: ${result.files} files, ${shownBytes(result.bytes)}; nothing was written`;
  const covers = `source "${source}" covers ${shortTime(runMs + (steps[0] ?? 0) * HOUR_MS)} to ${shortTime(result.lastMs)} UTC`;
  const how =
    state === 'up-to-date' ? 'up to date' : `done in ${Math.ceil(seconds)} s: ${shownBytes(bytesFetched)}`;
  const next = nextRunMs === undefined ? '' : `; next run about ${isoSecond(nextRunMs).slice(11, 16)} UTC`;
  const lines = [`${how}; ${covers}; radiation: ${radiationFrom ?? radiation}${next}`];
  if (result.warning !== undefined) lines.push(result.warning);
  return [...lines, attribution].join('\n');
}

/** `14 Sep 00:00` */
function shortTime(ms: number): string {
  const month = new Date(ms).toLocaleString('en-US', { month: 'short', timeZone: 'UTC' });
  return `${new Date(ms).getUTCDate()} ${month} ${new Date(ms).toISOString().slice(11, 16)}`;
}

/** One object for each source; the days of a reanalysis together. */
function jsonResult(results: readonly SyncResult[]): unknown {
  const [first] = results;
  if (first === undefined) return {};
  const { runMs, lastMs, nextRunMs, isNewerComing, warning, type, ...rest } = first;
  const sum = (of: (result: SyncResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const isReanalysis = type === 'reanalysis';
  return publicNames({
    ...rest,
    state: results.find(({ state }) => state !== 'up-to-date')?.state ?? 'up-to-date',
    run: isReanalysis ? null : isoSecond(runMs),
    ...(isReanalysis ? { days: results.map((result) => isoDate(result.runMs)) } : {}),
    files: sum(({ files }) => files),
    bytes: sum(({ bytes }) => bytes),
    bytesFetched: results.at(-1)?.bytesFetched ?? 0,
    radiationFrom: first.radiationFrom ?? null,
    deletedRuns: results.flatMap(({ deletedRuns }) => deletedRuns),
    seconds: results.at(-1)?.seconds ?? 0,
  });
}

function shownBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${value >= 10 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
