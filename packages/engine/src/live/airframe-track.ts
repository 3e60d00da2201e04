/** The reports of one airframe in a window of time, thinned to the first of each whole 10 s. */
import { REPORT_NAMES } from '@contrails/flights';
import { sharedUint8 } from '@contrails/runtime';
import {
  BYTES_PER_CHUNK,
  MAX_LISTED,
  MAX_OFFSET_MS,
  type ReportFigures,
  type ReportMemory,
  type ReportRows,
  ROWS_PER_CHUNK,
} from './report-rows.ts';

/** By `REPORT_NAMES`. */
export type TrackNames = readonly (string | null)[];

/** A report as it arrives. */
export interface TrackReport extends ReportFigures {
  readonly timeMs: number;
  readonly source: string;
  /** `REPORT_NAMES`; a report from the ground has none. */
  readonly names: TrackNames | undefined;
}

/** The newest position of an airframe in the air. */
export type TrackPosition = Pick<TrackReport, 'timeMs' | 'longitude' | 'latitude' | 'source'> & {
  readonly altitudeFt: number;
};

/** What a thread builds flights from, of several airframes in one piece of memory; plain data. */
export interface PackedTrack {
  readonly buffer: SharedArrayBuffer;
  readonly firstRow: number;
  readonly count: number;
  /** What times of the rows count from [ms since 1970]. */
  readonly baseMs: number;
  readonly names: readonly TrackNames[];
}

