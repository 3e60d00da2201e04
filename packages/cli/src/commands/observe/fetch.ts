import type { ArchivedSatellite, Region } from '@contrails/service/observations/fetch';
import { type Command, Option } from 'commander';
import { example, timeFlag } from '../../flags.ts';
import { print, printJson, say, shownTime, table } from '../../output.ts';

const SATELLITES: readonly ArchivedSatellite[] = ['goes-east', 'goes-west', 'himawari', 'mtg-0'];

interface FetchFlags {
  readonly satellite: ArchivedSatellite;
  readonly to?: string;
  readonly region?: string;
  readonly keep: string;
  readonly endpoint?: string;
  readonly json?: boolean;
}

export function defineFetch(parent: Command): void {
  const command = parent
    .command('fetch')
    .description(
      'download frames of past times: GOES and Himawari from the buckets of NOAA, Meteosat from the Data Store of EUMETSAT (set EUMETSAT_CONSUMER_KEY and EUMETSAT_CONSUMER_SECRET)',
    )
    .argument('<time>', 'time of the first frame, such as 2026-02-25T12:00Z')
    .addOption(new Option('--satellite <name>', 'satellite').choices([...SATELLITES]).makeOptionMandatory())
    .option('--to <time>', 'time of the last frame (default: the same)')
    .option('--region <w,s,e,n>', 'of Meteosat, only the chunks that show this region, in degrees')
    .option('--keep <dir>', 'folder of the files', 'imagery')
    .option('--endpoint <url>', 'another server of the buckets or of the Data Store')
    .option('--json', 'print JSON')
    .action((time: string, flags: FetchFlags) => run(time, flags));
  example(
    command,
    'contrails observe fetch 2026-02-25T12:00Z --satellite goes-east --keep imagery',
    'contrails observe fetch 2026-02-25T11:40Z --to 2026-02-25T12:00Z --satellite mtg-0 --region -10,40,20,60',
  );
}

async function run(time: string, { satellite, to, region, keep, endpoint, json }: FetchFlags): Promise<void> {
  const [{ fetchFrames }, { ContrailsError, UsageError }] = await Promise.all([
    import('@contrails/service/observations/fetch'),
    import('@contrails/runtime/errors'),
  ]);
  const [fromMs, toMs] = [await timeFlag('time', time), await timeFlag('--to', to ?? time)];
  if (toMs < fromMs) throw new UsageError(`--to ${to} is before ${time}`);
  const { EUMETSAT_CONSUMER_KEY: consumerKey, EUMETSAT_CONSUMER_SECRET: consumerSecret } = process.env;
  const frames = fetchFrames({
    ...{ satellite, fromMs, toMs, endpoint },
    folder: keep,
    region: region === undefined ? undefined : await regionOf(region),
    dataStore: { consumerKey, consumerSecret },
    signal: new AbortController().signal,
  });
  const fetched: { time: string; files: readonly string[]; complete: boolean }[] = [];
  for await (const { timeMs, paths, isComplete } of frames) {
    if (!json) say(`${shownTime(timeMs)}: ${paths.length} files${isComplete ? '' : ', others are missing'}`);
    fetched.push({ time: shownTime(timeMs), files: paths, complete: isComplete });
  }
  if (fetched.length === 0) {
    throw new ContrailsError(
      `the archive has no frame of ${satellite} from ${time} to ${to ?? time}; check the times`,
    );
  }
  if (json) printJson({ satellite, frames: fetched });
  else {
    const rows = fetched.map((one) => [one.time, String(one.files.length), one.complete ? 'yes' : 'no']);
    print(table(['time', 'files', 'complete'], rows));
  }
}

async function regionOf(text: string): Promise<Region> {
  const [west, south, east, north, more] = text.split(',').map(Number) as (number | undefined)[];
  const isRegion =
    Math.abs(south ?? Number.NaN) <= 90 && (north as number) > (south as number) && more === undefined;
  if (isRegion && Number.isFinite(west) && Number.isFinite(east)) {
    return { west: west as number, south: south as number, east: east as number, north: north as number };
  }
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(
    `--region ${text} is not a region; write west,south,east,north in degrees, such as -10,40,20,60`,
  );
}
