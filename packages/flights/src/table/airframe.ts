/** The reports of one airframe, collected from the sorted rows of tables. */
import type { DuckDbChunk } from '@contrails/formats';
import type { AirframeReports } from '../telemetry/airframe-reports.ts';
import type { CollectionType, TelemetryColumnName } from '../telemetry/columns.ts';

/** What rarely changes from one report of an airframe to the next. As text it would take longer than everything else. */
export const NAMES = [
  'icao_address',
  'collection_type',
  'flight_id',
  'callsign',
  'tail_number',
  'flight_number',
  'aircraft_type_icao',
  'airline_iata',
  'departure_airport_icao',
  'departure_scheduled_time',
  'arrival_airport_icao',
  'arrival_scheduled_time',
] as const satisfies readonly TelemetryColumnName[];

export const FIGURES = [
  'timestamp',
  'latitude',
  'longitude',
  'altitude_baro',
  'altitude_gnss',
  'nic',
  'nacp',
] as const satisfies readonly TelemetryColumnName[];

export interface ChunkColumns {
  readonly airframe: Float64Array;
  readonly nameId: Float64Array;
  readonly timestamp: Float64Array;
  /** `FIGURES`. */
  readonly figures: readonly Float64Array[];
  /** 1 on the ground, plus `LEG_FLAG` at a new leg, plus `NAMES_FLAG` with names, plus the refusal times `FIRST_CODE`. */
  readonly flags: Float64Array;
}

/** JSON of `NAMES`, in one row for each number of names. */
export const NAMES_COLUMN = 2;
const FIRST_FIGURE = 3;
export const LEG_FLAG = 2;
export const NAMES_FLAG = 4;
export const FIRST_CODE = 8;

export function readChunk(chunk: DuckDbChunk): ChunkColumns {
  const figures = FIGURES.map((_, k) => chunk.numbers(FIRST_FIGURE + k));
  return {
    airframe: chunk.numbers(0),
    nameId: chunk.numbers(1),
    timestamp: figures[0] as Float64Array,
    figures,
    flags: chunk.numbers(FIRST_FIGURE + FIGURES.length),
  };
}

/** End of the reports of one airframe that begin here; those after the first have no names. */
export function endOfRun({ airframe, flags }: ChunkColumns, first: number): number {
  let end = first + 1;
  while (end < airframe.length && airframe[end] === airframe[first] && (flags[end] as number) < NAMES_FLAG)
    end++;
  return end;
}

/** The reports of one airframe as threads are given them: names are listed once, and numbered in the reports. */
export interface PackedAirframe {
  readonly count: number;
  /** `NAMES` by their number. */
  readonly names: ReadonlyMap<number, readonly (string | null)[]>;
  readonly nameIds: Float64Array;
  /** As in a chunk; no refusals. */
  readonly flags: Float64Array;
  /** `FIGURES`. */
  readonly figures: readonly Float64Array[];
}

const FIRST_CAPACITY = 1024;

/** Collects the reports of one airframe as they come. */
export class Airframe {
  readonly number: number;
  count = 0;
  private readonly names = new Map<number, readonly (string | null)[]>();
  private nameIds = new Float64Array(FIRST_CAPACITY);
  private flags = new Float64Array(FIRST_CAPACITY);
  private figures = FIGURES.map(() => new Float64Array(FIRST_CAPACITY));

  constructor(number: number) {
    this.number = number;
  }

  name(id: number, names: string): void {
    this.names.set(id, JSON.parse(names) as (string | null)[]);
  }

  add({ nameId, flags, figures }: ChunkColumns, first: number, end: number): void {
    while (this.count + end - first > this.nameIds.length) this.grow();
    this.nameIds.set(nameId.subarray(first, end), this.count);
    this.flags.set(flags.subarray(first, end), this.count);
    figures.forEach((column, k) => {
      this.figures[k]?.set(column.subarray(first, end), this.count);
    });
    this.count += end - first;
  }

  pack(): PackedAirframe {
    const { count, names } = this;
    // Copies: a part of an array takes the whole of it along to a thread.
    const packed = (column: Float64Array) => column.slice(0, count);
    return {
      count,
      names,
      nameIds: packed(this.nameIds),
      flags: packed(this.flags),
      figures: this.figures.map(packed),
    };
  }

  private grow(): void {
    const grown = (column: Float64Array) => {
      const larger = new Float64Array(2 * column.length);
      larger.set(column);
      return larger;
    };
    this.nameIds = grown(this.nameIds);
    this.flags = grown(this.flags);
    this.figures = this.figures.map(grown);
  }
}

export function reportsOf(packed: PackedAirframe): AirframeReports {
  const { figures } = packed;
  const figure = (name: (typeof FIGURES)[number]) => figures[FIGURES.indexOf(name)] as Float64Array;
  const texts = (name: (typeof NAMES)[number]) => textsOf(packed, name);
  const times = (name: (typeof NAMES)[number]) => timesOf(packed, name);
  return {
    timestamp: figure('timestamp'),
    latitude: figure('latitude'),
    longitude: figure('longitude'),
    collection_type: texts('collection_type') as CollectionType[],
    altitude_baro: figure('altitude_baro'),
    altitude_gnss: figure('altitude_gnss'),
    icao_address: texts('icao_address') as string[],
    flight_id: texts('flight_id'),
    callsign: texts('callsign'),
    tail_number: texts('tail_number'),
    flight_number: texts('flight_number'),
    aircraft_type_icao: texts('aircraft_type_icao'),
    airline_iata: texts('airline_iata'),
    departure_airport_icao: texts('departure_airport_icao'),
    departure_scheduled_time: times('departure_scheduled_time'),
    arrival_airport_icao: texts('arrival_airport_icao'),
    arrival_scheduled_time: times('arrival_scheduled_time'),
    nic: figure('nic'),
    nacp: figure('nacp'),
    onGround: flagged(packed, 1),
    legFlag: flagged(packed, LEG_FLAG),
  };
}

function flagged({ count, flags }: PackedAirframe, flag: number): Uint8Array {
  const column = new Uint8Array(count);
  for (let row = 0; row < count; row++) column[row] = (flags[row] as number) & flag ? 1 : 0;
  return column;
}

function textsOf(packed: PackedAirframe, name: (typeof NAMES)[number]): (string | null)[] {
  return fillByNames(packed, NAMES.indexOf(name), new Array<string | null>(packed.count), (text) => text);
}

function timesOf(packed: PackedAirframe, name: (typeof NAMES)[number]): Float64Array {
  const values = new Float64Array(packed.count);
  return fillByNames(packed, NAMES.indexOf(name), values, (text) =>
    text === null ? Number.NaN : Number(text),
  );
}

/** Names stay the same from one report to the next, so that values are written in runs. */
function fillByNames<T, Column extends { fill(value: T, start: number, end: number): unknown }>(
  { count, names, nameIds }: PackedAirframe,
  index: number,
  column: Column,
  read: (text: string | null) => T,
): Column {
  for (let first = 0; first < count; ) {
    const id = nameIds[first] as number;
    let end = first + 1;
    while (end < count && nameIds[end] === id) end++;
    column.fill(read(names.get(id)?.[index] ?? null), first, end);
    first = end;
  }
  return column;
}
