import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { AircraftClass } from '@contrails/engine/grid/aircraft';
import type { ShardName } from '@contrails/engine/skill/observations';
import type { forecastsByAge, ScoreRequest } from '@contrails/engine/skill/run';
import type { ScoreRecord } from '@contrails/engine/skill/table';
import type { HumidityScalingChoice } from '@contrails/engine/weather/humidity-scaling';
import type { Config } from '@contrails/service/config';
import type { Services } from '@contrails/service/services';
import { type Command, InvalidArgumentError } from 'commander';
import { configureWeather, openLog } from '../configure.ts';
import { example, integer, timeFlag } from '../flags.ts';
import { jsonTime, print, printJson, say, table } from '../output.ts';
import { openProgress } from '../progress.ts';
import { writeResult } from '../write-result.ts';

interface ScoreFlags {
  readonly forecast?: string;
  readonly source?: string;
  readonly class: AircraftClass;
  readonly forecastReferenceTime?: string;
  readonly leadHours?: readonly number[];
  readonly humidityScaling: HumidityScalingChoice;
  readonly demo?: boolean;
  readonly observations?: string;
  readonly from?: string;
  readonly to?: string;
  readonly flightLevel?: readonly number[];
  readonly buffer: readonly number[];
  readonly rhi?: readonly number[];
  readonly probability?: readonly number[];
  readonly region: string;
  readonly season: string;
  readonly bootstrap: number;
  readonly seed: number;
  readonly published?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly output?: string;
  readonly plot?: string;
}

/** Steps of the ranges: 0..10 is 0, 1, … 10 and 0.7..1.3 is 0.70, 0.75, … 1.30. */
const [WHOLE, TWENTIETH] = [1, 20];

export function defineForecastScore(parent: Command): void {
  const command = parent
    .command('score')
    .description('hit rate and penalty of a forecast of persistent-contrail regions against observations')
    .option('--forecast <directory>', 'files such as 1704240000_330.nc: unix seconds and flight level')
    .option(
      '--source <name>',
      'a weather source of your own instead: its stored contrail grids, or with --rhi its humidity',
    )
    .option('--class <class>', 'of the stored contrail grids', 'default')
    .option('--forecast-reference-time <time>', 'only this run of the source')
    .option(
      '--lead-hours <hours>',
      'only runs of this age, such as 0,24,48; each is scored on the times that all have',
      numbers(WHOLE, 0, 384),
    )
    .option('--humidity-scaling <name>', 'of the humidity of a source', 'none')
    .option('--demo', 'the forecast of the demo against its own sky, unless others are given')
    .option(
      '--observations <directory>',
      'folders adsb, iagos, gruan and contrailwatch of Parquet files; a public bucket such as gs://contrailbench-public-data/v1 is read and kept; own is what this installation saw: its flights, and contrails that its satellites showed',
    )
    .option('--from <time>', 'first time')
    .option('--to <time>', 'last time')
    .option('--flight-level <levels>', 'only these levels, such as 330,360', numbers(WHOLE, 0, 600))
    .option(
      '--buffer <cells>',
      'cells that regions are widened by, such as 0..10',
      numbers(WHOLE, 0, 40),
      [0],
    )
    .option(
      '--rhi <thresholds>',
      'humidity thresholds of forecasts with rhi and sac, such as 0.7..1.3',
      numbers(TWENTIETH, 0, 3),
    )
    .option('--probability <thresholds>', 'thresholds of forecasts of probability', numbers(TWENTIETH, 0, 1))
    .option('--region <names>', 'global, conus, shanwick, or one W,E,S,N', 'global')
    .option('--season <names>', 'annual, winter, spring, summer, autumn', 'annual')
    .option('--bootstrap <number>', 'resamples of the intervals', integer(1, 100_000), 1000)
    .option('--seed <number>', 'of the random numbers', integer(0, 2 ** 31), 0)
    .option('--published <file>', 'CSV of published scores to draw in grey')
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV')
    .option('-o, --output <file>', 'where JSON or CSV is written, by the ending of its name')
    .option('--plot <file.svg>', 'where the skill curve is written')
    .action((flags: ScoreFlags) => run(command, flags));
  example(
    command,
    'contrails forecast score --forecast forecast --observations observations --buffer 0..10 --plot skill.svg',
    'contrails forecast score --forecast forecast --observations observations --region conus --season winter --csv',
    'contrails forecast score --demo --buffer 0..10',
    'contrails forecast score --source ifs --observations gs://contrailbench-public-data/v1 --from 2024-01-03 --to 2024-01-04 --rhi 0.7..1.3',
  );
}

