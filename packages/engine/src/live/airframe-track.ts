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

/** Columns of reports in order of time; plain data for a thread. */
export interface TrackColumns {
  readonly timeMs: Float64Array<SharedArrayBuffer>;
  readonly longitude: Float64Array<SharedArrayBuffer>;
  readonly latitude: Float64Array<SharedArrayBuffer>;
  readonly altitudeBaroFt: Float32Array<SharedArrayBuffer>;
  readonly altitudeGnssFt: Float32Array<SharedArrayBuffer>;
  /** Index in the list of names. */
  readonly name: Uint16Array<SharedArrayBuffer>;
  /** Bits of `TRACK_FLAGS`. */
  readonly flags: Uint8Array<SharedArrayBuffer>;
  /** −1 is unknown. */
  readonly nic: Int8Array<SharedArrayBuffer>;
  readonly nacp: Int8Array<SharedArrayBuffer>;
  /** Index in the list of sources. */
  readonly source: Uint8Array<SharedArrayBuffer>;
}

/** As `reportsOf` of the flights reads them. */
export const TRACK_FLAGS = { onGround: 1, leg: 2 } as const;

/** What a thread builds flights from. */
export interface PackedTrack {
  readonly count: number;
  readonly columns: TrackColumns;
  readonly names: readonly TrackNames[];
}

const BIN_MS = 10_000;
const FIRST_CAPACITY = 64;
const MIN_FORGOTTEN = 32;
const BYTES_PER_REPORT = 3 * 8 + 2 * 4 + 2 + 4;
/** Beyond as many different names or sources the last one is used again: an airframe has a few. */
const MAX_NAMES = 65_535;
const MAX_SOURCES = 255;

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
  #columns = allocate(FIRST_CAPACITY);
  #capacity = FIRST_CAPACITY;
  #names: TrackNames[] = [];
  #nameOf = new Map<string, number>();
  #lastNames: TrackNames | undefined;
  #lastName = 0;
  #sources: string[] = [];

  constructor(icaoAddress: string) {
    this.icaoAddress = icaoAddress;
  }

  get bytes(): number {
    return this.#capacity * BYTES_PER_REPORT;
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
    if (gone < this.#count && gone < Math.max(MIN_FORGOTTEN, this.#count / 8)) return;
    this.#move(gone, this.#count, capacityFor(this.#count - gone));
    this.#count -= gone;
    this.isTruncated = true;
    this.revision++;
  }

  /** Threads may read it while reports are added: rows that are there never change. */
  pack(): PackedTrack {
    return { count: this.#count, columns: this.#columns, names: this.#names };
  }

  /** Rows in the air from a time on, oldest first. */
  *positionsSince(timeMs: number): Generator<TrackPosition> {
    const { timeMs: times, longitude, latitude, altitudeBaroFt, altitudeGnssFt, flags } = this.#columns;
    let row = this.#count;
    while (row > 0 && (times[row - 1] as number) >= timeMs) row--;
    for (; row < this.#count; row++) {
      if (((flags[row] as number) & TRACK_FLAGS.onGround) !== 0) continue;
      const baro = altitudeBaroFt[row] as number;
      yield {
        timeMs: times[row] as number,
        longitude: longitude[row] as number,
        latitude: latitude[row] as number,
        altitudeFt: Number.isNaN(baro) ? (altitudeGnssFt[row] as number) : baro,
        source: this.#sources[this.#columns.source[row] as number] ?? '',
      };
    }
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
      this.#move(0, this.#count, this.#capacity);
      this.#set(row - 1, report);
    } else if (row < this.#count && isInBin(row)) {
      this.#move(0, this.#count, this.#capacity);
      this.#set(row, report);
    } else {
      const isFull = this.#count === this.#capacity;
      if (isFull || row < this.#count) this.#move(0, this.#count, this.#capacity * (isFull ? 2 : 1));
      for (const column of Object.values(this.#columns)) column.copyWithin(row + 1, row, this.#count);
      this.#count++;
      this.#set(row, report);
    }
    this.revision++;
  }

  #set(row: number, report: TrackReport): void {
    const columns = this.#columns;
    columns.timeMs[row] = report.timeMs;
    columns.longitude[row] = report.longitude;
    columns.latitude[row] = report.latitude;
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

  /** To other memory: a thread may still read the rows where they are. */
  #move(from: number, to: number, capacity: number): void {
    const moved = allocate(capacity);
    for (const name of Object.keys(moved) as (keyof TrackColumns)[])
      moved[name].set(this.#columns[name].subarray(from, to));
    this.#columns = moved;
    this.#capacity = capacity;
  }
}

function capacityFor(count: number): number {
  return Math.max(FIRST_CAPACITY, 2 ** Math.ceil(Math.log2(count + 1)));
}

/** One buffer for all columns, the widest first. */
function allocate(capacity: number): TrackColumns {
  const buffer = new SharedArrayBuffer(capacity * BYTES_PER_REPORT);
  let offset = 0;
  const take = (bytes: number) => {
    const start = offset;
    offset += bytes * capacity;
    return start;
  };
  return {
    timeMs: new Float64Array(buffer, take(8), capacity),
    longitude: new Float64Array(buffer, take(8), capacity),
    latitude: new Float64Array(buffer, take(8), capacity),
    altitudeBaroFt: new Float32Array(buffer, take(4), capacity),
    altitudeGnssFt: new Float32Array(buffer, take(4), capacity),
    name: new Uint16Array(buffer, take(2), capacity),
    flags: new Uint8Array(buffer, take(1), capacity),
    nic: new Int8Array(buffer, take(1), capacity),
    nacp: new Int8Array(buffer, take(1), capacity),
    source: new Uint8Array(buffer, take(1), capacity),
  };
}
