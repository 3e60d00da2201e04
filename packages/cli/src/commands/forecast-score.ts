import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { ScoreRecord } from '@contrails/engine/skill/table';
import { type Command, InvalidArgumentError } from 'commander';
import { example, integer, timeFlag } from '../flags.ts';
import { jsonTime, print, printJson, say, table } from '../output.ts';
import { openProgress } from '../progress.ts';
import { writeResult } from '../write-result.ts';

interface ScoreFlags {
  readonly forecast: string;
  readonly observations: string;
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
    .requiredOption(
      '--forecast <directory>',
      'files such as 1704240000_330.nc: unix seconds and flight level',
    )
    .requiredOption(
      '--observations <directory>',
      'folders adsb, iagos, gruan and contrailwatch of Parquet files',
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
    .action(run);
  example(
    command,
    'contrails forecast score --forecast forecast --observations observations --buffer 0..10 --plot skill.svg',
    'contrails forecast score --forecast forecast --observations observations --region conus --season winter --csv',
  );
}

async function run(flags: ScoreFlags): Promise<void> {
  const [
    { scoreForecast },
    { plotScores },
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
  const published =
    flags.published === undefined ? [] : readScoreCsv(await readFile(flags.published, 'utf8'));
  const folder = await makeTemporaryFolder('score');
  const progress = openProgress();
  try {
    const tracker = progress.track('scoring', 100, '%');
    const scores = await scoreForecast(
      {
        forecast: flags.forecast,
        observations: flags.observations,
        settings: thresholds.flatMap((threshold) => flags.buffer.map((buffer) => ({ buffer, threshold }))),
        regions: await regionsOf(flags.region),
        seasons: await seasonsOf(flags.season),
        resamples: flags.bootstrap,
        seed: flags.seed,
        fromMs: flags.from === undefined ? undefined : await timeFlag('--from', flags.from),
        toMs: flags.to === undefined ? undefined : await timeFlag('--to', flags.to),
        flightLevels: flags.flightLevel,
        temporaryDirectory: folder.path,
      },
      { onProgress: (done, of) => tracker.to((100 * done) / of) },
    );
    tracker.end();
    progress.close();
    const name = flags.probability === undefined ? 'rhi_threshold' : 'probability_threshold';
    const forecast = basename(resolve(flags.forecast));
    const records = scores.rows.map((row) => scoreRecord(row, forecast, name));
    const unobserved = Object.entries(scores.observations).filter(([, { files }]) => files === 0);
    if (unobserved.length > 0)
      say(`not scored, because files are missing: ${unobserved.map(([source]) => source).join(', ')}`);
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
      const title = `${forecast}: ${first?.region}, ${first?.season}`;
      await write(flags.plot, plotScores(records.filter(isSame), published.filter(isSame), title));
    }
    if (flags.output !== undefined)
      await write(
        flags.output,
        flags.output.endsWith('.csv') ? scoreCsv(records) : JSON.stringify(document, null, 2),
      );
    else if (flags.csv) process.stdout.write(scoreCsv(records));
    else if (flags.json) printJson(document);
    else printRecords(records);
  } finally {
    await folder.remove();
  }
}

async function write(path: string, text: string): Promise<void> {
  await writeResult(path, { open: async () => Buffer.from(text) }, path);
  say(`${path} is written`);
}

function printRecords(records: readonly ScoreRecord[]): void {
  const shown = (record: ScoreRecord, name: string) => {
    const [value, low, high] = [record[name], record[`${name}_lo`], record[`${name}_hi`]];
    if (typeof value !== 'number') return '-';
    const ends =
      typeof low === 'number' ? ` (${(100 * low).toFixed(1)}–${(100 * Number(high)).toFixed(1)})` : '';
    return `${(100 * value).toFixed(1)} %${ends}`;
  };
  print(
    table(
      ['region', 'season', 'buffer', 'threshold', 'penalty', 'iagos', 'gruan', 'contrailwatch', 'shards'],
      records.map((record) => [
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
  print('Rates with 95 % intervals over days. Compare only scores on the same times and levels.');
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
  if (box.length === 4 && box.every(Number.isFinite))
    return { [text]: box as unknown as readonly [number, number, number, number] };
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