async function run(command: Command, flags: ScoreFlags): Promise<void> {
  const [
    { scoreForecast },
    { plotScores, scoreNotes },
    { readScoreCsv, scoreCsv, scoreRecord },
    { makeTemporaryFolder },
  ] = await Promise.all([
    import('@contrails/engine/skill/run'),
    import('@contrails/engine/skill/plot'),
    import('@contrails/engine/skill/table'),
    import('@contrails/runtime'),
  ]);
  const thresholds = flags.rhi ?? flags.probability ?? [undefined];
  await requireOneSweep(flags);
  const published = flags.published === undefined ? [] : readScoreCsv(await readPublished(flags.published));
  const folder = await makeTemporaryFolder('score');
  const progress = openProgress();
  const opened = await openForecasts(command, flags);
  try {
    const tracker = progress.track('scoring', 100, '%');
    const scores = await scoreForecast(
      {
        ...opened,
        settings: thresholds.flatMap((threshold) => flags.buffer.map((buffer) => ({ buffer, threshold }))),
        regions: await regionsOf(flags.region),
        seasons: await seasonsOf(flags.season),
        resamples: flags.bootstrap,
        seed: flags.seed,
        temporaryDirectory: folder.path,
      },
      { onProgress: (done, of) => tracker.to((100 * done) / of) },
    );
    tracker.end();
    progress.close();
    const name = flags.probability === undefined ? 'rhi_threshold' : 'probability_threshold';
    const records = scores.rows.map((row) => scoreRecord(row, name));
    const forecast = opened.forecasts.map((one) => one.name).join(', ');
    const unobserved = Object.entries(scores.observations).filter(([, { files }]) => files === 0);
    if (unobserved.length > 0)
      say(`not scored, because files are missing: ${unobserved.map(([source]) => source).join(', ')}`);
    if (scores.withoutForecast > 0)
      say(
        `not scored, because a forecast is missing: ${scores.withoutForecast} of ${scores.withoutForecast + scores.scored} times and levels with observations`,
      );
    say(
      `scored: ${scores.scored} of ${opened.shards.length} times and levels, ${((100 * scores.scored) / opened.shards.length).toFixed(0)} % of the period`,
    );
    const document = {
      rows: records,
      forecast,
      period: scores.period.map(jsonTime),
      observations: scores.observations,
      published,
    };
    if (flags.plot !== undefined) {
      const [first] = records;
      const isSame = (record: ScoreRecord) =>
        record.region === first?.region && record.season === first?.season;
      const ofFirst = records.filter((record) => isSame(record) && record.forecast === first?.forecast);
      const title = `${first?.forecast}: ${first?.region}, ${first?.season}`;
      await write(flags.plot, plotScores(ofFirst, published.filter(isSame), title, opened.humidityScaling));
    }
    if (flags.output !== undefined)
      await write(
        flags.output,
        flags.output.endsWith('.csv') ? scoreCsv(records) : JSON.stringify(document, null, 2),
      );
    else if (flags.csv) process.stdout.write(scoreCsv(records));
    else if (flags.json) printJson(document);
    else printRecords(records, scoreNotes(opened.humidityScaling));
  } finally {
    await opened.close();
    await folder.remove();
  }
}

