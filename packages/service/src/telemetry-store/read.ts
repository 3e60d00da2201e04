/** Published reports in the order of aircraft and time, for what builds flights from them. */

import {
  type AirframeReports,
  POSITION_SOURCES,
  TELEMETRY_COLUMNS,
  type TelemetryColumns,
  type WorkColumns,
} from '@contrails/flights';
import { type DuckDb, type DuckDbChunk, sqlPath, sqlText } from '@contrails/formats';
import { localCopies, localCopy, withWorkspace } from '@contrails/platform/workspace';
import { HOUR_MS, hourOf, isoHour } from '@contrails/runtime';
import { readManifest } from './manifest.ts';
import type { TelemetryServices } from './services.ts';

/** All reports of one aircraft in the time that was asked for. */
export interface AircraftRows {
  readonly address: string;
  readonly columns: TelemetryColumns;
  readonly work: Omit<WorkColumns, 'onGround'>;
  /** Bits of `QUALITY_MARKS`. */
  readonly quality: Uint8Array;
  readonly source: readonly string[];
  /** Times of its reports from the ground [ms since 1970], in their order. */
  readonly groundMs: Float64Array;
}

export interface ReadQuery {
  /** Hours from the one with `fromMs` to before `toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Only these aircraft. */
  readonly addresses?: readonly string[];
  /** Only the aircraft of one of `count` shares with about as many reports, by their addresses. */
  readonly shard?: { readonly index: number; readonly count: number };
  readonly memoryMiB?: number;
}

/** Addresses from one to before another; undefined means no limit. */
export interface AddressRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Which generation of each hour was read; an hour that is not published is not there. */
export type Generations = Readonly<Record<string, number>>;

const DEFAULT_MEMORY_MIB = 400;
const NUMBERS = TELEMETRY_COLUMNS.filter((name) =>
  /time|latitude|longitude|altitude|^nic$|^nacp$/.test(name),
);
const WORK_NUMBERS = ['pos_source', 'pos_age_s', 'leg_flag', 'quality'];
/**
 * Texts are read only where their hash is another one than that of the row before: to decode each of them would take longer
 * than everything else.
 */
const TEXTS = TELEMETRY_COLUMNS.filter((name) => !NUMBERS.includes(name));
const NAMES = [...TEXTS, 'source'];
const ADDRESS = NAMES.indexOf('icao_address');

/**
 * Calls `use` for one aircraft after the other, in the order of their addresses. Only one aircraft is in memory; the files
 * of the hours are merged by a sort that spills to disk. Returns what was read.
 */
export async function readAircraftRows(
  { store }: Pick<TelemetryServices, 'store'>,
  { fromMs, toMs, addresses, shard, memoryMiB = DEFAULT_MEMORY_MIB }: ReadQuery,
  use: (rows: AircraftRows, range: AddressRange) => Promise<void> | void,
): Promise<Generations> {
  const { generations, keys } = await publishedFiles(store, fromMs, toMs);
  if (keys.rows.length + keys.ground.length === 0) return generations;
  await withWorkspace({ memoryMiB }, async ({ duckdb, directory }) => {
    const rows = await localCopies(store, keys.rows, directory);
    const ground = await localCopies(store, keys.ground, directory);
    const files = `read_parquet([${[...rows, ...ground].map(sqlPath).join(', ')}], union_by_name = true, hive_partitioning = false)`;
    const range = await rangeOfShard(duckdb, files, shard);
    const conditions = [
      ...(addresses === undefined
        ? []
        : [`icao_address IN (${addresses.map(sqlText).join(', ') || 'NULL'})`]),
      ...inRange(range),
    ];
    const only = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const known = (name: string) => (rows.length > 0 || GROUND_COLUMNS.includes(name) ? `"${name}"` : 'NULL');
    // Integers, times and nulls are slow to read from DuckDB.
    const numbers = [...NUMBERS, ...WORK_NUMBERS].map((name) => {
      const number =
        name.endsWith('time') || name === 'timestamp'
          ? `epoch_us(${known(name)}::TIMESTAMP) / 1000.0`
          : known(name);
      return `coalesce((${number})::DOUBLE, 'nan') AS "${name}"`;
    });
    const collector = new Collector((one) => use(one, range));
    for await (const chunk of duckdb.chunks(
      `SELECT *, (hash(${NAMES.map((name) => `"${name}"`).join(', ')}) >> ${HASH_BITS - EXACT_BITS})::DOUBLE AS names_hash FROM (
         SELECT ${numbers.join(', ')}, (file_index >= ${rows.length})::DOUBLE AS is_ground,
           ${NAMES.map((name) => `${known(name)}::VARCHAR AS "${name}"`).join(', ')}
         FROM ${files} ${only})
       ORDER BY icao_address, "timestamp", is_ground`,
    )) {
      await collector.add(chunk);
    }
    await collector.finish();
  });
  return generations;
}

