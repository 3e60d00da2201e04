import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { isoDate } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import { type Command, Option } from 'commander';
import { configure } from '../configure.ts';
import { collect, example, integer } from '../flags.ts';
import { print, say } from '../output.ts';
import { isBox, syncOnce } from './met-sync.ts';

const SOURCES = ['ecmwf', 'gfs', 'ukmo', 'icon-eu', 'era5', 'era5-cds'] as const;
type Source = (typeof SOURCES)[number];

interface Flags {
  readonly where?: string;
  readonly when?: string;
  readonly receiver?: string;
  readonly source?: Source;
  readonly hours?: number;
  readonly root?: string[];
  readonly asOf?: string;
  readonly sync: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
}

/** What the questions are about. */
interface Answers {
  /** Undefined: the whole globe. */
  readonly bbox: readonly number[] | undefined;
  /** Undefined: the forecast. */
  readonly days: readonly [from: string, to: string] | undefined;
  /** Address of the aircraft that a receiver sees. */
  readonly receiver: string | undefined;
  readonly source: Source;
}

const EUROPE = [-23.5, 29.5, 45, 70.5];
const DAY = /^\d{4}-\d\d-\d\d$/;

export function defineInit(program: Command): void {
  const command = program
    .command('init')
    .description('write contrails.yaml by three questions, and fetch the weather; every question has a flag')
    .option('--where <area>', 'globe, europe, or west,south,east,north in degrees')
    .option('--when <time>', 'forecast, or past days such as 2024-06-15 or 2024-06-15/2024-06-17')
    .option('--receiver <url>', 'address of the aircraft.json of an ADS-B receiver, or none')
    .addOption(
      new Option('--source <source>', 'source of weather (default: the one that suits the answers)').choices(
        SOURCES,
      ),
    )
    .option('--hours <n>', 'last forecast hour (default: that of the source)', integer(0, 384))
    .option('--root <url>', 'fetch from a mirror; may be repeated for an order', collect)
    .option('--as-of <time>', 'newest run that was complete at a time (default: now)')
    .option('--no-sync', 'write the configuration only')
    .option('--yes', 'ask nothing: take the default where a flag is not given')
    .option('--force', 'replace a contrails.yaml that is there')
    .action(async (flags: Flags) => {
      const path = resolve(command.optsWithGlobals<{ config?: string }>().config ?? 'contrails.yaml');
      if (existsSync(path) && !flags.force) {
        throw new UsageError(
          `${path} exists; edit it, give --force to replace it, or --config FILE for another`,
        );
      }
      const wrong = flags.root?.find((root) => !/^https?:\/\/[^\s@]+$/.test(root));
      if (wrong !== undefined) {
        throw new UsageError(`--root is ${wrong}; give an http:// or https:// address without credentials`);
      }
      const answers = await ask(flags);
      writeFileSync(path, configurationOf(answers, flags), { flag: flags.force ? 'w' : 'wx' });
      say(`wrote ${path}`);
      const config = await configure(command);
      if (flags.sync) await fetchWeather(config, answers, flags);
      else say(`fetch the weather with: contrails met sync ${syncFlags(answers).join(' ')}`);
      print('make a key:         contrails keys create --name me');
      print('start the service:  contrails serve');
      print(`then open:          http://127.0.0.1:${config.server.port}/`);
    });
  example(
    command,
    'contrails init',
    'contrails init --where europe --when forecast --receiver none --yes',
    'contrails init --source ecmwf --yes',
    'contrails init --where=-60,30,10,70 --when 2024-06-15 --yes',
  );
}

async function ask(flags: Flags): Promise<Answers> {
  const isSilent = flags.yes === true || !process.stdin.isTTY;
  const lines = isSilent ? undefined : createInterface({ input: process.stdin, output: process.stderr });
  /** Asks again until the answer can be read; a flag that cannot be read is an error. */
  const answer = async <T>(
    given: string | undefined,
    question: string,
    byDefault: string,
    read: (text: string) => T,
  ): Promise<T> => {
    if (given !== undefined || lines === undefined) return read(given ?? byDefault);
    for (;;) {
      const text = (await lines.question(`${question} [${byDefault}] `)).trim();
      try {
        return read(text === '' ? byDefault : text);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        say(error.message);
      }
    }
  };
  try {
    const days = await answer(
      flags.when,
      'Forecast, or past days (2024-06-15, or 2024-06-15/2024-06-17)?',
      'forecast',
      readDays,
    );
    const bbox = await answer(
      flags.where,
      'Where: globe, europe, or west,south,east,north?',
      flags.source === 'icon-eu' ? 'europe' : 'globe',
      readArea,
    );
    const receiver = await answer(
      flags.receiver,
      'Address of the aircraft.json of your ADS-B receiver, or none?',
      'none',
      readReceiver,
    );
    const isEurope = bbox !== undefined && isInside(bbox, EUROPE);
    const suggested = days !== undefined ? 'era5' : isEurope ? 'icon-eu' : 'ecmwf';
    const source = flags.source ?? suggested;
    if (source.startsWith('era5') !== (days !== undefined)) {
      throw new UsageError(
        days === undefined
          ? `--source is ${source}, which has past days; give --when DAY, or choose ecmwf`
          : `--source is ${source}, which is a forecast; choose era5 for past days, or --when forecast`,
      );
    }
    return { bbox, days, receiver, source };
  } finally {
    lines?.close();
  }
}

