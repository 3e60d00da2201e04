import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DayTraces, Replay, ReplayQuery } from '@contrails/flights/replay';
import { type Command, Option } from 'commander';
import { configure } from '../configure.ts';
import { dayFlag, example, weatherOptions } from '../flags.ts';
import { say, shownTime } from '../output.ts';
import { withTelemetry } from './adsb/with-telemetry.ts';
import { formatOption, type OwnOptions, runTrajectory } from './trajectory.ts';

interface ReplayFlags extends OwnOptions {
  readonly date: string;
  readonly from?: string;
  readonly plan?: boolean;
  readonly geojson?: string;
  /** True for the service of the configuration. */
  readonly open?: string | true;
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
      'adsb.lol, the root of a mirror, an archive, or a folder of archives or traces (default: stored telemetry, then the folder archives, then adsb.lol)',
    )
    .option('--plan', 'also the cheapest sequence of levels, as contrails plan profile finds it')
    .option('--geojson <file>', 'where the flown tracks are written, and with --plan the chosen ones')
    .option('--open [url]', 'open the flight in the app of a running service (default: that of this machine)')
    .option('--json', 'JSON on a terminal too, where a summary with a chart is written otherwise')
    .addOption(formatOption())
    .addOption(new Option('-o, --output <file>', 'where it is written; - is standard output').default('-'));
  weatherOptions(command, 'cocip').action((name: string, flags: Record<string, string> & ReplayFlags) =>
    run(command, name, flags),
  );
  example(
    command,
    'contrails replay DLH9AB --date 2026-02-25 -o dlh9ab.json',
    'contrails replay D-AIBC --date 2026-02-25 --from archives --demo',
    'contrails replay DLH9AB --date 2026-02-25 --plan --geojson dlh9ab.geojson --open',
  );
}

async function run(command: Command, name: string, all: Record<string, string> & ReplayFlags): Promise<void> {
  const { date, from, plan, geojson, open, ...rest } = all;
  const flags: Record<string, string> & OwnOptions = rest as typeof all;
  const [{ trajectoryBody }, { withTemporaryFolder }, { ContrailsError }] = await Promise.all([
    import('@contrails/flights'),
    import('@contrails/runtime'),
    import('@contrails/runtime/errors'),
  ]);
  const dayMs = await dayFlag('--date', date);
  const found = await findFlight(command, { name, dayMs }, from);
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
    await runTrajectory(command, 'cocip', [path], Object.assign({ ...flags }, RUN));
    if (plan) await planOf(command, [path], flags, geojson);
    else if (geojson !== undefined) await writeFile(geojson, JSON.stringify(tracksOf(bodies as Body[])));
  });
  if (geojson !== undefined && !plan) say(`${geojson} is written`);
  if (open !== undefined) await openInApp(command, bodies as Body[], open);
}

/** What the app and GeoJSON need of a body. */
interface Body {
  readonly flight_id: string;
  readonly callsign: string | null;
  readonly aircraft_type: string;
  readonly time: readonly string[];
  readonly longitude: readonly number[];
  readonly latitude: readonly number[];
  readonly altitude: readonly number[];
}

/** Next to a trajectory file `dlh9ab.json`, the plan is `dlh9ab-plan.json`. */
async function planOf(
  command: Command,
  paths: readonly string[],
  { output, demo, json, format: _, ...flags }: Record<string, string> & OwnOptions,
  geojson: string | undefined,
): Promise<void> {
  const { runPlan } = await import('./plan.ts');
  const planOutput = output === '-' ? output : output.replace(/(\.[^./\\]*)?$/, '-plan.json');
  const isTable = process.stdout.isTTY === true && json !== true && output === '-';
  await runPlan(command, 'profile', paths, {
    ...flags,
    ...(demo === undefined ? {} : { demo }),
    ...(json === undefined ? {} : { json }),
    ...(isTable ? {} : { output: planOutput }),
    ...(geojson === undefined ? {} : { geojson }),
  } as Record<string, string>);
}

const METRES_PER_FOOT = 0.3048;

/** Flown tracks with their times, which `contrails flights read` reads again. */
function tracksOf(bodies: readonly Body[]): object {
  return {
    type: 'FeatureCollection',
    features: bodies.map(({ flight_id, callsign, aircraft_type, time, longitude, latitude, altitude }) => ({
      type: 'Feature',
      properties: { flight_id, callsign, aircraft_type, coordTimes: time },
      geometry: {
        type: 'LineString',
        coordinates: time.map((__, k) => [
          longitude[k],
          latitude[k],
          Math.round((altitude[k] ?? 0) * METRES_PER_FOOT),
        ]),
      },
    })),
  };
}

/** The flight follows the `#` of the address, so it leaves this machine only for the computation. */
async function openInApp(command: Command, bodies: readonly Body[], open: string | true): Promise<void> {
  const [{ deflateRawSync }, { spawn }, { ContrailsError }] = await Promise.all([
    import('node:zlib'),
    import('node:child_process'),
    import('@contrails/runtime/errors'),
  ]);
  const { server } = await configure(command);
  const root = (open === true ? `http://127.0.0.1:${server.port}` : open).replace(/\/$/, '');
  const isThere = await fetch(`${root}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isThere) {
    throw new ContrailsError(
      `no service answers at ${root}; start one with "contrails serve", or give its address as --open URL`,
    );
  }
  for (const body of bodies) {
    const link = `${root}/#/flight?body=${deflateRawSync(JSON.stringify(body)).toString('base64url')}`;
    say(`${body.callsign ?? body.flight_id}: ${link}`);
    if (process.stdout.isTTY !== true) continue;
    const program = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
    // The link is printed, for machines without a browser.
    spawn(program, [link], { detached: true, stdio: 'ignore' })
      .on('error', () => undefined)
      .unref();
  }
}

/** Stored telemetry comes before what has to be read through, and both before what has to be fetched. */
async function findFlight(command: Command, query: ReplayQuery, from: string | undefined): Promise<Replay> {
  const legs = from === undefined ? await legsOfTelemetry(command, query) : [];
  if (legs.length > 0) return { legs, nearest: [], truncated: undefined };
  const { findLegs } = await import('@contrails/flights/replay');
  const date = new Date(query.dayMs).toISOString().slice(0, 10);
  return findLegs(await tracesOf(query.dayMs, date, from), query, Date.now());
}

/** None where this machine has no telemetry. */
async function legsOfTelemetry(command: Command, query: ReplayQuery): Promise<Replay['legs']> {
  const { data, database } = await configure(command);
  if (database.kind === 'embedded' && data.kind === 'directory') {
    const { embeddedPath } = await import('@contrails/platform/database/open');
    if (!existsSync(embeddedPath(data.path))) return [];
  }
  return withTelemetry(command, (services, { memoryMiB }, { storedLegs }) =>
    storedLegs(services, query, memoryMiB),
  );
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
  const options = { root: from === PUBLISHER ? undefined : from };
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
