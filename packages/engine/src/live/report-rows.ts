/** Reports as rows of a few bytes each. A chunk of rows is contiguous, so it is copied as a whole. */

/** An aircraft's reported values; NaN is unknown. */
export interface ReportFigures {
  readonly longitude: number;
  readonly latitude: number;
  readonly altitudeBaroFt: number;
  readonly altitudeGnssFt: number;
  readonly nic: number;
  readonly nacp: number;
  readonly isOnGround: boolean;
  readonly beginsLeg: boolean;
}

/** A report as it is kept. */
interface KeptReport extends ReportFigures {
  /** Since a time that the airframe knows [ms]. */
  readonly offsetMs: number;
  /** Index in the names and in the sources of the airframe. */
  readonly name: number;
  readonly source: number;
}

/** As many values as there are rows; `flags` are as `reportsOf` of the flights reads them. */
export type ReportColumns = Readonly<
  Record<
    'timeMs' | 'longitude' | 'latitude' | 'altitudeBaroFt' | 'altitudeGnssFt' | 'nic' | 'nacp' | 'name',
    Float64Array
  >
> & { readonly flags: Uint8Array };

export const ROWS_PER_CHUNK = 64;
const BYTES_PER_ROW = 4 + 4 + 4 + 2 + 2 + 1 + 1 + 1 + 1;
export const BYTES_PER_CHUNK = ROWS_PER_CHUNK * BYTES_PER_ROW;
/** Names and sources that an airframe may have at a time. */
export const MAX_LISTED = 256;
/** Times beyond it need another one to count from [ms]. */
export const MAX_OFFSET_MS = 2 ** 32 - 1;

/** Columns of a chunk, the widest first: where they begin, in units of their own width. */
const [TIME, LONGITUDE, LATITUDE] = [0, 1, 2].map((k) => k * ROWS_PER_CHUNK) as [number, number, number];
const [BARO, GNSS] = [6, 7].map((k) => k * ROWS_PER_CHUNK) as [number, number];
const [FLAGS, QUALITY, NAME, SOURCE] = [16, 17, 18, 19].map((k) => k * ROWS_PER_CHUNK) as [
  number,
  number,
  number,
  number,
];

/** As `reportsOf` of the flights reads the first two. */
const ON_GROUND = 1;
const LEG = 2;
/** Geometric altitudes have one bit more than their column. */
const GNSS_HIGH = 4;
const REPORTED = ON_GROUND | LEG;

/** Positions with seven decimals are exact. */
const UNITS_PER_DEGREE = 1e7;
const NO_POSITION = -(2 ** 31);
/** Altitudes are whole feet, as they are ingested; 0 is unknown. */
const ALTITUDE_ZERO_FT = -2001;
const MAX_BARO = 2 ** 16 - 1;
const MAX_GNSS = 2 ** 17 - 1;
const NO_QUALITY = 15;

export class ReportRows {
  readonly #bytes: Uint8Array;
  readonly #halves: Uint16Array;
  readonly #signed: Int32Array;
  readonly #unsigned: Uint32Array;

  constructor(buffer: ArrayBufferLike) {
    this.#bytes = new Uint8Array(buffer);
    this.#halves = new Uint16Array(buffer);
    this.#signed = new Int32Array(buffer);
    this.#unsigned = new Uint32Array(buffer);
  }