/** Files of the published hours between two times. */
async function publishedFiles(store: TelemetryServices['store'], fromMs: number, toMs: number) {
  const generations: Record<string, number> = {};
  const keys: { rows: string[]; ground: string[] } = { rows: [], ground: [] };
  for (let hourMs = hourOf(fromMs); hourMs < toMs; hourMs += HOUR_MS) {
    const manifest = (await readManifest(store, hourMs))?.manifest;
    if (manifest === undefined || manifest.state === 'removed') continue;
    generations[isoHour(hourMs)] = manifest.generation;
    if (manifest.by_aircraft.rows > 0) keys.rows.push(manifest.by_aircraft.key);
    if (manifest.ground.rows > 0) keys.ground.push(manifest.ground.key);
  }
  return { generations, keys };
}

/** Addresses of aircraft that have a callsign, a registration or the address itself between two times. */
export async function findAddresses(
  { store }: Pick<TelemetryServices, 'store'>,
  { fromMs, toMs, memoryMiB = DEFAULT_MEMORY_MIB }: Pick<ReadQuery, 'fromMs' | 'toMs' | 'memoryMiB'>,
  name: string,
): Promise<string[]> {
  const { keys } = await publishedFiles(store, fromMs, toMs);
  if (keys.rows.length === 0) return [];
  return withWorkspace({ memoryMiB }, async ({ duckdb, directory }) => {
    const files = (await localCopies(store, keys.rows, directory)).map(sqlPath).join(', ');
    const rows = await duckdb.rows(
      `SELECT DISTINCT icao_address FROM read_parquet([${files}], union_by_name = true, hive_partitioning = false)
       WHERE ${['callsign', 'tail_number', 'icao_address'].map((column) => `upper(${column}::VARCHAR) = ${sqlText(name)}`).join(' OR ')}
       ORDER BY icao_address`,
    );
    return rows.map(({ icao_address: address }) => String(address));
  });
}

/**
 * Hours are sorted by address, so a range of addresses is a small part of every file, while shares by anything else would
 * each read all of it.
 */
async function rangeOfShard(
  duckdb: DuckDb,
  files: string,
  { index, count }: NonNullable<ReadQuery['shard']> = { index: 0, count: 1 },
): Promise<AddressRange> {
  if (count === 1) return { from: undefined, to: undefined };
  const addresses: string[] = [];
  const ends: number[] = [];
  let total = 0;
  const chunks = duckdb.chunks(
    `SELECT icao_address, count(*)::DOUBLE FROM ${files} GROUP BY icao_address ORDER BY icao_address`,
  );
  for await (const chunk of chunks) {
    const reports = chunk.numbers(1);
    for (const [row, address] of chunk.texts(0).entries()) {
      total += reports[row] as number;
      addresses.push(address ?? '');
      ends.push(total);
    }
  }
  const firstOf = (share: number) => addresses[ends.findIndex((end) => end > (share * total) / count)];
  return {
    from: index === 0 ? undefined : firstOf(index),
    to: index === count - 1 ? undefined : firstOf(index + 1),
  };
}

/** Conditions of SQL for the addresses of a range. */
export function inRange({ from, to }: AddressRange): string[] {
  return [
    ...(from === undefined ? [] : [`icao_address >= ${sqlText(from)}`]),
    ...(to === undefined ? [] : [`icao_address < ${sqlText(to)}`]),
  ];
}

/** Under which numbers and callsigns aircraft flew. */
export interface Designator {
  readonly airlineIata: string | null;
  readonly flightNumber: string | null;
  readonly callsign: string | null;
  readonly address: string;
}

/** The airlines, flight numbers and callsigns that aircraft reported in an hour, each once. */
export async function listDesignators(
  { store }: Pick<TelemetryServices, 'store'>,
  hourMs: number,
  memoryMiB = DEFAULT_MEMORY_MIB,
): Promise<Designator[]> {
  const manifest = (await readManifest(store, hourMs))?.manifest;
  if (manifest === undefined || manifest.state === 'removed' || manifest.by_aircraft.rows === 0) return [];
  return withWorkspace({ memoryMiB }, async ({ duckdb, directory }) => {
    const path = await localCopy(store, manifest.by_aircraft.key, directory);
    const rows = await duckdb.rows(
      `SELECT DISTINCT airline_iata, flight_number, callsign, icao_address
       FROM read_parquet(${sqlPath(path)}, hive_partitioning = false)
       WHERE callsign IS NOT NULL OR (airline_iata IS NOT NULL AND flight_number IS NOT NULL)`,
    );
    const textOf = (value: unknown) => (value === null ? null : String(value));
    return rows.map(({ airline_iata, flight_number, callsign, icao_address }) => ({
      airlineIata: textOf(airline_iata),
      flightNumber: textOf(flight_number),
      callsign: textOf(callsign),
      address: String(icao_address),
    }));
  });
}

