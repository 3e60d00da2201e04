import { HOUR_MS } from '@contrails/runtime';
import type { CheckedSource, ImportedFile, ListedSource } from '@contrails/service/weather';
import type { Command } from 'commander';
import { configure } from '../configure.ts';
import { example, timeFlag } from '../flags.ts';
import { jsonTime, print, printJson, publicNames, say, shownTime, table } from '../output.ts';
import { openProgress, type Tracker } from '../progress.ts';
import { defineSample } from './met-sample.ts';
import { defineSync } from './met-sync.ts';

export function defineMet(program: Command): void {
  const met = program
    .command('met')
    .description(
      'weather: what the configured sources hold, whether it is plausible, import of files, real weather',
    );
  example(met, 'contrails met list');
  defineList(met);
  defineCheck(met);
  defineImport(met);
  defineSample(met);
  defineSync(met);
}

function defineList(parent: Command): void {
  const command = parent
    .command('list')
    .description('list the configured sources: range, levels, extent, resolution, missing variables and gaps')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const config = await configure(command);
      const { listWeather } = await import('@contrails/service/weather');
      const sources = await listWeather(config);
      if (json) printJson(publicNames(sources.map(jsonSource)));
      else if (sources.length > 0) printSources(sources);
      else
        say(
          'no weather sources; fetch one with `contrails met sync ecmwf`, or add one under met.sources in the configuration',
        );
    });
  example(command, 'contrails met list', 'contrails met list --config contrails.yaml --json');
}

function defineCheck(parent: Command): void {
  const command = parent
    .command('check')
    .description('read one time of a source and compare every variable with what is plausible')
    .argument('<source>', 'name of a configured source')
    .option('--time <time>', 'which time to read, such as 2024-06-01T12:00Z (default: the newest)')
    .option('--json', 'print JSON')
    .action(async (name: string, { time, json }: { time?: string; json?: boolean }) => {
      const config = await configure(command);
      const timeMs = time === undefined ? undefined : await timeFlag('--time', time);
      const { checkWeather } = await import('@contrails/service/weather');
      const checked = await withProgress((track) =>
        checkWeather(config, name, {
          ...(timeMs === undefined ? {} : { timeMs }),
          onProgress: (done, total) => track(name, done, total, 'variables'),
        }),
      );
      if (json) printJson(publicNames(jsonCheck(checked)));
      else printCheck(checked);
      if (checked.findings.some(({ state }) => state === 'fail')) process.exitCode = 1;
    });
  example(command, 'contrails met check era5', 'contrails met check era5 --time 2024-06-01T12:00Z --json');
}

function defineImport(parent: Command): void {
  const command = parent
    .command('import')
    .description('look into files and copy them into the data directory, where the source reads them')
    .argument('<files...>', 'netCDF or GRIB files')
    .requiredOption('--as <source>', 'name of the configured source they belong to')
    .option('--replace', 'put files in the place of others of their names')
    .option('--json', 'print JSON')
    .action(async (files: string[], options: { as: string; replace?: boolean; json?: boolean }) => {
      const config = await configure(command);
      const { importWeather } = await import('@contrails/service/weather');
      const results = await withProgress((track) =>
        importWeather(config, options.as, files, {
          replace: options.replace === true,
          onProgress: (file, done, total) => track(file, done / 2 ** 20, total / 2 ** 20, 'MiB'),
        }),
      );
      if (options.json) printJson(publicNames(results.map(jsonImport)));
      else printImports(results);
      if (results.some(({ state }) => state === 'refused')) process.exitCode = 1;
    });
  example(
    command,
    'contrails met import era5-2024-06-*.nc --as era5',
    'contrails met import download.grib2 --as ifs --replace',
  );
}

/** One bar for each item that is reported. */
async function withProgress<T>(
  work: (track: (label: string, done: number, total: number, unit: string) => void) => Promise<T>,
): Promise<T> {
  const progress = openProgress();
  const trackers = new Map<string, Tracker>();
  try {
    return await work((label, done, total, unit) => {
      const tracker = trackers.get(label) ?? progress.track(label, total, unit);
      trackers.set(label, tracker);
      tracker.to(done);
    });
  } finally {
    for (const tracker of trackers.values()) tracker.end();
    progress.close();
  }
}

