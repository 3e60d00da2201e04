/**
 * A request as bytes, for jobs that another process, perhaps of another release, may run. After the magic word come the
 * version and the length of a JSON header (two uint32), the header, the columns, and the SHA-256 of everything before;
 * numbers are little-endian, header and columns begin at multiples of 8 bytes. A change of the layout or of what the
 * header means is a new version.
 */

import { createHash } from 'node:crypto';
import { endianness } from 'node:os';
import { ACCF_VERSIONS, type AccfParams, CO2E_METRICS, EMISSION_SCENARIOS } from '@contrails/physics/climate';
import { CO2E_SETS } from '@contrails/physics/cocip';
import type { FlightColumnName } from '@contrails/physics/flight';
import { HUMIDITY_SCALING_NAMES } from '@contrails/physics/humidity-scaling';
import { SAMPLING_METHODS, UNCERTAINTY_GROUPS, UNCERTAINTY_SETS } from '@contrails/physics/uncertainty';
import { sharedFloat64, sharedUint32 } from '@contrails/runtime';
import { type Static, type TSchema, Type } from 'typebox';
import Schema from 'typebox/schema';
import { UnreadableRequest } from '../errors.ts';
import { ENSEMBLE_SCALING } from '../weather/humidity-scaling.ts';
import type { AccfSettings } from './accf-settings.ts';
import { GIVEN_FIELD_NAMES, GIVEN_FIELDS } from './fields.ts';
import { indexInAnswer, type RequestFleet, type SharedColumn } from './fleet.ts';
import type { ClimateOptions } from './flight-climate.ts';
import { INCLUDES, TRAJECTORY_MODELS } from './models.ts';
import { NUMBER_OPTIONS } from './option-table.ts';
import type { TrajectoryOptions } from './options.ts';
import { limitsOf, QUERIED_PARAMETERS } from './parameter-table.ts';
import type { TrajectoryRequest } from './prepare-request.ts';
import { parametersSchema } from './read-parameters.ts';
import { MAX_SAMPLES, type UncertaintyOptions } from './uncertainty.ts';

const MAGIC = 'CONTRAIL';
const VERSION = 1;
/** Magic word, version, length of the header. */
const PREFIX_BYTES = 16;
const HASH_BYTES = 32;
const ALIGNMENT = 8;