/** The reports of an aircraft with those from the ground among them, as flights are built from. */
export function airframeReports({ address, columns, work, groundMs }: AircraftRows): AirframeReports {
  const airborne = columns.timestamp.length;
  const count = airborne + groundMs.length;
  const extended = TELEMETRY_COLUMNS.map((name) => {
    const column = columns[name];
    if (!(column instanceof Float64Array)) {
      const filler = name === 'icao_address' ? address : name === 'collection_type' ? 'terrestrial' : null;
      return [name, [...column, ...new Array<string | null>(groundMs.length).fill(filler)]];
    }
    const longer = new Float64Array(count).fill(Number.NaN);
    longer.set(column);
    if (name === 'timestamp') longer.set(groundMs, airborne);
    return [name, longer];
  });
  const onGround = new Uint8Array(count);
  onGround.fill(1, airborne);
  const legFlag = new Uint8Array(count);
  legFlag.set(work.legFlag);
  // The same names with columns of the same kinds.
  return { ...(Object.fromEntries(extended) as TelemetryColumns), onGround, legFlag };
}

/** Files of reports from the ground have these alone. */
const GROUND_COLUMNS = ['icao_address', 'timestamp'];

const WORK_AT = NUMBERS.length;
const GROUND_AT = WORK_AT + WORK_NUMBERS.length;
const NAMES_AT = GROUND_AT + 1;
const HASH_AT = NAMES_AT + NAMES.length;
/** Of a hash, and of it what a number holds. */
const HASH_BITS = 64;
const EXACT_BITS = 53;

/** Rows of a chunk that have the same texts. */
interface Run {
  readonly numbers: readonly Float64Array[];
  readonly from: number;
  readonly to: number;
  readonly names: readonly (string | null)[];
}

/** Cuts the stream of sorted rows at every new address. */
class Collector {
  private readonly use: (rows: AircraftRows) => Promise<void> | void;
  private address = '';
  private hash = Number.NaN;
  /** What `hash` stands for. */
  private names: (string | null)[] = [];
  private runs: Run[] = [];
  private ground: number[] = [];

  constructor(use: (rows: AircraftRows) => Promise<void> | void) {
    this.use = use;
  }

  async add(chunk: DuckDbChunk): Promise<void> {
    const numbers = Array.from({ length: GROUND_AT }, (_, k) => chunk.numbers(k));
    const isGround = chunk.numbers(GROUND_AT);
    const hashes = chunk.numbers(HASH_AT);
    const times = numbers[0] as Float64Array;
    for (let row = 0; row < chunk.rowCount; ) {
      if (hashes[row] !== this.hash) {
        this.hash = hashes[row] as number;
        this.names = NAMES.map((_, k) => chunk.textAt(NAMES_AT + k, row));
        const address = this.names[ADDRESS] ?? '';
        if (address !== this.address) {
          await this.finish();
          this.address = address;
          this.runs = [];
          this.ground = [];
        }
      }
      if (isGround[row] === 1) {
        this.ground.push(times[row] as number);
        row++;
        continue;
      }
      let to = row + 1;
      while (to < chunk.rowCount && hashes[to] === this.hash && isGround[to] !== 1) to++;
      this.runs.push({ numbers, from: row, to, names: this.names });
      row = to;
    }
  }

  async finish(): Promise<void> {
    if (this.address === '') return;
    const count = this.runs.reduce((sum, { from, to }) => sum + to - from, 0);
    const numbers = Array.from({ length: GROUND_AT }, (_, k) => this.joinNumbers(k, count));
    const columns = [
      ...NUMBERS.map((name, k) => [name, numbers[k]]),
      ...TEXTS.map((name, k) => [name, this.joinTexts(k, count)]),
    ];
    const [positionSource = [], positionAgeS = [], legFlag = [], quality = []] = numbers.slice(WORK_AT);
    await this.use({
      address: this.address,
      // Every name has a column of its kind.
      columns: Object.fromEntries(columns) as TelemetryColumns,
      work: {
        positionSource: Uint8Array.from(positionSource, (k) => Math.min(k, POSITION_SOURCES.length - 1)),
        positionAgeS: Float64Array.from(positionAgeS),
        legFlag: Uint8Array.from(legFlag),
      },
      quality: Uint8Array.from(quality),
      source: this.joinTexts(TEXTS.length, count).map((name) => name ?? ''),
      groundMs: Float64Array.from(this.ground),
    });
  }

  private joinNumbers(k: number, count: number): Float64Array {
    const column = new Float64Array(count);
    let at = 0;
    for (const { numbers, from, to } of this.runs) {
      const values = numbers[k] as Float64Array;
      for (let row = from; row < to; row++) column[at++] = values[row] as number;
    }
    return column;
  }

  private joinTexts(k: number, count: number): (string | null)[] {
    const column = new Array<string | null>(count);
    let at = 0;
    for (const { names, from, to } of this.runs) {
      column.fill(names[k] ?? null, at, at + to - from);
      at += to - from;
    }
    return column;
  }
}