  /** Columns of rows that follow one another, with times counted from `baseMs`: a cycle reads all rows of all airframes. */
  columns(firstRow: number, count: number, baseMs: number): ReportColumns {
    const column = () => new Float64Array(count);
    const [timeMs, longitude, latitude, baro, gnss] = [column(), column(), column(), column(), column()];
    const [nic, nacp, name, flags] = [column(), column(), column(), new Uint8Array(count)];
    for (let k = 0; k < count; k++) {
      const row = firstRow + k;
      const chunk = row >>> 6;
      const word = chunk * (BYTES_PER_CHUNK / 4) + (row & 63);
      const half = chunk * (BYTES_PER_CHUNK / 2) + (row & 63);
      const byte = chunk * BYTES_PER_CHUNK + (row & 63);
      const marks = this.#bytes[byte + FLAGS] as number;
      const quality = this.#bytes[byte + QUALITY] as number;
      timeMs[k] = baseMs + (this.#unsigned[word + TIME] as number);
      longitude[k] = degreesOf(this.#signed[word + LONGITUDE] as number);
      latitude[k] = degreesOf(this.#signed[word + LATITUDE] as number);
      baro[k] = feetOf(this.#halves[half + BARO] as number);
      gnss[k] = feetOf((this.#halves[half + GNSS] as number) + ((marks & GNSS_HIGH) === 0 ? 0 : 2 ** 16));
      nic[k] = qualityOf(quality & 15);
      nacp[k] = qualityOf(quality >> 4);
      name[k] = this.#bytes[byte + NAME] as number;
      flags[k] = marks & REPORTED;
    }
    return {
      ...{ timeMs, longitude, latitude, nic, nacp, name, flags },
      altitudeBaroFt: baro,
      altitudeGnssFt: gnss,
    };
  }

  offsetMs(row: number): number {
    return this.#unsigned[at(row, 4, TIME)] as number;
  }

  longitude(row: number): number {
    return degreesOf(this.#signed[at(row, 4, LONGITUDE)] as number);
  }

  latitude(row: number): number {
    return degreesOf(this.#signed[at(row, 4, LATITUDE)] as number);
  }

  altitudeBaroFt(row: number): number {
    return feetOf(this.#halves[at(row, 2, BARO)] as number);
  }

  altitudeGnssFt(row: number): number {
    const isHigh = ((this.#bytes[at(row, 1, FLAGS)] as number) & GNSS_HIGH) !== 0;
    return feetOf((this.#halves[at(row, 2, GNSS)] as number) + (isHigh ? 2 ** 16 : 0));
  }

  isOnGround(row: number): boolean {
    return ((this.#bytes[at(row, 1, FLAGS)] as number) & ON_GROUND) !== 0;
  }

  name(row: number): number {
    return this.#bytes[at(row, 1, NAME)] as number;
  }

  source(row: number): number {
    return this.#bytes[at(row, 1, SOURCE)] as number;
  }

  setOffsetMs(row: number, offsetMs: number): void {
    this.#unsigned[at(row, 4, TIME)] = offsetMs;
  }

  setName(row: number, name: number): void {
    this.#bytes[at(row, 1, NAME)] = name;
  }

  set(row: number, report: KeptReport): void {
    const gnss = altitudeCode(report.altitudeGnssFt, MAX_GNSS);
    this.setOffsetMs(row, report.offsetMs);
    this.#signed[at(row, 4, LONGITUDE)] = unitsOf(report.longitude);
    this.#signed[at(row, 4, LATITUDE)] = unitsOf(report.latitude);
    this.#halves[at(row, 2, BARO)] = altitudeCode(report.altitudeBaroFt, MAX_BARO);
    this.#halves[at(row, 2, GNSS)] = gnss;
    this.#bytes[at(row, 1, FLAGS)] =
      (report.isOnGround ? ON_GROUND : 0) | (report.beginsLeg ? LEG : 0) | (gnss >= 2 ** 16 ? GNSS_HIGH : 0);
    this.#bytes[at(row, 1, QUALITY)] = qualityCode(report.nic) | (qualityCode(report.nacp) << 4);
    this.setName(row, report.name);
    this.#bytes[at(row, 1, SOURCE)] = report.source;
  }

  /** To a row of these or of other rows. */
  copyTo(other: ReportRows, row: number, to: number): void {
    for (const column of [TIME, LONGITUDE, LATITUDE])
      other.#unsigned[at(to, 4, column)] = this.#unsigned[at(row, 4, column)] as number;
    for (const column of [BARO, GNSS])
      other.#halves[at(to, 2, column)] = this.#halves[at(row, 2, column)] as number;
    for (const column of [FLAGS, QUALITY, NAME, SOURCE])
      other.#bytes[at(to, 1, column)] = this.#bytes[at(row, 1, column)] as number;
  }

  chunkBytes(chunk: number): Uint8Array {
    return this.#bytes.subarray(chunk * BYTES_PER_CHUNK, (chunk + 1) * BYTES_PER_CHUNK);
  }
}

/** Index in a view of the whole memory, of which an element has some bytes. */
function at(row: number, bytes: 1 | 2 | 4, column: number): number {
  return (row >>> 6) * (BYTES_PER_CHUNK / bytes) + column + (row & 63);
}

function degreesOf(units: number): number {
  return units === NO_POSITION ? Number.NaN : units / UNITS_PER_DEGREE;
}

function unitsOf(degrees: number): number {
  return Number.isNaN(degrees) ? NO_POSITION : Math.round(degrees * UNITS_PER_DEGREE);
}

function feetOf(code: number): number {
  return code === 0 ? Number.NaN : code + ALTITUDE_ZERO_FT;
}

function altitudeCode(feet: number, max: number): number {
  return Number.isNaN(feet) ? 0 : Math.min(Math.max(Math.round(feet) - ALTITUDE_ZERO_FT, 1), max);
}

function qualityOf(code: number): number {
  return code === NO_QUALITY ? Number.NaN : code;
}

function qualityCode(value: number): number {
  return Number.isNaN(value) ? NO_QUALITY : Math.min(Math.max(Math.trunc(value), 0), NO_QUALITY - 1);
}

/** Memory that airframes take in chunks and give back: they come and go without leaving holes between them. */
export class ReportMemory {
  readonly #slabs: ReportRows[] = [];
  readonly #free: number[] = [];
  #chunks = 0;

  /** A free chunk; its rows are uninitialised. */
  take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#chunks === this.#slabs.length * CHUNKS_PER_SLAB)
      this.#slabs.push(new ReportRows(new ArrayBuffer(CHUNKS_PER_SLAB * BYTES_PER_CHUNK)));
    return this.#chunks++;
  }

  give(chunk: number): void {
    this.#free.push(chunk);
  }

  /** The rows among which those of a chunk are, from `firstRow` of it on. */
  rowsOf(chunk: number): ReportRows {
    return this.#slabs[Math.floor(chunk / CHUNKS_PER_SLAB)] as ReportRows;
  }

  firstRow(chunk: number): number {
    return (chunk % CHUNKS_PER_SLAB) * ROWS_PER_CHUNK;
  }

  bytesOf(chunk: number): Uint8Array {
    return this.rowsOf(chunk).chunkBytes(chunk % CHUNKS_PER_SLAB);
  }
}

const CHUNKS_PER_SLAB = 1024;