export function requestToBytes({ model, fleet, options, unitWarnings }: TrajectoryRequest): Buffer {
  const given = GIVEN_FIELD_NAMES.flatMap((name) => {
    const column = fleet.columns[GIVEN_FIELDS[name].column];
    return column === undefined ? [] : [{ name, column }];
  });
  const header = {
    model,
    options,
    // The name in version 1 of the format, which workers of other releases read.
    doubts: unitWarnings,
    waypoints: fleet.columns.timeMs.length,
    flights: fleet.attributes,
    isFleet: Array.isArray(fleet.flightId),
    given: given.map(({ name }) => ({ name, isColumn: true })),
    hasRequestIndex: fleet.requestIndex !== undefined,
    hasReportIndex: fleet.reportIndex !== undefined,
  } satisfies Header;
  const text = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.write(MAGIC, 'latin1');
  prefix.writeUInt32LE(VERSION, 8);
  prefix.writeUInt32LE(text.length, 12);
  const columns = [
    fleet.columns.timeMs,
    fleet.columns.longitude,
    fleet.columns.latitude,
    fleet.columns.altitudeFt,
    ...given.map(({ column }) => column),
    fleet.offsets,
    ...(fleet.requestIndex === undefined ? [] : [fleet.requestIndex]),
    ...(fleet.reportIndex === undefined ? [] : [fleet.reportIndex]),
  ];
  const chunks = [prefix, text, ...columns];
  const length = chunks.reduce((sum, { byteLength }) => sum + roundUp(byteLength), 0);
  const bytes = Buffer.alloc(length + HASH_BYTES);
  let at = 0;
  for (const chunk of chunks) {
    const target = bytes.subarray(at, at + chunk.byteLength);
    target.set(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (!Buffer.isBuffer(chunk)) swapToMachine(target, chunk.BYTES_PER_ELEMENT);
    at += roundUp(chunk.byteLength);
  }
  createHash('sha256').update(bytes.subarray(0, length)).digest().copy(bytes, length);
  return bytes;
}

/** Throws a `UnreadableRequest` where the bytes are of another version, damaged, or not a request at all. */
export function requestFromBytes(bytes: Buffer): TrajectoryRequest {
  const isOurs = bytes.length >= PREFIX_BYTES + HASH_BYTES && bytes.toString('latin1', 0, 8) === MAGIC;
  const version = isOurs ? bytes.readUInt32LE(8) : undefined;
  if (version !== VERSION) {
    const found = version === undefined ? 'an unknown format' : `format ${version}`;
    throw new UnreadableRequest(
      `the flights of this job are stored in ${found}, and this release reads format ${VERSION}; send the request again`,
    );
  }
  const content = bytes.subarray(0, -HASH_BYTES);
  if (!createHash('sha256').update(content).digest().equals(bytes.subarray(-HASH_BYTES)))
    throw damaged('their checksum does not match');
  const length = bytes.readUInt32LE(12);
  const header = readHeader(content.subarray(PREFIX_BYTES, PREFIX_BYTES + length));
  const columns = new ColumnReader(content, PREFIX_BYTES + roundUp(length));
  const { waypoints, flights, model, options, doubts: unitWarnings } = header;
  const [timeMs, longitude, latitude, altitudeFt] = [
    columns.floats(waypoints),
    columns.floats(waypoints),
    columns.floats(waypoints),
    columns.floats(waypoints),
  ];
  const given = header.given.map(({ name, isColumn }): [FlightColumnName, SharedColumn] => {
    const values = columns.floats(isColumn ? waypoints : 1);
    // Earlier releases stored one number for all waypoints as such.
    return [
      GIVEN_FIELDS[name].column,
      isColumn ? values : sharedFloat64(waypoints).fill(values[0] as number),
    ];
  });
  const offsets = columns.indices(flights.length + 1);
  const requestIndex = header.hasRequestIndex ? columns.indices(waypoints) : undefined;
  const reportIndex = header.hasReportIndex ? columns.indices(waypoints) : undefined;
  columns.finish();
  checkOffsets(offsets, waypoints);
  if (requestIndex !== undefined) checkIndices(requestIndex);
  const fleet = {
    columns: { timeMs, longitude, latitude, altitudeFt, ...Object.fromEntries(given) },
    ...{ offsets, attributes: flights, requestIndex, reportIndex },
  };
  const flightId = header.isFleet ? idsOf(fleet) : flights[0]?.id;
  return { model, options, unitWarnings, fleet: { ...fleet, flightId } };
}

const strict = { additionalProperties: false } as const;
const oneOf = <T extends string>(names: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: [...names] });
const positive = (maximum: number) => Type.Number({ exclusiveMinimum: 0, maximum });
const count = Type.Integer({ minimum: 0 });

const numberOptions = NUMBER_OPTIONS.map(
  ([
    ,
    {
      option,
      number: { integer, examples: _, ...limits },
      ...entry
    },
  ]) => {
    const schema = integer ? Type.Integer(limits) : Type.Number(limits);
    return [option, entry.default === undefined ? Type.Optional(schema) : schema] as const;
  },
);

const uncertaintySchema = Type.Unsafe<UncertaintyOptions>(
  Type.Object(
    {
      samples: Type.Integer({ minimum: 0, maximum: MAX_SAMPLES }),
      seed: Type.Integer({ minimum: 0 }),
      set: oneOf(UNCERTAINTY_SETS),
      groups: Type.Array(oneOf(UNCERTAINTY_GROUPS)),
      sampling: oneOf(SAMPLING_METHODS),
      sensitivity: Type.Boolean(),
      metMembers: Type.Optional(Type.Union([Type.Literal('all'), Type.Array(count, { minItems: 1 })])),
    } satisfies Record<keyof UncertaintyOptions, TSchema>,
    strict,
  ),
);

