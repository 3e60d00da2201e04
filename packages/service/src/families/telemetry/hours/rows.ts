/** Reports of an hour in memory: a column for each name, in which texts are numbers and every value has a place by its row. */

import { TELEMETRY_COLUMNS, type TelemetryColumnName } from '@contrails/flights';
import {
  type DuckDb,
  type DuckDbChunk,
  type ParquetColumn,
  type ParquetType,
  type ParquetValues,
  TextCodes,
} from '@contrails/formats';
import { HOUR_MS } from '@contrails/runtime';
import { collectGarbage } from '@contrails/runtime/threads';
import { nextTurn } from '@contrails/runtime/turns';

/** Columns of the work copy beyond the 19. */
const WORK_COLUMNS = ['pos_source', 'pos_age_s', 'leg_flag', 'rx_count', 'quality', 'source'] as const;
type WorkColumnName = (typeof WORK_COLUMNS)[number];
export type ColumnName = TelemetryColumnName | WorkColumnName;

export const SERVED_COLUMNS: readonly ColumnName[] = TELEMETRY_COLUMNS;
export const BY_AIRCRAFT_COLUMNS: readonly ColumnName[] = [...TELEMETRY_COLUMNS, ...WORK_COLUMNS];

/** How a column is held. */
type Kind = 'time in the hour' | 'time' | 'double' | 'feet' | 'number' | 'text' | 'uuid' | 'source';

const KINDS: Readonly<Record<ColumnName, Kind>> = {
  timestamp: 'time in the hour',
  latitude: 'double',
  longitude: 'double',
  collection_type: 'text',
  altitude_baro: 'feet',
  altitude_gnss: 'feet',
  icao_address: 'text',
  flight_id: 'uuid',
  callsign: 'text',
  tail_number: 'text',
  flight_number: 'text',
  aircraft_type_icao: 'text',
  airline_iata: 'text',
  departure_airport_icao: 'text',
  departure_scheduled_time: 'time',
  arrival_airport_icao: 'text',
  arrival_scheduled_time: 'time',
  nic: 'number',
  nacp: 'number',
  pos_source: 'number',
  pos_age_s: 'double',
  leg_flag: 'number',
  rx_count: 'number',
  quality: 'number',
  source: 'source',
};

const RANGED: readonly ColumnName[] = [
  'timestamp',
  'latitude',
  'longitude',
  'icao_address',
  'airline_iata',
  'flight_id',
];

/** How files have a column. */
export function fileColumn(name: ColumnName): ParquetColumn {
  return { name, type: FILE_TYPES[name] ?? TYPE_OF_KIND[KINDS[name]], hasRange: RANGED.includes(name) };
}

const TYPE_OF_KIND: Readonly<Record<Kind, ParquetType>> = {
  'time in the hour': 'timestamp',
  time: 'timestamp',
  double: 'double',
  feet: 'int64 by difference',
  number: 'int64',
  text: 'string',
  uuid: 'string',
  source: 'string',
};
const FILE_TYPES: Readonly<Partial<Record<ColumnName, ParquetType>>> = {
  pos_source: 'uint8',
  leg_flag: 'uint8',
  rx_count: 'int32',
  quality: 'int32',
};

/** No altitude. */
const NO_FEET = -(2 ** 31);
/** Of a row in all columns, and in the lists that sort it. */
export const ROW_BYTES = 136;
/** A time outside of the hour. */
const OUTSIDE = HOUR_MS;

/** The type in SQL whose values are the names of the sources. */
export const SOURCE_TYPE = 'source_name';

/** Expressions of SQL for the columns as they are held. `quality` follows from the others. */
function heldSql(name: ColumnName, hourMs: number): string {
  const column = `"${name}"`;
  switch (KINDS[name]) {
    case 'time in the hour':
      return `CASE WHEN epoch_ms(${column}) BETWEEN ${hourMs} AND ${hourMs + HOUR_MS - 1}
        THEN epoch_ms(${column}) - ${hourMs} ELSE ${OUTSIDE} END::INTEGER`;
    case 'time':
      return `coalesce(epoch_ms(${column})::DOUBLE, 'nan'::DOUBLE)`;
    case 'double':
      return `coalesce(${column}, 'nan'::DOUBLE)`;
    case 'feet':
      return `coalesce(${column}, ${NO_FEET})::INTEGER`;
    case 'number':
      return name === 'quality' ? '0' : `coalesce(${column}, -1)::INTEGER`;
    case 'text':
      return column;
    case 'uuid':
      return `${column}::UUID`;
    case 'source':
      return `enum_code(${column}::${SOURCE_TYPE})::INTEGER`;
  }
}

