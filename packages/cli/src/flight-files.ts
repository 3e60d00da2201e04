/** Flight files on the command line: their options, and their flights as bodies of requests. */
import { readFile, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type {
  FlightFile,
  FlightReading,
  FormatOptions,
  GivenAttributes,
  Profile,
} from '@contrails/flights/files';
import { type Command, Option } from 'commander';

export interface FlightFileFlags {
  readonly profile?: Profile;
  readonly units?: 'metric' | 'aviation';
  readonly columns?: string;
  readonly navdata?: string;
}

/** Options of readers, which some formats need. */
export function flightFileOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--profile <profile>', 'profile of ALL_FT+ files: flown, regulated or filed').choices([
        'ctfm',
        'rtfm',
        'ftfm',
      ]),
    )
    .addOption(
      new Option('--units <units>', 'units of Parquet tables that do not settle them').choices([
        'metric',
        'aviation',
      ]),
    )
    .option('--columns <file>', 'columns of recorder tables: JSON or YAML, column → "field [unit]"')
    .option('--navdata <file>', 'named points of ICAO flight plans: CSV with name, latitude, longitude');
}

export interface AttributeFlags {
  readonly aircraftType?: string;
  readonly engineUid?: string;
  readonly takeoffMass?: string;
  readonly asFiled?: boolean;
}

/** Options of what flight files may lack. */
export function attributeOptions(command: Command): Command {
  return command
    .option('--aircraft-type <type>', 'ICAO type of flights whose file has none')
    .option('--engine-uid <uid>', 'engine of flights from files')
    .option('--takeoff-mass <kg>', 'take-off mass of flights whose file has none')
    .option('--as-filed', 'take plans as they are filed, without added waypoints and resampling');
}

const FILE_FLAGS: readonly string[] = [
  'profile',
  'units',
  'columns',
  'navdata',
  'aircraftType',
  'engineUid',
  'takeoffMass',
  'asFiled',
] satisfies (keyof FlightFileFlags | keyof AttributeFlags)[];

/** Flags of flight files, and those that are parameters of endpoints. */
export function splitFlags(flags: Readonly<Record<string, unknown>>): {
  fileFlags: FlightFileFlags & AttributeFlags;
  given: Record<string, string>;
} {
  const entries = Object.entries(flags);
  const of = (isWanted: boolean) =>
    Object.fromEntries(entries.filter(([name]) => FILE_FLAGS.includes(name) === isWanted));
  return { fileFlags: of(true), given: of(false) as Record<string, string> };
}

export async function attributesOf({
  aircraftType,
  engineUid,
  takeoffMass,
}: AttributeFlags): Promise<GivenAttributes> {
  const mass = takeoffMass === undefined ? undefined : Number(takeoffMass);
  if (mass !== undefined && !(mass > 0)) {
    const { UsageError } = await import('@contrails/runtime/errors');
    throw new UsageError(`--takeoff-mass ${takeoffMass} is not a mass in kg`);
  }
  return { aircraft_type: aircraftType?.toUpperCase(), engine_uid: engineUid, takeoff_mass: mass };
}

/** Files by their paths; `-` is standard input, which is held in memory. */
export async function openFiles(paths: readonly string[]): Promise<FlightFile[]> {
  const { fileAt, fileOf } = await import('@contrails/flights/files-here');
  const files: FlightFile[] = [];
  for (const path of paths) {
    if (path === '-') files.push(fileOf('standard input', await buffer(process.stdin)));
    else {
      await checkFile(path);
      files.push(fileAt(path));
    }
  }
  return files;
}

async function checkFile(path: string): Promise<void> {
  const { UsageError } = await import('@contrails/runtime/errors');
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read (${error.code}); check the path`, { cause: error });
  });
  if (found.isDirectory()) throw new UsageError(`${path} is a directory; name the files in it`);
}

/** Opens a reading of files with the options of the command line. */
export async function readFiles(
  files: readonly FlightFile[],
  flags: FlightFileFlags,
  format?: string,
): Promise<FlightReading> {
  const { readFilesHere } = await import('@contrails/flights/files-here');
  return readFilesHere(files, { ...(await formatOptions(flags)), format });
}

async function formatOptions({ profile, units, columns, navdata }: FlightFileFlags): Promise<FormatOptions> {
  return {
    profile,
    units,
    columns: columns === undefined ? undefined : await readColumns(columns),
    navdata: navdata === undefined ? undefined : await readNavdata(navdata),
  };
}

async function readColumns(path: string): Promise<Record<string, string>> {
  const [{ UsageError }, { parseText }] = await Promise.all([
    import('@contrails/runtime/errors'),
    import('@contrails/platform/config/parse-text'),
  ]);
  await checkFile(path);
  const value = parseText({}, await readFile(path, 'utf8'));
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0 || entries.some(([, field]) => typeof field !== 'string')) {
    throw new UsageError(`${path} is not a list of columns; write {"H": "altitude [m]", …}`);
  }
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Omits a name that is in the file twice, because it is ambiguous. */
async function readNavdata(path: string) {
  const { UsageError } = await import('@contrails/runtime/errors');
  await checkFile(path);
  const points = new Map<string, { longitude: number; latitude: number }>();
  const repeated = new Set<string>();
  const [, ...lines] = (await readFile(path, 'utf8')).split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const [name = '', latitude, longitude] = line.split(',').map((cell) => cell.trim());
    const position = { latitude: Number(latitude), longitude: Number(longitude) };
    if (!(Math.abs(position.latitude) <= 90 && Math.abs(position.longitude) <= 180)) {
      throw new UsageError(`${path}, line ${index + 2} is not a point; write name,latitude,longitude`);
    }
    if (points.has(name)) repeated.add(name);
    points.set(name, position);
  }
  for (const name of repeated) points.delete(name);
  return points;
}