const climateSchema = Type.Unsafe<ClimateOptions>(
  Type.Object(
    {
      metric: oneOf(CO2E_METRICS),
      set: oneOf(Object.keys(CO2E_SETS)),
      efficacy: Type.Boolean(),
      needsCriterion: Type.Boolean(),
      settings: Type.Object(
        {
          valid_latitude: Type.Array(Type.Number()),
          valid_hpa: Type.Array(Type.Number()),
          methane_lifetime_years: Type.Number(),
        } satisfies Record<keyof AccfSettings, TSchema>,
        strict,
      ),
      functions: Type.Object(
        {
          version: oneOf(ACCF_VERSIONS),
          efficacy: Type.Boolean(),
          scenario: oneOf(EMISSION_SCENARIOS),
          horizonYears: Type.Integer(),
          pmo: Type.Boolean(),
          rhiThreshold: Type.Number(),
          temperatureThresholdK: Type.Number(),
          noxEi: Type.Number(),
          kmPerKgFuel: Type.Number(),
        } satisfies Record<keyof AccfParams, TSchema>,
        strict,
      ),
    } satisfies Record<keyof ClimateOptions, TSchema>,
    strict,
  ),
);

const optionsSchema = Type.Unsafe<TrajectoryOptions>(
  Type.Object(
    {
      includes: Type.Array(oneOf(INCLUDES)),
      scaling: Type.Object(
        {
          name: oneOf(['none', ...HUMIDITY_SCALING_NAMES, ENSEMBLE_SCALING]),
          options: Type.Object(
            {
              rhiAdj: Type.Optional(positive(10)),
              rhiBoostExponent: Type.Optional(positive(10)),
              levelType: Type.Optional(oneOf(['pressure', 'model'])),
              qMethod: Type.Optional(oneOf(['cubic-spline', 'log-q-log-p'])),
            },
            strict,
          ),
        },
        strict,
      ),
      metSource: Type.Optional(Type.String()),
      climate: Type.Optional(climateSchema),
      uncertainty: Type.Optional(uncertaintySchema),
      ...Object.fromEntries(numberOptions),
      cleansAltitude: Type.Optional(Type.Unsafe<true>({ type: 'boolean', const: true })),
      contrailRows: Type.Optional(Type.Unsafe<true>({ type: 'boolean', const: true })),
      // A body may have larger values than a query.
      ...Object.fromEntries(
        QUERIED_PARAMETERS.map(([, entry]) => [entry.query.option, Type.Number(limitsOf(entry))]),
      ),
      parameters: Type.Optional(parametersSchema()),
    },
    strict,
  ),
);

const flightSchema = Type.Object(
  {
    id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
    aircraftType: Type.Optional(Type.String()),
    engineUid: Type.Optional(Type.String()),
    engineCount: Type.Optional(count),
    wingspanM: Type.Optional(Type.Number()),
    maxMach: Type.Optional(Type.Number()),
    takeoffMassKg: Type.Optional(Type.Number()),
    passengerLoadFactor: Type.Optional(Type.Number()),
    cargoLoadFactor: Type.Optional(Type.Number()),
    safBlendPercent: Type.Optional(Type.Number()),
    isHydrogen: Type.Optional(Type.Unsafe<true>({ type: 'boolean', const: true })),
    payloadKg: Type.Optional(Type.Number()),
    seatCount: Type.Optional(count),
    engineDeterioration: Type.Optional(Type.Number()),
    aircraftAgeYears: Type.Optional(Type.Number()),
    operatingEmptyMassKg: Type.Optional(Type.Number()),
    maxTakeoffMassKg: Type.Optional(Type.Number()),
    maxPayloadKg: Type.Optional(Type.Number()),
    originAirportIcao: Type.Optional(Type.String()),
    destinationAirportIcao: Type.Optional(Type.String()),
    airportDistanceKm: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    aircraftRole: Type.Optional(Type.String()),
    hydrogenContentPercent: Type.Optional(Type.Number()),
    sulphurPpm: Type.Optional(Type.Number()),
    aromaticsPercent: Type.Optional(Type.Number()),
    naphthalenePercent: Type.Optional(Type.Number()),
  },
  strict,
);

