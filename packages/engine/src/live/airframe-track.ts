/** The reports of one airframe in a window of time, thinned to the first of each whole 10 s, in memory that threads share. */
import type { TelemetryColumns } from '@contrails/flights';

/** What rarely changes from one report to the next, in the order that flights are built from. */
export const TRACK_NAMES = [
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
] as const satisfies readonly (keyof TelemetryColumns)[];

export type TrackNames = readonly (string | null)[];

/** A report as it arrives; NaN is unknown. */
export interface TrackReport {
  readonly timeMs: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly altitudeBaroFt: number;
  readonly altitudeGnssFt: number;
  readonly nic: number;
  readonly nacp: number;
  readonly beginsLeg: boolean;
  readonly isOnGround: boolean;
  readonly source: string;
  /** `TRACK_NAMES`; a report from the ground has none. */
  readonly names: TrackNames | undefined;
}

/** The newest position of an airframe in the air. */
export type TrackPosition = Pick<TrackReport, 'timeMs' | 'longitude' | 'latitude' | 'source'> & {
  readonly altitudeFt: number;
};

/** Columns of reports in order of time. */
export interface TrackColumns {
  readonly timeMs: Float64Array;
  /** In units of 1e-7 degrees, in which reports with seven decimals are exact; `NO_POSITION` is unknown. */
  readonly longitude: Int32Array;
  readonly latitude: Int32Array;
  readonly altitudeBaroFt: Float32Array;
  readonly altitudeGnssFt: Float32Array;
  /** Index in the list of names. */
  readonly name: Uint16Array;
  /** Bits of `TRACK_FLAGS`. */
  readonly flags: Uint8Array;
  /** −1 is unknown. */
  readonly nic: Int8Array;
  readonly nacp: Int8Array;
  /** Index in the list of sources. */
  readonly source: Uint8Array;
}

/** As `reportsOf` of the flights reads them. */
const TRACK_FLAGS = { onGround: 1, leg: 2 } as const;

/** What a thread builds flights from; plain data, of which the buffer is shared. */
export interface PackedTrack {
  readonly count: number;
  readonly buffer: SharedArrayBuffer;
  readonly names: readonly TrackNames[];
}

const BIN_MS = 10_000;
const CAPACITY_STEP = 32;
/** Rows that a track grows by, as a share of those it has. */
const GROWTH = 1 / 8;
const MIN_FORGOTTEN = 32;
const BYTES_PER_REPORT = 8 + 4 * 4 + 2 + 4;
const UNITS_PER_DEGREE = 1e7;
const NO_POSITION = -(2 ** 31);
/** Beyond as many different names or sources the last one is used again: an airframe has a few. */
const MAX_NAMES = 65_535;
const MAX_SOURCES = 255;

/** Degrees of a column of positions. */
export function degreesOf(units: number): number {
  return units === NO_POSITION ? Number.NaN : units / UNITS_PER_DEGREE;
}

function unitsOf(degrees: number): number {
  return Number.isNaN(degrees) ? NO_POSITION : Math.round(degrees * UNITS_PER_DEGREE);
}

export class AirframeTrack {
  readonly icaoAddress: string;
  /** Undefined until the airframe is seen in the air. */
  newest: TrackPosition | undefined;
  /** Time of the newest report from the ground [ms since 1970]. */
  groundMs = Number.NEGATIVE_INFINITY;
  /** Whether reports have left the window. */
  isTruncated = false;
  /** Changes with every report that is kept. */
  revision = 0;
  #count = 0;
  #buffer = allocate(0);
  #columns = columnsIn(this.#buffer);
  #names: TrackNames[] = [];
  #nameOf = new Map<string, number>();
  #lastNames: TrackNames | undefined;
  #lastName = 0;
  #sources: string[] = [];

  constructor(icaoAddress: string) {
    this.icaoAddress = icaoAddress;
  }

  get bytes(): number {
    return this.#buffer.byteLength;
  }

  get count(): number {
    return this.#count;
  }

