import { resolve } from 'node:path';
import type { GivenFlightAnswer } from '@contrails/engine/attribution/attribute-tracks';
import type { FlightTrack } from '@contrails/observations/attribution';
import type { GridName } from '@contrails/observations/navigation';
import type { Command } from 'commander';
import { configure } from '../../configure.ts';
import { withEngine } from '../../engine.ts';
import { example } from '../../flags.ts';
import { print, printJson, table } from '../../output.ts';
import { readSegmentFiles, type SegmentFile } from './segment-files.ts';

interface AttributeFlags {
  readonly segments: readonly string[];
  readonly flights: string;
  readonly met?: readonly string[];
  readonly json?: boolean;
}

export function defineAttribute(parent: Command): void {
  const command = parent
    .command('attribute')
    .description('find the flights that made the segments of successive frames (L4)')
    .requiredOption('--segments <files...>', 'L2 segments (JSON) of the frames of one satellite')
    .requiredOption(
      '--flights <file>',
      'flights as JSON, one on each line (NDJSON), or a table of waypoints (CSV); - reads standard input',
    )
    .option('--met <files...>', 'weather files, netCDF or GRIB2 (default: the configured sources)')
    .option('--json', 'print JSON, as the L4 endpoint returns it, without energy forcings')
    .action(async (flags: AttributeFlags) => {
      const config = await configure(command);
      const frames = await readSegmentFiles('--segments', flags.segments);
      const satellite = await satelliteOf(frames);
      const tracks = await readTracks(flags.flights);
      const answers = await withEngine(
        config,
        (engine) => engine.attribute({ satellite, frames, tracks }),
        flags.met && { weather: [await filesSource(flags.met)] },
      );
      if (flags.json) printJson(answers);
      else print(shownAnswers(answers));
    });
  example(
    command,
    'contrails observe attribute --segments l2_00.json l2_01.json --flights flights.json --met winds.nc',
    'contrails observe attribute --segments goes-east_L2_*.json --flights flights.ndjson --json',
  );
}

/** Files of weather, instead of the configured sources. */
async function filesSource(files: readonly string[]) {
  const { escapePattern } = await import('@contrails/service/weather');
  return {
    name: 'files',
    kind: files.some((file) => /\.(grib2?|grb2?)$/i.test(file)) ? ('grib' as const) : ('netcdf' as const),
    ...{ provider: 'files', dataset: 'files', product: 'reanalysis' },
    paths: files.map((file) => escapePattern(resolve(file))),
    directory: process.cwd(),
  };
}

/** The positions of segments are those of the grid that the satellite is known by. */
async function satelliteOf(frames: readonly SegmentFile[]): Promise<GridName> {
  const [{ UsageError }, { crsOf, fullDisk, GRID_NAMES, isGridName }] = await Promise.all([
    import('@contrails/runtime/errors'),
    import('@contrails/observations/navigation'),
  ]);
  const satellite = frames[0]?.satellite ?? '';
  if (!isGridName(satellite)) {
    throw new UsageError(
      `--segments: the satellite ${satellite} is not known; give segments of ${GRID_NAMES.join(', ')}`,
    );
  }
  const crs = crsOf(fullDisk(satellite));
  const other = frames.flatMap(({ segments }) => segments).find((segment) => segment.crs !== crs);
  if (other === undefined) return satellite;
  throw new UsageError(
    `--segments: segment ${other.id} has the crs ${other.crs}, but that of ${satellite} is ${crs}; give segments of this satellite`,
  );
}

/** Flights as `trajectory` reads them; `flight` or `flight_id` names them. */
async function readTracks(file: string): Promise<FlightTrack[]> {
  const [{ openInput }, { UsageError }] = await Promise.all([
    import('../../read-bodies.ts'),
    import('@contrails/runtime/errors'),
  ]);
  const tracks = new Map<string, FlightTrack>();
  for await (const { body, place } of (await openInput([file])).bodies) {
    const bodies: unknown[] = Array.isArray(body) ? body : [body];
    for (const [index, one] of bodies.entries()) {
      const where = bodies.length > 1 ? `${place}, flight ${index + 1}` : place;
      const track = trackOf(one);
      if (typeof track === 'string') throw new UsageError(`--flights: ${where}: ${track}`);
      if (tracks.has(track.flight)) {
        throw new UsageError(`--flights: ${where}: the flight ${track.flight} is there twice; remove one`);
      }
      tracks.set(track.flight, track);
    }
  }
  return [...tracks.values()];
}

const FOOT_M = 0.3048;

/** The track, or what is wrong with the record. */
function trackOf(record: unknown): FlightTrack | string {
  if (typeof record !== 'object' || record === null) return 'it is not a flight; give an object';
  const fields = record as Record<string, unknown>;
  const flight = fields.flight ?? fields.flight_id;
  if (typeof flight !== 'string' || flight === '') return 'flight is missing; give each flight its own name';
  const { time } = fields;
  if (!Array.isArray(time) || time.length === 0) return 'time is missing; give a list of ISO 8601 times';
  const timeMs = time.map((one) => (typeof one === 'string' ? Date.parse(withZone(one)) : Number.NaN));
  const wrong = timeMs.findIndex(Number.isNaN);
  if (wrong >= 0) return `time[${wrong}] is ${JSON.stringify(time[wrong])}, not an ISO 8601 time; correct it`;
  const column = (name: string, scale = 1): number[] | string => {
    const given = fields[name];
    const values = typeof given === 'number' ? time.map(() => given) : given;
    if (!Array.isArray(values) || values.length !== time.length) {
      return `${name} has ${Array.isArray(values) ? values.length : 'no'} values for ${time.length} times; give one for each`;
    }
    return values.map((value) => (typeof value === 'number' ? value * scale : Number.NaN));
  };
  const longitude = column('longitude');
  const latitude = column('latitude');
  const inFeet = ['altitude', 'altitude_ft'].find((name) => name in fields);
  const altitudeM = inFeet === undefined ? column('altitude_m') : column(inFeet, FOOT_M);
  for (const found of [longitude, latitude, altitudeM]) if (typeof found === 'string') return found;
  return { flight, timeMs, longitude, latitude, altitudeM } as FlightTrack;
}

/** Times without a zone are UTC, as everywhere. */
function withZone(text: string): string {
  return /(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`;
}

function shownAnswers(answers: readonly GivenFlightAnswer[]): string {
  const time = (text: string) => text.slice(0, 16);
  const rows = answers.flatMap(({ flight, status_detail, attributions }) => {
    if (attributions.length === 0) return [[flight, status_detail, '-', '-', '-', '-']];
    return attributions.map((one) => [
      flight,
      status_detail,
      `${time(one.start_time)} to ${time(one.end_time)}`,
      (one.length_m / 1000).toFixed(0),
      one.confidence === null ? '-' : one.confidence.toFixed(2),
      String(one.observation_ids.length),
    ]);
  });
  return table(['flight', 'status', 'flown', 'km', 'confidence', 'frames'], rows);
}
