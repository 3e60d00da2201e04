import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DayTraces, Replay } from '@contrails/flights/replay';
import { type Command, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { example, weatherOptions } from '../flags.ts';
import { say, shownTime } from '../output.ts';
import { formatOption, type OwnOptions, runTrajectory } from './trajectory.ts';

interface ReplayFlags extends OwnOptions {
  readonly date: string;
  readonly from?: string;
}

/** Where `contrails adsb fetch` keeps archives. */
const ARCHIVES = 'archives';
const PUBLISHER = 'adsb.lol';
const RUN = { resample: '60', include: 'co2e' };

export function defineReplay(program: Command): void {
  const command = program
    .command('replay')
    .description(
      'contrails of a flight as it was flown: finds its legs in a day of traffic and runs CoCiP along them',
    )
    .argument('<name>', 'callsign, registration, or 24-bit address in hexadecimal')
    .requiredOption('--date <date>', 'day of departure, such as 2026-02-25')
    .option(
      '--from <source>',
      'adsb.lol, the root of a mirror, an archive, or a folder of archives or traces (default: the folder archives, then adsb.lol)',
    )
    .addOption(formatOption())
    .addOption(new Option('-o, --output <file>', 'where it is written; - is standard output').default('-'));
  weatherOptions(command, 'cocip').action((name: string, flags: Record<string, string> & ReplayFlags) =>
    run(command, name, flags),
  );
  example(
    command,
    'contrails replay DLH9AB --date 2026-02-25 -o dlh9ab.json',
    'contrails replay D-AIBC --date 2026-02-25 --from archives --demo',
  );
}

async function run(command: Command, name: string, all: Record<string, string> & ReplayFlags): Promise<void> {
  const { date, from, ...rest } = all;
  const flags: Record<string, string> & OwnOptions = rest as typeof all;
  const [{ findLegs }, { trajectoryBody }, { withTemporaryFolder }, { ContrailsError }] = await Promise.all([
    import('@contrails/flights/replay'),
    import('@contrails/flights'),
    import('@contrails/runtime'),
    import('@contrails/runtime/errors'),
  ]);
  const dayMs = await dayOf(date);
  const found = await findLegs(await tracesOf(dayMs, date, from), { name, dayMs }, Date.now());
  if (found.truncated !== undefined) say(`contrails: warning: ${date} is truncated: ${found.truncated}`);
  sayLegs(found);
  const bodies = found.legs.map(trajectoryBody).filter((body) => typeof body !== 'string');
  if (bodies.length === 0) {
    const near = found.nearest.length === 0 ? '' : `; the nearest callsigns are ${found.nearest.join(', ')}`;
    const what = found.legs.length === 0 ? 'departs' : 'has a leg that can be computed';
    throw new ContrailsError(`no flight of ${name} ${what} on ${date}${near}`);
  }
  await withTemporaryFolder('replay', async (folder) => {
    const path = join(folder, `${date}.ndjson`);
    await writeFile(path, bodies.map((body) => `${JSON.stringify(body)}\n`).join(''));
    await runTrajectory(command, 'cocip', [path], Object.assign(flags, RUN));
  });
}

async function dayOf(date: string): Promise<number> {
  const ms = Date.parse(`${date}T00:00:00Z`);
  if (/^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(ms)) return ms;
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(`--date ${date} is not a date; write it as 2026-02-25`);
}

/** What is on this machine comes before what has to be fetched. */
async function tracesOf(dayMs: number, date: string, from: string | undefined): Promise<DayTraces> {
  const [{ localTraces }, { ARCHIVE_LICENCE, findArchive, streamArchive }, { ContrailsError }] =
    await Promise.all([
      import('@contrails/flights/replay'),
      import('@contrails/flights/daily-archive'),
      import('@contrails/runtime/errors'),
    ]);
  const isRemote = from === PUBLISHER || /^https?:\/\//.test(from ?? '');
  const here = isRemote ? undefined : await localTraces(from ?? ARCHIVES, dayMs);
  if (here !== undefined) return here;
  if (!isRemote && from !== undefined) {
    throw new ContrailsError(`${from} has no archive of ${date} and no traces; check the path`);
  }
  const options = {
    root: from === PUBLISHER ? undefined : from,
    userAgent: `contrails/${manifest.version}`,
  };
  const archive = await findArchive(dayMs, options);
  if (archive === undefined) {
    throw new ContrailsError(
      `${date} is not published yet; days usually appear by 03:30 UTC of the day after`,
    );
  }
  say(`${archive.tag}: up to ${(archive.bytes / 1e9).toFixed(2)} GB are read, nothing is kept`);
  say(ARCHIVE_LICENCE);
  return { archive: streamArchive(archive, options) };
}

function sayLegs({ legs }: Replay): void {
  for (const { healed, icaoAddress, firstMs, lastMs, outcome } of legs) {
    const { callsign, aircraft_type_icao: type } = healed?.attributes ?? {};
    const airports = `${healed?.departure.icao ?? '?'} to ${healed?.arrival.icao ?? '?'}`;
    const names = [callsign, icaoAddress, type].filter((one) => one != null).join(' ');
    say(`${names}: ${airports}, ${shownTime(firstMs)} to ${shownTime(lastMs)}, ${outcome}`);
  }
}