  /** Time of the oldest report that is kept [ms since 1970]; NaN without any. */
  get firstMs(): number {
    return this.#count === 0 ? Number.NaN : (this.#columns.timeMs[0] as number);
  }

  /** Time of the newest report of any kind [ms since 1970]. */
  get lastSeenMs(): number {
    return Math.max(this.groundMs, this.newest?.timeMs ?? Number.NEGATIVE_INFINITY);
  }

  /** Returns whether the newest position or state is another one now. */
  add(report: TrackReport): boolean {
    this.#insert(report);
    if (report.isOnGround) {
      const wasInTheAir = this.groundMs <= (this.newest?.timeMs ?? Number.POSITIVE_INFINITY);
      this.groundMs = Math.max(this.groundMs, report.timeMs);
      return wasInTheAir && this.newest !== undefined && this.groundMs > this.newest.timeMs;
    }
    const { timeMs, longitude, latitude, source } = report;
    const { newest } = this;
    const isNewer =
      newest === undefined || timeMs > newest.timeMs || (timeMs === newest.timeMs && source < newest.source);
    if (!isNewer) return false;
    const altitudeFt = Number.isNaN(report.altitudeBaroFt) ? report.altitudeGnssFt : report.altitudeBaroFt;
    this.newest = { timeMs, longitude, latitude, altitudeFt, source };
    return true;
  }

