/** Flight files as bodies of the endpoints that take flights. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import {
  type FileFlight,
  FLIGHT_FORMATS,
  type FlightFile,
  type FormatOptions,
  type GivenAttributes,
  isPlan,
  PLAN_STEP_S,
  PROFILES,
  requestOf,
} from '@contrails/flights/files';
import { fileOf, readFilesHere } from '@contrails/flights/files-here';
import type { App } from '@contrails/platform/http/app';
import { ProblemError } from '@contrails/platform/http/problem';
import { invalidStatus } from '@contrails/platform/http/problem-of';
import { sendWarnings } from '@contrails/platform/http/warnings';
import { isRecord } from '@contrails/runtime/is-record';
import { choice } from '@contrails/runtime/options/choice';
import { number } from '@contrails/runtime/options/number';
import { optional } from '@contrails/runtime/options/parameter';
import { body } from '@contrails/runtime/options/query';
import { Rejected } from '@contrails/runtime/options/rejected';
import { text } from '@contrails/runtime/options/text';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { flightFileProblems } from './problems.ts';

const MAX_FLIGHTS = 1000;
/** In memory while a file is read: a file with more is refused whole. */
const MAX_GATHERED_FLIGHTS = 10_000;
const MAX_ROWS = 3_000_000;
const MAX_BYTES = 64 * 2 ** 20;

/** Parameters of the query that hold for files alone. */
export const FILE_PARAMETERS = {
  profile: optional(choice(PROFILES, 'Profile to read from ALL_FT+ files: flown, regulated or filed.')),
  units: optional(choice(['metric', 'aviation'], 'Units of Parquet tables that do not declare them.')),
  columns: optional(
    text({
      maxLength: 4096,
      description: 'Columns of recorder tables: a JSON object, column of the file → `field [unit]`.',
    }),
  ),
  as_filed: optional(
    choice(['true', 'false'], 'Reads plans as filed, without added waypoints or resampling.'),
  ),
  aircraft_type: optional(
    text({ maxLength: 4, description: 'ICAO type of flights whose file does not give one.' }),
  ),
  engine_uid: optional(text({ maxLength: 40, description: 'UID of the engine of flights from files.' })),
  takeoff_mass: optional(
    number({
      minimum: 1,
      maximum: 1e6,
      description: 'Take-off mass [kg] of flights whose file does not give one.',
    }),
  ),
} as const;

/** Types that are also JSON come through the parser of JSON; see `isFile`. */
const FILE_TYPES = [
  ...new Set(
    FLIGHT_FORMATS.flatMap(({ contentTypes }) => contentTypes).filter((type) => !/json$/.test(type)),
  ),
  'application/x-ndjson',
  'application/octet-stream',
  'application/zip',
  'multipart/form-data',
].filter((type, index, all) => all.indexOf(type) === index);

const bytes = Type.String({
  format: 'binary',
  description:
    'A flight file in any format that `contrails flights read` reads, optionally compressed (gzip, Zstandard, zip) and recognised by its content.',
});

/** The body of an endpoint: JSON as declared, or a flight file. */
export function flightsOrFiles<T>(
  declared: TSchema,
  read: (raw: unknown) => T | Rejected | Promise<T | Rejected>,
) {
  const ofFile = body(bytes, read);
  return {
    content: {
      'application/json': { schema: body(declared, read) },
      'application/geo+json': { schema: body(Type.Object({}, { additionalProperties: true }), read) },
      ...Object.fromEntries(FILE_TYPES.map((type) => [type, { schema: ofFile }])),
    },
  };
}

/** Whether JSON is a flight file: GeoJSON, or the playback of FlightRadar24. */
function isFile(body: unknown): boolean {
  return (
    isRecord(body) &&
    (isRecord(body.result) || body.type === 'Feature' || body.type === 'FeatureCollection') &&
    body.longitude === undefined
  );
}

interface FileRequest {
  readonly flights: readonly unknown[];
  readonly notes: readonly string[];
  readonly hasPlan: boolean;
}

const NOTES = new WeakMap<FastifyRequest, readonly string[]>();

interface FileRules {
  /** Whether plans are resampled unless the query says otherwise. */
  readonly resamples: boolean;
  /** The body of a request with flights; a flight or a fleet unless given. */
  readonly bodyOf?: (flights: readonly unknown[], request: FastifyRequest) => unknown;
}

/** The body of endpoints that take a flight or a fleet. */
export function flightOrFleet(flights: readonly unknown[]): unknown {
  return flights.length === 1 ? flights[0] : { flights };
}