function readDays(text: string): Answers['days'] {
  if (text === 'forecast') return undefined;
  const [from = '', to = from, ...others] = text.split('/');
  const areDays = [from, to].every((day) => DAY.test(day) && isDay(day));
  if (areDays && from <= to && others.length === 0) return [from, to];
  throw new UsageError(`--when is ${text}; give forecast, a day such as 2024-06-15, or FIRST/LAST`);
}

/** Months have different lengths. */
function isDay(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && isoDate(ms) === text;
}

function readArea(text: string): Answers['bbox'] {
  if (text === 'globe') return undefined;
  const box = text === 'europe' ? EUROPE : text.split(',').map((part) => Number(part || Number.NaN));
  if (isBox(box)) return box;
  throw new UsageError(
    `--where is ${text}; give globe, europe, or west,south,east,north such as -60,30,10,70`,
  );
}

function readReceiver(text: string): string | undefined {
  if (text === 'none') return undefined;
  if (/^https?:\/\/\S+$/.test(text)) return text;
  throw new UsageError(
    `--receiver is ${text}; give none, or an address such as http://receiver.local/tar1090/data/aircraft.json`,
  );
}

function isInside(inner: readonly number[], outer: readonly number[]): boolean {
  const [west = 0, south = 0, east = 0, north = 0] = inner;
  const [w = 0, s = 0, e = 0, n = 0] = outer;
  return west >= w && south >= s && east <= e && north <= n && west < east;
}

const COMMENTS: Readonly<Record<Source, string>> = {
  ecmwf: 'ECMWF open data: the globe, every 3 h; reflected sunlight is estimated',
  gfs: 'GFS of NOAA: the globe, every hour; persistent contrails are far too rare',
  ukmo: 'Met Office: where contrails persist, without their forcing',
  'icon-eu': 'ICON-EU of DWD: Europe, every hour',
  era5: 'ERA5: past days',
  'era5-cds': 'ERA5 of the Climate Data Store, with your key',
};

/** Only sources that can be cut have an area. */
const isCut = (source: Source): boolean => source !== 'ecmwf' && source !== 'gfs';

function configurationOf({ bbox, days, receiver, source }: Answers, { hours, root }: Flags): string {
  const lines = [
    '# Written by "contrails init". docs/configuration.md lists every key.',
    'data: ./data                 # weather, products and the database',
    '',
  ];
  if (days === undefined) {
    lines.push(
      'met:',
      '  sync:                      # weather that the service fetches and keeps up to date',
      '    every_minutes: 5         # how often it looks for a new run',
      '    keep: 2d                 # runs that start so long before the newest one are removed',
      '    sources:',
      `      - source: ${source}        # ${COMMENTS[source]}`,
      ...(hours === undefined ? [] : [`        hours: ${hours}            # last forecast hour`]),
      ...(bbox === undefined || !isCut(source)
        ? []
        : [`        bbox: [ ${bbox.join(', ')} ]   # west, south, east, north`]),
      ...(root === undefined ? [] : [`        roots: [ ${root.join(', ')} ]   # mirrors, in their order`]),
    );
  } else {
    lines.push(
      '# Past days register themselves when they are fetched:',
      `#   contrails met sync ${syncFlags({ bbox, days, receiver, source }).join(' ')}`,
    );
  }
  if (receiver !== undefined) {
    lines.push(
      '',
      'telemetry:',
      '  sources:                   # positions of aircraft',
      '    - name: receiver',
      '      kind: poll',
      `      url: ${receiver}`,
      '      interval: 10s',
    );
  }
  return `${lines.join('\n')}\n`;
}

function syncFlags({ bbox, days, source }: Answers): string[] {
  return [
    source,
    ...(days === undefined ? [] : ['--from', days[0], '--to', days[1]]),
    ...(bbox === undefined || !isCut(source) ? [] : [`--bbox=${bbox.join(',')}`]),
  ];
}

/** Shows the size first; on a terminal it is fetched when the answer is yes. */
async function fetchWeather(
  config: Awaited<ReturnType<typeof configure>>,
  { bbox, days, source }: Answers,
  { hours, root, asOf, yes }: Flags,
): Promise<void> {
  const flags = {
    ...(days === undefined ? {} : { from: days[0], to: days[1] }),
    ...(bbox === undefined || !isCut(source) ? {} : { bbox: bbox.join(',') }),
    ...(hours === undefined ? {} : { hours }),
    ...(root === undefined ? {} : { root }),
    ...(asOf === undefined ? {} : { asOf }),
  };
  if (!yes && process.stdin.isTTY) {
    await syncOnce(config, [source], { ...flags, dryRun: true });
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const answer = await lines.question('Fetch it now? [Y/n] ');
      if (/^n/i.test(answer.trim())) return;
    } finally {
      lines.close();
    }
  }
  await syncOnce(config, [source], { ...flags, ...(yes ? { yes } : {}) });
}