  /** Forgets reports before a time, as soon as they are enough to be worth a copy. */
  forgetBefore(timeMs: number): void {
    let gone = 0;
    while (gone < this.#count && (this.#columns.timeMs[gone] as number) < timeMs) gone++;
    if (gone < this.#count && gone < MIN_FORGOTTEN) return;
    this.#move(gone, this.#count, this.#count - gone);
    this.#count -= gone;
    this.isTruncated = true;
    this.revision++;
  }

  /** Threads may read it while reports are added: rows that are there never change. */
  pack(): PackedTrack {
    return { count: this.#count, buffer: this.#buffer, names: this.#names };
  }

  /**
   * The oldest position in the air between two times; without any, the newest one between `earlierMs` and the first of
   * them.
   */
  positionSince(fromMs: number, beforeMs: number, earlierMs: number): TrackPosition | undefined {
    const { timeMs: times, flags } = this.#columns;
    let found: number | undefined;
    for (let row = this.#count - 1; row >= 0 && (times[row] as number) >= earlierMs; row--) {
      const timeMs = times[row] as number;
      if (timeMs >= beforeMs || ((flags[row] as number) & TRACK_FLAGS.onGround) !== 0) continue;
      if (timeMs < fromMs) return this.#positionAt(found ?? row);
      found = row;
    }
    return found === undefined ? undefined : this.#positionAt(found);
  }

  #positionAt(row: number): TrackPosition {
    const columns = this.#columns;
    const baro = columns.altitudeBaroFt[row] as number;
    return {
      timeMs: columns.timeMs[row] as number,
      longitude: degreesOf(columns.longitude[row] as number),
      latitude: degreesOf(columns.latitude[row] as number),
      altitudeFt: Number.isNaN(baro) ? (columns.altitudeGnssFt[row] as number) : baro,
      source: this.#sources[columns.source[row] as number] ?? '',
    };
  }

  /** The first report of each 10 s stays, whatever the order of arrival; of two at the same time, that of the first source. */
  #insert(report: TrackReport): void {
    const { timeMs: times, source } = this.#columns;
    const { timeMs } = report;
    let row = this.#count;
    while (row > 0 && (times[row - 1] as number) > timeMs) row--;
    const bin = Math.floor(timeMs / BIN_MS);
    const isInBin = (other: number) => Math.floor((times[other] as number) / BIN_MS) === bin;
    if (row > 0 && isInBin(row - 1)) {
      const isTie = times[row - 1] === timeMs;
      if (!isTie || !(report.source < (this.#sources[source[row - 1] as number] ?? ''))) return;
      this.#move(0, this.#count, this.#count);
      this.#set(row - 1, report);
    } else if (row < this.#count && isInBin(row)) {
      this.#move(0, this.#count, this.#count);
      this.#set(row, report);
    } else {
      if (this.#count === this.#capacity || row < this.#count) this.#move(0, this.#count, this.#count + 1);
      for (const column of Object.values(this.#columns)) column.copyWithin(row + 1, row, this.#count);
      this.#count++;
      this.#set(row, report);
    }
    this.revision++;
  }

  #set(row: number, report: TrackReport): void {
    const columns = this.#columns;
    columns.timeMs[row] = report.timeMs;
    columns.longitude[row] = unitsOf(report.longitude);
    columns.latitude[row] = unitsOf(report.latitude);
    columns.altitudeBaroFt[row] = report.altitudeBaroFt;
    columns.altitudeGnssFt[row] = report.altitudeGnssFt;
    columns.flags[row] =
      (report.isOnGround ? TRACK_FLAGS.onGround : 0) | (report.beginsLeg ? TRACK_FLAGS.leg : 0);
    columns.nic[row] = Number.isNaN(report.nic) ? -1 : report.nic;
    columns.nacp[row] = Number.isNaN(report.nacp) ? -1 : report.nacp;
    columns.name[row] = this.#nameIndex(report.names ?? this.#groundNames());
    columns.source[row] = this.#sourceIndex(report.source);
  }

  #groundNames(): TrackNames {
    return TRACK_NAMES.map((name) =>
      name === 'icao_address' ? this.icaoAddress : name === 'collection_type' ? 'terrestrial' : null,
    );
  }

  #nameIndex(names: TrackNames): number {
    if (this.#lastNames !== undefined && names.every((name, k) => name === this.#lastNames?.[k]))
      return this.#lastName;
    const key = JSON.stringify(names);
    let index = this.#nameOf.get(key);
    if (index === undefined) {
      index = Math.min(this.#names.length, MAX_NAMES);
      this.#names[index] = names;
      this.#nameOf.set(key, index);
    }
    this.#lastNames = names;
    this.#lastName = index;
    return index;
  }

  #sourceIndex(source: string): number {
    const index = this.#sources.indexOf(source);
    if (index >= 0) return index;
    if (this.#sources.length > MAX_SOURCES) return MAX_SOURCES;
    return this.#sources.push(source) - 1;
  }

  get #capacity(): number {
    return this.#columns.timeMs.length;
  }

  /** To other memory, with room for a number of rows and some more: a thread may still read them where they are. */
  #move(from: number, to: number, count: number): void {
    const before = this.#columns;
    this.#buffer = allocate(count);
    this.#columns = columnsIn(this.#buffer);
    for (const name of Object.keys(before) as (keyof TrackColumns)[])
      this.#columns[name].set(before[name].subarray(from, to));
  }
}

function allocate(count: number): SharedArrayBuffer {
  const capacity = CAPACITY_STEP * Math.ceil(((1 + GROWTH) * count + 1) / CAPACITY_STEP);
  return new SharedArrayBuffer(capacity * BYTES_PER_REPORT);
}

/** One buffer has all columns, the widest first. */
export function columnsIn(buffer: SharedArrayBuffer): TrackColumns {
  const capacity = buffer.byteLength / BYTES_PER_REPORT;
  let offset = 0;
  const take = (bytes: number) => {
    const start = offset;
    offset += bytes * capacity;
    return start;
  };
  return {
    timeMs: new Float64Array(buffer, take(8), capacity),
    longitude: new Int32Array(buffer, take(4), capacity),
    latitude: new Int32Array(buffer, take(4), capacity),
    altitudeBaroFt: new Float32Array(buffer, take(4), capacity),
    altitudeGnssFt: new Float32Array(buffer, take(4), capacity),
    name: new Uint16Array(buffer, take(2), capacity),
    flags: new Uint8Array(buffer, take(1), capacity),
    nic: new Int8Array(buffer, take(1), capacity),
    nacp: new Int8Array(buffer, take(1), capacity),
    source: new Uint8Array(buffer, take(1), capacity),
  };
}