const headerSchema = Type.Object(
  {
    model: oneOf(TRAJECTORY_MODELS),
    options: optionsSchema,
    doubts: Type.Array(
      Type.Object(
        {
          loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
          msg: Type.String(),
          type: Type.String(),
        },
        strict,
      ),
    ),
    waypoints: count,
    flights: Type.Array(flightSchema, { minItems: 1 }),
    isFleet: Type.Boolean(),
    given: Type.Array(Type.Object({ name: oneOf(GIVEN_FIELD_NAMES), isColumn: Type.Boolean() }, strict)),
    hasRequestIndex: Type.Boolean(),
    hasReportIndex: Type.Boolean(),
  },
  strict,
);

const checkHeader = Schema.Compile(headerSchema);

/** Lists may be read-only where a header is written. */
type Header = DeepReadonly<Static<typeof headerSchema>>;
type DeepReadonly<T> = T extends object
  ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> | (undefined extends T[Key] ? undefined : never) }
  : T;

function readHeader(text: Buffer): Static<typeof headerSchema> {
  let header: unknown;
  try {
    header = JSON.parse(text.toString());
  } catch {
    throw damaged('their header is not JSON');
  }
  if (checkHeader.Check(header)) return header;
  const [, [error]] = Schema.Errors(headerSchema, header);
  throw damaged(`their header is wrong at ${error?.instancePath || 'its root'}: it ${error?.message}`);
}

/** Takes columns in turn. */
class ColumnReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  floats(length: number): SharedColumn {
    const column = sharedFloat64(length);
    this.#copyInto(column);
    return column;
  }

  indices(length: number): Uint32Array<SharedArrayBuffer> {
    const column = sharedUint32(length);
    this.#copyInto(column);
    return column;
  }

  finish(): void {
    if (this.#at !== this.#bytes.length)
      throw damaged(`they are ${this.#bytes.length} bytes and not ${this.#at}`);
  }

  #copyInto(column: Float64Array | Uint32Array): void {
    const end = this.#at + column.byteLength;
    if (end > this.#bytes.length) throw damaged('their columns are cut off');
    const target = Buffer.from(column.buffer, column.byteOffset, column.byteLength);
    this.#bytes.copy(target, 0, this.#at, end);
    swapToMachine(target, column.BYTES_PER_ELEMENT);
    this.#at = roundUp(end);
  }
}

function checkOffsets(offsets: Uint32Array, waypoints: number): void {
  const ascends = offsets.every((start, f) => f === 0 || start > (offsets[f - 1] as number));
  if (offsets[0] !== 0 || offsets.at(-1) !== waypoints || !ascends)
    throw damaged('their flights do not follow one another');
}

function checkIndices(indices: Uint32Array): void {
  const isTaken = new Uint8Array(indices.length);
  for (const index of indices) isTaken[index] = 1;
  if (isTaken.includes(0)) throw damaged('their waypoints do not have one index each');
}

/** The id of each index of the answer. */
function idsOf(
  fleet: Pick<RequestFleet, 'attributes' | 'columns' | 'offsets' | 'requestIndex'>,
): RequestFleet['flightId'] {
  const ids = new Array<string | number>(fleet.columns.timeMs.length).fill('');
  for (const [f, { id }] of fleet.attributes.entries()) {
    if (id === undefined) throw damaged(`flight ${f} of the fleet has no id`);
    for (let i = fleet.offsets[f] as number; i < (fleet.offsets[f + 1] as number); i++)
      ids[indexInAnswer(fleet, i)] = id;
  }
  return ids;
}

function damaged(reason: string): UnreadableRequest {
  return new UnreadableRequest(`the flights of this job are damaged: ${reason}; send the request again`);
}

/** Between little-endian and the order of this machine, either way. */
function swapToMachine(bytes: Buffer, size: number): void {
  if (endianness() === 'LE') return;
  if (size === 8) bytes.swap64();
  else bytes.swap32();
}

const roundUp = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