/** The different texts of the reports need more memory than they may have. */
export class TooManyTextsError extends Error {}

/** Chunks of DuckDB are memory that the garbage collector does not see. */
const CHUNKS_PER_COLLECTION = 32;

export class HourRows {
  /** Rows that are there. */
  count = 0;
  readonly hourMs: number;
  /** Texts by the numbers in their column. */
  private readonly texts: ReadonlyMap<ColumnName, TextCodes>;
  private readonly columns: Readonly<Record<ColumnName, Int32Array | Float64Array>>;

  constructor(hourMs: number, sources: readonly string[], capacity: number) {
    this.hourMs = hourMs;
    this.texts = new Map(
      BY_AIRCRAFT_COLUMNS.flatMap((name) => {
        const kind = KINDS[name];
        if (kind === 'source') return [[name, TextCodes.of(sources)]];
        return kind === 'text' || kind === 'uuid' ? [[name, new TextCodes(kind)]] : [];
      }),
    );
    // Every name has a column.
    this.columns = Object.fromEntries(
      BY_AIRCRAFT_COLUMNS.map((name) => [
        name,
        isDouble(name) ? new Float64Array(capacity) : new Int32Array(capacity),
      ]),
    ) as typeof this.columns;
  }

  integers(name: ColumnName): Int32Array {
    const column = this.columns[name];
    if (column instanceof Int32Array) return column;
    throw new TypeError(`${name} is not a column of integers`);
  }

  doubles(name: ColumnName): Float64Array {
    const column = this.columns[name];
    if (column instanceof Float64Array) return column;
    throw new TypeError(`${name} is not a column of doubles`);
  }

  /** Adds what stands behind FROM. Texts that are new with it may have `maxTextBytes`. */
  async read(duckdb: DuckDb, from: string, maxTextBytes = Number.POSITIVE_INFINITY): Promise<void> {
    const selected = BY_AIRCRAFT_COLUMNS.map((name) => `${heldSql(name, this.hourMs)} AS "${name}"`);
    const before = this.textBytes();
    let chunks = 0;
    for await (const chunk of duckdb.chunks(`SELECT ${selected.join(', ')} FROM ${from}`)) {
      this.add(chunk);
      if (this.textBytes() - before > maxTextBytes) throw new TooManyTextsError();
      if (++chunks % CHUNKS_PER_COLLECTION === 0) collectGarbage('minor');
    }
  }