const HEADINGS = [
  'name',
  'kind',
  'type',
  'run',
  'from',
  'to',
  'step',
  'levels',
  'extent',
  'resolution',
  'gaps',
  'missing',
];

function printSources(sources: readonly ListedSource[]): void {
  const rows = sources.flatMap((source) =>
    'error' in source ? [] : source.runs.map((run) => row(source, run)),
  );
  if (rows.length > 0) print(table(HEADINGS, rows));
  for (const source of sources) {
    if ('error' in source) say(`${source.name} cannot be read: ${source.error}`);
  }
}

function row(source: ReadableSource, run: SourceRun): string[] {
  const { name, kind, levels, resolutionDeg, missing } = source;
  return [
    name,
    kind,
    run.type,
    run.referenceTime === undefined ? '-' : shownTime(run.referenceTime),
    shownTime(run.first),
    shownTime(run.last),
    `${shown(run.stepMs / HOUR_MS)} h`,
    `${levels.length} (${levels[0]}–${levels.at(-1)} hPa)`,
    shownExtent(source),
    resolutionDeg.map((degrees) => `${shown(degrees)}°`).join(' × '),
    String(run.gaps.length),
    missing.map(({ variable }) => variable).join(', ') || '-',
  ];
}

/** `30°N–70°N 60°W–10°E` */
function shownExtent({ latitude, longitude }: Pick<ReadableSource, 'latitude' | 'longitude'>): string {
  const side = (degrees: number, [minus, plus]: readonly [string, string]) =>
    `${shown(Math.abs(degrees))}°${degrees < 0 ? minus : degrees > 0 ? plus : ''}`;
  const parallels = latitude.map((degrees) => side(degrees, ['S', 'N'])).join('–');
  return `${parallels} ${longitude.map((degrees) => side(degrees, ['W', 'E'])).join('–')}`;
}

function printCheck({ ranges, findings, timeMs, referenceTime, summary }: CheckedSource): void {
  const run = referenceTime === undefined ? '' : `, forecast of ${shownTime(referenceTime)}`;
  print(
    `${summary.name}: ${summary.provider} ${summary.dataset} ${summary.product}, ${shownTime(timeMs)}${run}\n`,
  );
  const rows = ranges.map(({ variable, unit, lowest, highest, plausible, isPlausible, missingShare }) => [
    variable,
    unit,
    shown(lowest),
    shown(highest),
    `${plausible[0]} … ${plausible[1]}`,
    `${shown(100 * missingShare)} %`,
    isPlausible ? 'ok' : 'implausible',
  ]);
  print(table(['variable', 'unit', 'lowest', 'highest', 'plausible', 'missing', 'verdict'], rows));
  for (const { state, message, remedy } of findings) print(`\n${state}: ${message}\n  → ${remedy}`);
}

function printImports(results: readonly ImportedFile[]): void {
  const rows = results.map((result) =>
    result.state === 'refused'
      ? [result.file, 'refused', result.message]
      : [
          result.file,
          result.state,
          result.holds.runs.map(({ first, last }) => `${shownTime(first)} to ${shownTime(last)}`).join(', '),
        ],
  );
  print(table(['file', 'state', 'holds'], rows));
}

function jsonSource(source: ListedSource) {
  if ('error' in source) return source;
  return { ...source, runs: source.runs.map(jsonRun) };
}

function jsonRun({ referenceTime, first, last, stepMs, gaps, ...run }: SourceRun) {
  return {
    ...run,
    reference_time: jsonTime(referenceTime),
    first: jsonTime(first),
    last: jsonTime(last),
    step_hours: stepMs / HOUR_MS,
    gaps: gaps.map(({ after, before }) => ({ after: jsonTime(after), before: jsonTime(before) })),
  };
}

type ReadableSource = Exclude<ListedSource, { error: string }>;
type SourceRun = ReadableSource['runs'][number];

function jsonCheck({ timeMs, referenceTime, summary, findings, ...rest }: CheckedSource) {
  return {
    source: summary.name,
    time: jsonTime(timeMs),
    reference_time: jsonTime(referenceTime),
    ...rest,
    findings,
  };
}

function jsonImport(result: ImportedFile) {
  if (result.state === 'refused') return result;
  return { ...result, holds: { ...result.holds, runs: result.holds.runs.map(jsonRun) } };
}

const shown = (value: number): string => String(Number(value.toPrecision(4)));