/** Reads files that are sent to the routes of this family. */
export function acceptFlightFiles(app: App, { resamples, bodyOf = flightOrFleet }: FileRules): void {
  const readFiles = async (request: FastifyRequest, files: readonly FlightFile[]): Promise<unknown> => {
    const query = request.query as Record<string, unknown>;
    const found = await readRequest(files, singleOf(query), request.url);
    if (found instanceof Rejected) return found;
    NOTES.set(request, found.notes);
    if (resamples && found.hasPlan && query.as_filed !== 'true') query.resample ??= String(PLAN_STEP_S);
    return bodyOf(found.flights, request);
  };
  app.addHook('preValidation', async (request) => {
    if (!isFile(request.body)) return;
    const file = fileOf(nameOf(request), Buffer.from(JSON.stringify(request.body)));
    request.body = await readFiles(request, [file]);
  });
  app.addContentTypeParser(FILE_TYPES, async (request: FastifyRequest, payload: IncomingMessage) =>
    readFiles(request, await filesOf(request, await app.collectBody(request, payload))),
  );
  app.addContentTypeParser('*', (request, _payload, done) => {
    const type = request.headers['content-type'];
    done(
      new ProblemError(
        'unsupported-media-type',
        `${type} is not read; send application/json, optionally with Content-Encoding: gzip, or a flight file as ${FILE_TYPES.join(', ')}`,
      ),
    );
  });
}

/** Bodies are read before the query is checked: parameters that are given twice are refused later. */
function singleOf(query: Readonly<Record<string, unknown>>): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Names in the answer what comes from a file and what is assumed. */
export function sendFileNotes(request: FastifyRequest, reply: FastifyReply): void {
  sendWarnings(reply, NOTES.get(request) ?? []);
}

async function filesOf(request: FastifyRequest, sent: Buffer): Promise<FlightFile[]> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) return [fileOf(nameOf(request), sent)];
  try {
    const form = await new Response(new Uint8Array(sent), { headers: { 'content-type': type } }).formData();
    const files: FlightFile[] = [];
    for (const [name, value] of form) {
      const part = typeof value === 'string' ? Buffer.from(value) : await value.arrayBuffer();
      files.push(fileOf(typeof value === 'string' ? name : value.name, new Uint8Array(part)));
    }
    return files;
  } catch {
    throw new ProblemError('bad-request', 'the body is not multipart/form-data as its Content-Type says');
  }
}

/** The file name of `Content-Disposition`, which names flights of files that have no names. */
function nameOf(request: FastifyRequest): string {
  const given = /filename="?([^";]{1,200})"?/i.exec(request.headers['content-disposition'] ?? '')?.[1];
  if (given === undefined) return 'flight';
  // Node reads headers as Latin-1, and programs send the name as it is.
  const bytes = Buffer.from(given, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : given;
}

async function readRequest(
  files: readonly FlightFile[],
  query: Readonly<Record<string, string | undefined>>,
  path: string,
): Promise<FileRequest | Rejected> {
  const columns = columnsOf(query.columns);
  if (columns instanceof Rejected) return columns;
  const options = {
    profile: PROFILES.find((profile) => profile === query.profile),
    units: query.units === 'metric' || query.units === 'aviation' ? query.units : undefined,
    columns,
  } satisfies FormatOptions;
  const { flights, report } = readFilesHere(files, {
    ...options,
    maxBytes: MAX_BYTES,
    maxFlights: MAX_GATHERED_FLIGHTS,
    maxRows: MAX_ROWS,
  });
  const read: FileFlight[] = [];
  for await (const flight of flights) {
    read.push(flight);
    if (read.length > MAX_FLIGHTS) break;
  }
  const { error } = report;
  const tooLarge = [error, ...report.warnings].find((one) => one?.code === 'too_large');
  if (tooLarge) throw new ProblemError('payload-too-large', tooLarge.message);
  if (error !== null) {
    const detail = asParameters(error.message);
    throw new ProblemError({ name: 'flight-file', ...flightFileProblems['flight-file'] }, detail, {
      status: invalidStatus(path),
      members: { code: error.code, refused: report.refused },
    });
  }
  const isAsFiled = query.as_filed === 'true';
  const requests = read.map((flight) => requestOf(flight, attributesOf(query), { isAsFiled }));
  const refused = Object.entries(report.refused).map(([code, count]) => `${count} refused: ${code}`);
  return {
    flights: requests.map((one) => one.body),
    hasPlan: read.some(isPlan),
    notes: [
      ...requests.slice(0, MAX_NOTED).flatMap(({ notes }) => notes),
      ...report.warnings.map(({ message }) => message),
      ...refused,
    ],
  };
}

/** Remedies name flags of the command; most of them are parameters of the query here. */
function asParameters(message: string): string {
  return message
    .replaceAll(/--units (\w+)/g, 'units=$1')
    .replaceAll('--columns', 'the parameter columns')
    .replaceAll('--navdata', 'contrails trajectory --navdata');
}

/** Headers must not become as long as the body. */
const MAX_NOTED = 10;

function attributesOf(query: Readonly<Record<string, string | undefined>>): GivenAttributes {
  const mass = Number(query.takeoff_mass);
  return {
    aircraft_type: query.aircraft_type?.toUpperCase(),
    engine_uid: query.engine_uid,
    takeoff_mass: mass > 0 ? mass : undefined,
  };
}

function columnsOf(text: string | undefined): Readonly<Record<string, string>> | undefined | Rejected {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value) && Object.values(value).every((field) => typeof field === 'string')) {
      return value as Record<string, string>;
    }
  } catch {
    // The error below gives the format.
  }
  const msg = 'columns is not a JSON object such as {"H": "altitude [m]"}';
  return new Rejected([{ loc: ['query', 'columns'], msg, type: 'json' }]);
}