  private textBytes(): number {
    return this.texts.values().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  private add(chunk: DuckDbChunk): void {
    BY_AIRCRAFT_COLUMNS.forEach((name, k) => {
      const texts = this.texts.get(name);
      if (texts === undefined || KINDS[name] === 'source') chunk.copyTo(k, this.columns[name], this.count);
      else chunk.codesTo(k, texts, this.integers(name), this.count);
    });
    this.count += chunk.rowCount;
  }

  /** Adds some rows of others. */
  adopt(others: HourRows, rows: Uint32Array): void {
    for (const name of BY_AIRCRAFT_COLUMNS) {
      const [texts, theirs] = [this.texts.get(name), others.texts.get(name)];
      const translated = texts && theirs && texts.translate(theirs);
      const [own, given] = [this.columns[name], others.columns[name]];
      for (let k = 0; k < rows.length; k++) {
        const value = given[rows[k] as number] as number;
        own[this.count + k] = translated === undefined || value < 0 ? value : translated(value);
      }
    }
    this.count += rows.length;
  }

  /** How many rows from `first` are outside of the hour. */
  outside(first: number): number {
    const times = this.integers('timestamp');
    let outside = 0;
    for (let row = first; row < this.count; row++) if (times[row] === OUTSIDE) outside++;
    return outside;
  }

  /** A value as the table has it. */
  value(name: ColumnName, row: number): string | number | null {
    const value = this.columns[name][row] as number;
    switch (KINDS[name]) {
      case 'time in the hour':
        return this.hourMs + value;
      case 'feet':
        return value === NO_FEET ? null : value;
      case 'number':
        return value < 0 ? null : value;
      case 'source':
      case 'text':
      case 'uuid':
        return value < 0 ? null : (this.texts.get(name)?.text(value) ?? null);
      default:
        return Number.isNaN(value) ? null : value;
    }
  }

  /** Whether two rows have the same value. */
  isSame(name: ColumnName, row: number, other: number): boolean {
    return Object.is(this.columns[name][row], this.columns[name][other]);
  }

  /** Numbers of the different addresses, by the codes in the column. */
  addressNumbers(): Int32Array {
    const texts = this.texts.get('icao_address');
    return Int32Array.from({ length: texts?.size ?? 0 }, (_, code) =>
      Number.parseInt(texts?.text(code) ?? '', 16),
    );
  }

  /** A column of times in the hour, altitudes or numbers, NaN where they are unknown. */
  numbers(name: ColumnName, rows: Uint32Array): Float64Array {
    const numbers = new Float64Array(rows.length);
    this.numbersTo(name, rows, numbers);
    return numbers;
  }

  private numbersTo(name: ColumnName, rows: Uint32Array, numbers: Float64Array): void {
    const column = this.integers(name);
    const kind = KINDS[name];
    const unknown = kind === 'feet' ? NO_FEET : -1;
    const origin = kind === 'time in the hour' ? this.hourMs : 0;
    for (let i = 0; i < rows.length; i++) {
      const value = column[rows[i] as number] as number;
      numbers[i] = value === unknown ? Number.NaN : origin + value;
    }
  }

  /** Columns of these rows as files have them, each in the memory of the one before. */
  *values(names: readonly ColumnName[], rows: Uint32Array): Generator<ParquetValues> {
    const numbers = new Float64Array(rows.length);
    const codes = new Int32Array(rows.length);
    for (const name of names) {
      const kind = KINDS[name];
      if (isDouble(name)) {
        gatherDoubles(this.doubles(name), rows, numbers);
        yield numbers;
        continue;
      }
      if (kind === 'feet' || kind === 'time in the hour') {
        this.numbersTo(name, rows, numbers);
        yield numbers;
      } else {
        gatherIntegers(this.integers(name), rows, codes);
        yield { codes, texts: this.texts.get(name) };
      }
    }
  }
}

function isDouble(name: ColumnName): boolean {
  return KINDS[name] === 'double' || KINDS[name] === 'time';
}

function gatherDoubles(column: Float64Array, rows: Uint32Array, target: Float64Array): void {
  for (let i = 0; i < rows.length; i++) target[i] = column[rows[i] as number] as number;
}

function gatherIntegers(column: Int32Array, rows: Uint32Array, target: Int32Array): void {
  for (let i = 0; i < rows.length; i++) target[i] = column[rows[i] as number] as number;
}

const TIME_BITS = 22;
const ADDRESS_BITS = 24;

/** The rows from `first`, in the order in which they came. */
export function rowsFrom({ count }: HourRows, first: number): Uint32Array {
  const order = new Uint32Array(count - first);
  for (let k = 0; k < order.length; k++) order[k] = first + k;
  return order;
}

/** Puts rows into the order of address and time. */
export async function sortByAircraft(rows: HourRows, order: Uint32Array): Promise<void> {
  await sortByTime(rows, order);
  await sortBy(addressKeys(rows), ADDRESS_BITS, order);
}

/** Puts rows into the order of time; those of the same time stay in their order. */
export async function sortByTime(rows: HourRows, order: Uint32Array): Promise<void> {
  await sortBy(rows.integers('timestamp'), TIME_BITS, order);
}

function addressKeys(rows: HourRows): Int32Array {
  const numbers = rows.addressNumbers();
  const codes = rows.integers('icao_address');
  const keys = new Int32Array(rows.count);
  for (let row = 0; row < keys.length; row++) keys[row] = numbers[codes[row] as number] as number;
  return keys;
}

/** A stable sort by keys from 0, half of their bits at a time. The event loop runs in between. */
async function sortBy(keys: Int32Array, bits: number, order: Uint32Array): Promise<void> {
  const spare = new Uint32Array(order.length);
  sortByDigit(keys, 0, bits / 2, order, spare);
  await nextTurn();
  sortByDigit(keys, bits / 2, bits / 2, spare, order);
  await nextTurn();
}

function sortByDigit(
  keys: Int32Array,
  shift: number,
  bits: number,
  from: Uint32Array,
  to: Uint32Array,
): void {
  const mask = 2 ** bits - 1;
  const next = new Uint32Array(mask + 2);
  for (let i = 0; i < from.length; i++) {
    const digit = ((keys[from[i] as number] as number) >>> shift) & mask;
    (next[digit + 1] as number)++;
  }
  for (let digit = 1; digit <= mask; digit++) (next[digit] as number) += next[digit - 1] as number;
  for (let i = 0; i < from.length; i++) {
    const row = from[i] as number;
    const digit = ((keys[row] as number) >>> shift) & mask;
    to[(next[digit] as number)++] = row;
  }
}