async function readPublished(path: string): Promise<string> {
  const { UsageError } = await import('@contrails/runtime/errors');
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--published ${path} cannot be read (${error.code}); check the path`, {
      cause: error,
    });
  });
}

interface OpenedForecasts extends Pick<ScoreRequest, 'forecasts' | 'shards' | 'observe'> {
  /** Correction of the humidity; undefined where the files lack it. */
  readonly humidityScaling: string | undefined;
  close(): Promise<void>;
}

/** What is scored, on which times and levels, against what. */
async function openForecasts(command: Command, given: ScoreFlags): Promise<OpenedForecasts> {
  const [{ openFolder, forecastsByAge, hourlyShards }, { UsageError }] = await Promise.all([
    import('@contrails/engine/skill/run'),
    import('@contrails/runtime/errors'),
  ]);
  const flags =
    given.demo && given.forecast === undefined ? { source: 'demo', observations: OWN, ...given } : given;
  if ((flags.forecast === undefined) === (flags.source === undefined))
    throw new UsageError('give one of --forecast and --source');
  if (flags.observations === undefined)
    throw new UsageError('give --observations: a directory, a public bucket, or own');
  if (flags.forecastReferenceTime !== undefined && flags.leadHours !== undefined)
    throw new UsageError('--forecast-reference-time and --lead-hours exclude each other; give one of them');
  const fromMs = flags.from === undefined ? undefined : await timeFlag('--from', flags.from);
  const toMs = flags.to === undefined ? undefined : await timeFlag('--to', flags.to);
  const wanted = ({ timeMs, flightLevel }: ShardName) =>
    timeMs >= (fromMs ?? Number.NEGATIVE_INFINITY) &&
    timeMs <= (toMs ?? Number.POSITIVE_INFINITY) &&
    (flags.flightLevel?.includes(flightLevel) ?? true);
  const config = await configureWeather(command, flags.demo);
  const services = openOnce(config);
  try {
    const observations = await openSeen(config, flags.observations, services.open);
    const { observe } = observations;
    if (flags.forecast !== undefined) {
      if (flags.leadHours !== undefined || flags.forecastReferenceTime !== undefined)
        throw new UsageError('--lead-hours and --forecast-reference-time are for --source; leave them out');
      const { forecast, shards } = await openFolder(flags.forecast, basename(resolve(flags.forecast)));
      return {
        ...{ forecasts: [forecast], shards: shards.filter(wanted), observe, humidityScaling: undefined },
        close: services.close,
      };
    }
    const listed = (await observations.list(fromMs, toMs))?.filter(wanted);
    if (listed === undefined && (fromMs === undefined || toMs === undefined))
      throw new UsageError('files of a bucket are not listed; give --from and --to');
    const shards = listed ?? hourlyShards(fromMs as number, toMs as number, flags.flightLevel);
    const referenceTimeMs =
      flags.forecastReferenceTime === undefined
        ? undefined
        : await timeFlag('--forecast-reference-time', flags.forecastReferenceTime);
    const ages = { leadHours: flags.leadHours, referenceTimeMs };
    const forecasts = forecastsByAge(
      flags.source as string,
      ages,
      await regionsOfSource(flags, services.open),
    );
    const humidityScaling = flags.rhi === undefined ? config.met.humidity_scaling : flags.humidityScaling;
    return { forecasts, shards, observe, humidityScaling, close: services.close };
  } catch (error) {
    await services.close();
    throw error;
  }
}

const OWN = 'own';

type OpenServices = () => Promise<Services>;

/** Database and store of the installation, opened where they are needed. */
function openOnce(config: Config) {
  let opened: Promise<Services> | undefined;
  const openNow = async () => {
    const { openServices } = await import('@contrails/service/services');
    return openServices(config, await openLog(config));
  };
  return {
    open: () => {
      opened ??= openNow();
      return opened;
    },
    close: async () => (await opened)?.close(),
  };
}

async function openSeen(config: Config, location: string, open: OpenServices) {
  if (location === OWN) {
    const { ownObservations } = await import('@contrails/service/forecast/own-observations');
    const { observe, list } = ownObservations(await open(), config.telemetry.memory_mib);
    return { observe, list: (fromMs = 0, toMs = Date.now()) => list(fromMs, toMs) };
  }
  const [{ openObservations }, { readObserved }] = await Promise.all([
    import('@contrails/engine/skill/observations'),
    import('@contrails/engine/skill/files'),
  ]);
  const cache = join(config.data.kind === 'directory' ? config.data.path : tmpdir(), 'cache', 'skill');
  const files = openObservations(location, cache);
  return {
    observe: ((db, shard) => readObserved(db, files, shard)) satisfies ScoreRequest['observe'],
    list: () => files.list(),
  };
}

/** Regions of a weather source: from its humidity, or from the contrail grids that are stored of it. */
async function regionsOfSource(
  { source, rhi, class: of, humidityScaling }: ScoreFlags,
  open: OpenServices,
): Promise<Parameters<typeof forecastsByAge>[2]> {
  const { met, database, store } = await open();
  if (rhi === undefined) {
    const { readStoredRegion } = await import('@contrails/service/forecast/stored-regions');
    return (shard, referenceTimeMs) =>
      readStoredRegion({ database, store }, of, shard, { source, referenceTimeMs });
  }
  const [{ readWeather }, { chooseScaling }] = await Promise.all([
    import('@contrails/engine/skill/weather-forecast'),
    import('@contrails/engine/weather/humidity-scaling'),
  ]);
  const scaling = chooseScaling({ humidity_scaling: humidityScaling }, 'none');
  return async (shard, referenceTimeMs) =>
    readWeather(await met.open(), { source, referenceTimeMs, scaling }, shard);
}

async function write(path: string, text: string): Promise<void> {
  await writeResult(path, { open: async () => Buffer.from(text) }, path);
  say(`${path} is written`);
}

function printRecords(records: readonly ScoreRecord[], notes: readonly string[]): void {
  const shown = (record: ScoreRecord, name: string) => {
    const [value, low, high] = [record[name], record[`${name}_lo`], record[`${name}_hi`]];
    if (typeof value !== 'number') return '-';
    const ends =
      typeof low === 'number' ? ` (${(100 * low).toFixed(1)}–${(100 * Number(high)).toFixed(1)})` : '';
    return `${(100 * value).toFixed(1)} %${ends}`;
  };
  print(
    table(
      [
        'forecast',
        'region',
        'season',
        'buffer',
        'threshold',
        'penalty',
        'iagos',
        'gruan',
        'contrailwatch',
        'shards',
      ],
      records.map((record) => [
        String(record.forecast),
        String(record.region),
        String(record.season),
        String(record.horizontal_buffer),
        String(record.rhi_threshold ?? record.probability_threshold ?? '-'),
        ...['penalty', 'iagos_hit_rate', 'gruan_hit_rate', 'contrailwatch_hit_rate'].map((name) =>
          shown(record, name),
        ),
        String(record.shards),
      ]),
    ),
  );
  for (const note of notes) print(note);
}

async function requireOneSweep({ buffer, rhi, probability }: ScoreFlags): Promise<void> {
  const swept = [buffer, rhi ?? [], probability ?? []].filter(({ length }) => length > 1);
  if (swept.length <= 1 && !(rhi && probability)) return;
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(
    'only one of --buffer, --rhi and --probability takes several values; give one value to the others',
  );
}

async function regionsOf(text: string) {
  const { NAMED_REGIONS } = await import('@contrails/engine/skill/score');
  const { UsageError } = await import('@contrails/runtime/errors');
  const box = text.split(',').map(Number);
  if (box.length === 4 && box.every(Number.isFinite)) {
    const [west, east, south, north] = box as [number, number, number, number];
    if (west >= -180 && west <= east && east <= 180 && south >= -90 && south <= north && north <= 90)
      return { [text]: [west, east, south, north] as const };
    throw new UsageError(
      `--region ${text} is not a box; give W,E,S,N in this order, such as -30,-10,45,61, with W ≤ E and S ≤ N`,
    );
  }
  return Object.fromEntries(
    text.split(',').map((name) => {
      const bounds = NAMED_REGIONS[name];
      if (bounds !== undefined) return [name, bounds];
      throw new UsageError(
        `--region ${name} is not known; give ${Object.keys(NAMED_REGIONS).join(', ')} or W,E,S,N`,
      );
    }),
  );
}

async function seasonsOf(text: string): Promise<string[]> {
  const { SEASONS } = await import('@contrails/engine/skill/score');
  const { UsageError } = await import('@contrails/runtime/errors');
  const names = text.split(',');
  const unknown = names.find((name) => SEASONS[name] === undefined);
  if (unknown === undefined) return names;
  throw new UsageError(`--season ${unknown} is not known; give ${Object.keys(SEASONS).join(', ')}`);
}

/** A parser of `1,2,5` and `0..10` within limits, with so many steps in one. */
function numbers(stepsInOne: number, least: number, most: number): (text: string) => number[] {
  return (text) => {
    const [, first, last] = /^([\d.]+)\.\.([\d.]+)$/.exec(text) ?? [];
    const list =
      first === undefined
        ? text.split(',').map(Number)
        : Array.from(
            { length: Math.max(0, Math.round((Number(last) - Number(first)) * stepsInOne) + 1) },
            (_, i) => Math.round((Number(first) * stepsInOne + i) * 1e6) / 1e6 / stepsInOne,
          );
    const isWhole = (value: number) => stepsInOne !== WHOLE || Number.isInteger(value);
    if (list.length > 0 && list.every((value) => value >= least && value <= most && isWhole(value)))
      return list;
    throw new InvalidArgumentError(
      `Give ${stepsInOne === WHOLE ? 'whole numbers' : 'numbers'} from ${least} to ${most}, such as 1,2 or ${least}..${Math.min(most, least + 10)}.`,
    );
  };
}