const BIN_MS = 10_000;
const MIN_FORGOTTEN = 32;
/** Reports that come late may be so much older than the first one. */
const EARLIER_MS = 86_400_000;

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
  readonly #memory: ReportMemory;
  readonly #chunks: number[] = [];
  /** Rows of the first chunk that are forgotten. */
  #first = 0;
  #count = 0;
  #baseMs = Number.NaN;
  #names: TrackNames[] = [];
  #lastName = 0;
  readonly #sources: string[] = [];

  constructor(icaoAddress: string, memory: ReportMemory) {
    this.icaoAddress = icaoAddress;
    this.#memory = memory;
  }

  get bytes(): number {
    return this.#chunks.length * BYTES_PER_CHUNK;
  }

  get count(): number {
    return this.#count;
  }

  /** Time of the oldest report that is kept [ms since 1970]; NaN without any. */
  get firstMs(): number {
    return this.#count === 0 ? Number.NaN : this.#timeMs(0);
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

  /** Gives its memory back: nothing of it is left. */
  clear(): void {
    this.forgetBefore(Number.POSITIVE_INFINITY);
  }

  /** Forgets reports before a time, as soon as they are enough to be worth it. */
  forgetBefore(timeMs: number): void {
    let gone = 0;
    while (gone < this.#count && this.#timeMs(gone) < timeMs) gone++;
    if (gone < this.#count && gone < MIN_FORGOTTEN) return;
    this.#first += gone;
    this.#count -= gone;
    const chunks = this.#count === 0 ? this.#chunks.length : Math.floor(this.#first / ROWS_PER_CHUNK);
    for (const chunk of this.#chunks.splice(0, chunks)) this.#memory.give(chunk);
    this.#first = this.#count === 0 ? 0 : this.#first % ROWS_PER_CHUNK;
    this.isTruncated = true;
    this.revision++;
  }

  /** Copies `bytes` to an offset of shared memory, where reports that come later do not change them. */
  packInto(buffer: SharedArrayBuffer, offset: number): PackedTrack {
    const bytes = new Uint8Array(buffer);
    this.#chunks.forEach((chunk, k) => {
      bytes.set(this.#memory.bytesOf(chunk), offset + k * BYTES_PER_CHUNK);
    });
    const firstRow = (offset / BYTES_PER_CHUNK) * ROWS_PER_CHUNK + this.#first;
    return { buffer, firstRow, count: this.#count, baseMs: this.#baseMs, names: this.#names };
  }

  /**
   * The oldest position in the air between two times; without any, the newest one between `earlierMs` and the first of
   * them.
   */
  positionSince(fromMs: number, beforeMs: number, earlierMs: number): TrackPosition | undefined {
    let found: number | undefined;
    for (let row = this.#count - 1; row >= 0; row--) {
      const timeMs = this.#timeMs(row);
      if (timeMs < earlierMs) break;
      if (timeMs >= beforeMs || this.#rows(row).isOnGround(this.#index(row))) continue;
      if (timeMs < fromMs) return this.#positionAt(found ?? row);
      found = row;
    }
    return found === undefined ? undefined : this.#positionAt(found);
  }

  #positionAt(row: number): TrackPosition {
    const [rows, index] = [this.#rows(row), this.#index(row)];
    const baro = rows.altitudeBaroFt(index);
    return {
      timeMs: this.#timeMs(row),
      longitude: rows.longitude(index),
      latitude: rows.latitude(index),
      altitudeFt: Number.isNaN(baro) ? rows.altitudeGnssFt(index) : baro,
      source: this.#sourceAt(row),
    };
  }

  /** Keeps the first report of each 10 s in any order of arrival; of two at the same time, that of the first source. */
  #insert(report: TrackReport): void {
    const timeMs = Math.floor(report.timeMs);
    this.#countFrom(timeMs);
    let row = this.#count;
    while (row > 0 && this.#timeMs(row - 1) > timeMs) row--;
    const bin = Math.floor(timeMs / BIN_MS);
    const isInBin = (other: number) => Math.floor(this.#timeMs(other) / BIN_MS) === bin;
    if (row > 0 && isInBin(row - 1)) {
      const isTie = this.#timeMs(row - 1) === timeMs;
      if (!isTie || !(report.source < this.#sourceAt(row - 1))) return;
      row--;
    }
    const name = this.#nameIndex(report.names ?? this.#groundNames());
    const source = this.#sourceIndex(report.source);
    if (!(row < this.#count && isInBin(row))) this.#makeRoom(row);
    this.#rows(row).set(this.#index(row), { ...report, offsetMs: timeMs - this.#baseMs, name, source });
    this.revision++;
  }

  /** Rows from this one on move by one. */
  #makeRoom(row: number): void {
    if (this.#first + this.#count === this.#chunks.length * ROWS_PER_CHUNK)
      this.#chunks.push(this.#memory.take());
    this.#count++;
    for (let k = this.#count - 1; k > row; k--)
      this.#rows(k - 1).copyTo(this.#rows(k), this.#index(k - 1), this.#index(k));
  }

  /** Has times count from one that leaves room for a report. */
  #countFrom(timeMs: number): void {
    const offsetMs = timeMs - this.#baseMs;
    if (offsetMs >= 0 && offsetMs <= MAX_OFFSET_MS) return;
    this.forgetBefore(timeMs - MAX_OFFSET_MS / 2);
    const baseMs = Math.min(timeMs, this.#count === 0 ? timeMs : this.firstMs) - EARLIER_MS;
    for (let row = 0; row < this.#count; row++)
      this.#rows(row).setOffsetMs(this.#index(row), this.#timeMs(row) - baseMs);
    this.#baseMs = baseMs;
  }

  #groundNames(): TrackNames {
    return REPORT_NAMES.map((name) =>
      name === 'icao_address' ? this.icaoAddress : name === 'collection_type' ? 'terrestrial' : null,
    );
  }

  #nameIndex(names: TrackNames): number {
    const isSame = (other: TrackNames | undefined) => other?.every((name, k) => name === names[k]) === true;
    if (isSame(this.#names[this.#lastName])) return this.#lastName;
    let index = this.#names.findIndex(isSame);
    if (index < 0) {
      if (this.#names.length === MAX_LISTED) this.#forgetNames();
      index = this.#names.push(names) - 1;
    }
    this.#lastName = index;
    return index;
  }

  /** Those that no row has; when all have one, the last goes. */
  #forgetNames(): void {
    const indexes = new Map<number, number>();
    for (let row = 0; row < this.#count; row++) {
      const [rows, index] = [this.#rows(row), this.#index(row)];
      const name = rows.name(index);
      if (!indexes.has(name)) indexes.set(name, Math.min(indexes.size, MAX_LISTED - 2));
      rows.setName(index, indexes.get(name) as number);
    }
    const names: TrackNames[] = [];
    for (const [before, index] of indexes) names[index] = this.#names[before] as TrackNames;
    this.#names = names;
  }

  #sourceIndex(source: string): number {
    const index = this.#sources.indexOf(source);
    if (index >= 0) return index;
    return this.#sources.length === MAX_LISTED ? MAX_LISTED - 1 : this.#sources.push(source) - 1;
  }

  #sourceAt(row: number): string {
    return this.#sources[this.#rows(row).source(this.#index(row))] ?? '';
  }

  #timeMs(row: number): number {
    return this.#baseMs + this.#rows(row).offsetMs(this.#index(row));
  }

  #rows(row: number): ReportRows {
    return this.#memory.rowsOf(this.#chunkOf(row));
  }

  #index(row: number): number {
    return this.#memory.firstRow(this.#chunkOf(row)) + ((this.#first + row) % ROWS_PER_CHUNK);
  }

  #chunkOf(row: number): number {
    return this.#chunks[Math.floor((this.#first + row) / ROWS_PER_CHUNK)] as number;
  }
}

/** Copies of several tracks in one piece of shared memory: the given one, if it is large enough. */
export function packTracks(tracks: readonly AirframeTrack[], used?: SharedArrayBuffer): PackedTrack[] {
  const bytes = tracks.reduce((sum, track) => sum + track.bytes, 0);
  const buffer = used !== undefined && used.byteLength >= bytes ? used : sharedUint8(bytes).buffer;
  let offset = 0;
  return tracks.map((track) => {
    const packed = track.packInto(buffer, offset);
    offset += track.bytes;
    return packed;
  });
}
