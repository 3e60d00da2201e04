/**
 * Builds the files of one hour from its batches: sorts, removes duplicates, thins and marks quality. The result depends on the
 * set of reports alone, not on their order, their batches or how often they were sent. DuckDB reads the reports; they are
 * sorted and written as columns in memory. An hour that does not fit is divided: by aircraft for the work copy, and that by
 * time for the served file.
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { describeTable, storedColumnsSql, TELEMETRY_COLUMNS } from '@contrails/flights';
import {
  type DuckDb,
  IGNORE_STATISTICS,
  ParquetWriter,
  sqlPath,
  sqlText,
  USE_STATISTICS,
} from '@contrails/formats';
import type { Workspace } from '@contrails/platform/workspace';
import { isoHour } from '@contrails/runtime';
import { ContrailsError } from '@contrails/runtime/errors';
import { nextTurn } from '@contrails/runtime/turns';
import type { Counts } from '../../../telemetry-store/refusals.ts';
import {
  BY_AIRCRAFT_COLUMNS,
  type ColumnName,
  fileColumn,
  HourRows,
  ROW_BYTES,
  rowsFrom,
  SERVED_COLUMNS,
  SOURCE_TYPE,
  sortByAircraft,
  sortByTime,
  TooManyTextsError,
} from './rows.ts';
import { type LossCode, settleRows } from './settle.ts';

const SCHEMA_VERSION = '1';
const ROW_GROUP_ROWS = 122_880;
/** Of the memory for reports, what the different texts among them may have. */
const TEXT_SHARE = 1 / 6;

export interface HourInput {
  readonly hourMs: number;
  /** Paths of the rows and ground reports of every batch. */
  readonly rows: readonly string[];
  readonly ground: readonly string[];
  /** Tables that were stored as they came, with the names of their sources. */
  readonly tables: readonly { readonly path: string; readonly source: string }[];
  /** Paths of a published generation whose batches are no longer stored. */
  readonly base: { readonly byAircraft: string; readonly ground: string } | undefined;
  readonly thinS: number;
  readonly compression: 'zstd' | 'snappy';
  /** Memory for the reports that are sorted at once. */
  readonly memoryBytes: number;
}

/** Rows and what became of the other reports. */
export interface HourSummary {
  readonly rows: number;
  readonly aircraft: number;
  readonly groundRows: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Rows of each source. */
  readonly sources: Readonly<Record<string, number>>;
  /** Of each source, reports by code. */
  readonly refused: Readonly<Record<string, Counts>>;
}

/** Files that depend on the reports alone. */
export interface BuiltHour {
  readonly summary: HourSummary;
  readonly byAircraft: string;
  readonly ground: string;
  /** Reports that lost against another one with the same key, as lines of JSON; undefined without any. */
  readonly conflicts: { readonly path: string; readonly records: number } | undefined;
  readonly sources: readonly string[];
  /** The rows of the work copy, where all of them fit in memory. */
  readonly held: OrderedRows | undefined;
}

interface OrderedRows {
  readonly rows: HourRows;
  readonly order: Uint32Array;
}

/** Metadata of a generation in the footer of its served file. */
export interface GenerationLabel {
  readonly generation: number;
  readonly sealedMs: number;
}

export async function buildHour({ duckdb, directory }: Workspace, input: HourInput): Promise<BuiltHour> {
  await duckdb.run('SET preserve_insertion_order = false');
  // Tables are stored as they were received.
  await duckdb.run(IGNORE_STATISTICS);
  await duckdb.run(`CREATE VIEW reports AS ${await reportsSql(duckdb, input)}`);
  const counted = await duckdb.rows(
    'SELECT source, count(*) AS n FROM reports GROUP BY source ORDER BY source',
  );
  const sources = counted.map(({ source }) => String(source));
  const rowCount = counted.reduce((sum, { n }) => sum + Number(n), 0);
  await duckdb.run(
    `CREATE TYPE ${SOURCE_TYPE} AS ENUM (${(sources.length === 0 ? [''] : sources).map(sqlText).join(', ')})`,
  );
  const byAircraft = join(directory, 'by-aircraft.parquet');
  const conflictsPath = join(directory, 'conflicts.ndjson.gz');
  const { tally, held } = await writeByAircraft(
    duckdb,
    input,
    { sources, rowCount },
    { byAircraft, conflictsPath },
  );
  const ground = join(directory, 'ground.parquet');
  const [written] = await duckdb.rows(
    `COPY (${groundSql(input)} ORDER BY icao_address, "timestamp") TO ${sqlText(ground)} (${groundOptions(input)})`,
  );
  await duckdb.run(USE_STATISTICS);
  return {
    summary: { ...tally.summary(), groundRows: Number(written?.Count) },
    byAircraft,
    ground,
    conflicts: tally.conflicts === 0 ? undefined : { path: conflictsPath, records: tally.conflicts },
    sources,
    held,
  };
}

/** Writes the served file of a built hour; returns its path and the SHA-256 of its rows. */
export async function writeServed(
  { duckdb, directory }: Workspace,
  input: HourInput,
  { byAircraft, summary, sources, held }: Omit<BuiltHour, 'ground' | 'conflicts'>,
  { generation, sealedMs }: GenerationLabel,
): Promise<{ path: string; contentSha256: string }> {
  const path = join(directory, 'served.parquet');
  let contentSha256 = '';
  const footer = (sha256: string) => {
    contentSha256 = sha256;
    return {
      schema_version: SCHEMA_VERSION,
      hour: isoHour(input.hourMs),
      generation: String(generation),
      sealed_at: new Date(sealedMs).toISOString(),
      row_count: String(summary.rows),
      aircraft_count: String(summary.aircraft),
      sources: JSON.stringify(summary.sources),
      first: isoMs(summary.firstMs) ?? '',
      last: isoMs(summary.lastMs) ?? '',
      thin_s: String(input.thinS),
      content_sha256: sha256,
    };
  };
  const file = { path, names: SERVED_COLUMNS, footer, isHashed: true };
  if (held !== undefined) {
    const order = held.order.slice();
    await sortByTime(held.rows, order);
    await writeFile(input, file, async (write) => write({ rows: held.rows, order }, true));
    return { path, contentSha256 };
  }
  const from = parquet([byAircraft]);
  const parts = await partsByTime(duckdb, from, maxRowsOf(input));
  await writeParts(input, sources, file, parts, async (rows, { where }, first) => {
    await rows.read(duckdb, `${from} WHERE ${where}`);
    const order = rowsFrom(rows, first);
    await sortByAircraft(rows, order);
    await sortByTime(rows, order);
    return order;
  });
  return { path, contentSha256 };
}

export function isoMs(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}

async function reportsSql(duckdb: DuckDb, { rows, tables, base }: HourInput): Promise<string> {
  const columns = TELEMETRY_COLUMNS.map((name) => `"${name}"`).join(', ');
  const parts = [
    ...(rows.length === 0
      ? []
      : [`SELECT ${columns}, pos_source, pos_age_s, leg_flag, 1 AS rx_count, source FROM ${parquet(rows)}`]),
    ...(await Promise.all(
      tables.map(async ({ path, source }) => {
        const stored = storedColumnsSql(await describeTable(duckdb, parquet([path])));
        return `SELECT ${stored}, 0::UTINYINT AS pos_source, 0::DOUBLE AS pos_age_s, 0::UTINYINT AS leg_flag, 1 AS rx_count,
          ${sqlText(source)} AS source FROM ${parquet([path])}`;
      }),
    )),
    ...(base === undefined
      ? []
      : [
          `SELECT ${columns}, pos_source, pos_age_s, leg_flag, rx_count, source FROM ${parquet([base.byAircraft])}`,
        ]),
  ];
  return parts.length === 0 ? NO_REPORTS : parts.join(' UNION ALL ');
}

const NO_REPORTS = `SELECT ${storedColumnsSql(new Map())}, 0::UTINYINT AS pos_source, 0::DOUBLE AS pos_age_s,
  0::UTINYINT AS leg_flag, 1 AS rx_count, '' AS source WHERE false`;

function groundSql({ ground, base }: HourInput): string {
  const paths = [...ground, ...(base === undefined ? [] : [base.ground])];
  if (paths.length === 0)
    return 'SELECT NULL::VARCHAR AS icao_address, NULL::TIMESTAMP AS "timestamp" WHERE false';
  return `SELECT DISTINCT icao_address, "timestamp" FROM ${parquet(paths)}`;
}

function groundOptions({ compression, hourMs }: HourInput): string {
  const level = compression === 'zstd' ? ', COMPRESSION_LEVEL 3' : '';
  return `FORMAT parquet, PARQUET_VERSION v2, COMPRESSION ${compression}${level}, ROW_GROUP_SIZE ${ROW_GROUP_ROWS},
    KV_METADATA {schema_version: ${sqlText(SCHEMA_VERSION)}, hour: ${sqlText(isoHour(hourMs))}}`;
}

function parquet(paths: readonly string[]): string {
  return `read_parquet([${paths.map(sqlPath).join(', ')}], hive_partitioning = false)`;
}

/** Reports that are sorted at once. */
interface Part {
  /** A condition of SQL. */
  readonly where: string;
  readonly rowCount: number;
  readonly isDivisible: boolean;
}

function maxRowsOf({ memoryBytes }: HourInput): number {
  return Math.max(1, Math.floor(memoryBytes / ROW_BYTES));
}

/** Each part has the reports of some aircraft, in the order of addresses. */
async function partsByAircraft(duckdb: DuckDb, rowCount: number, maxRows: number): Promise<Part[]> {
  if (rowCount <= maxRows) return [{ where: 'true', rowCount, isDivisible: true }];
  return divide(
    duckdb,
    'SELECT icao_address, count(*) FROM reports GROUP BY icao_address ORDER BY icao_address',
    maxRows,
    (first, last) => `icao_address BETWEEN ${sqlText(first)} AND ${sqlText(last)}`,
  );
}

/** Each part has the rows of some seconds. */
function partsByTime(duckdb: DuckDb, from: string, maxRows: number): Promise<Part[]> {
  return divide(
    duckdb,
    `SELECT epoch_ms(date_trunc('second', "timestamp"))::VARCHAR AS second, count(*) FROM ${from} GROUP BY second ORDER BY min("timestamp")`,
    maxRows,
    (first, last) =>
      `"timestamp" >= make_timestamp(${first}000) AND "timestamp" < make_timestamp(${Number(last) + 1000}000)`,
  );
}

/** Joins groups of rows, which SQL gives as names and numbers, as far as they have `maxRows` together. */
async function divide(
  duckdb: DuckDb,
  sql: string,
  maxRows: number,
  whereOf: (first: string, last: string) => string,
): Promise<Part[]> {
  const parts: Part[] = [];
  let names: [first: string, last: string] | undefined;
  let rowCount = 0;
  const close = () => {
    if (names !== undefined) {
      parts.push({ where: whereOf(...names), rowCount, isDivisible: names[0] !== names[1] });
    }
    [names, rowCount] = [undefined, 0];
  };
  for await (const chunk of duckdb.chunks(sql)) {
    const counts = chunk.numbers(1);
    for (const [k, name] of chunk.texts(0).entries()) {
      const count = counts[k] ?? 0;
      if (rowCount + count > maxRows) close();
      names = [names?.[0] ?? name ?? '', name ?? ''];
      rowCount += count;
    }
  }
  close();
  return parts;
}

interface HourFile {
  readonly path: string;
  readonly names: readonly ColumnName[];
  /** Whether `footer` is given the SHA-256 of the pages before compression, which identifies the rows. */
  readonly isHashed?: boolean;
  readonly footer: (contentSha256: string) => Readonly<Record<string, string>>;
}

/** Reads the reports of a part behind those that are there already; returns the rows to write, in their order. */
type LoadPart = (rows: HourRows, part: Part, first: number) => Promise<Uint32Array>;

/** Writes one part after the other; returns the rows where there is only one part. */
async function writeParts(
  input: HourInput,
  sources: readonly string[],
  file: HourFile,
  parts: readonly Part[],
  load: LoadPart,
): Promise<OrderedRows | undefined> {
  let held: OrderedRows | undefined;
  await writeFile(input, file, async (write) => {
    /** What is not a whole row group goes into one with rows of the next part. */
    let rest: HourRows | undefined;
    for (const [k, part] of parts.entries()) {
      const first: number = rest?.count ?? 0;
      const rows: HourRows = new HourRows(input.hourMs, sources, first + part.rowCount);
      if (rest !== undefined) rows.adopt(rest, rowsFrom(rest, 0));
      const loaded = await load(rows, part, first);
      const order = new Uint32Array(first + loaded.length);
      if (rest !== undefined) order.set(rowsFrom(rest, 0));
      order.set(loaded, first);
      const isLast = k === parts.length - 1;
      const written: number = await write({ rows, order }, isLast);
      if (parts.length === 1) held = { rows, order };
      else {
        rest = new HourRows(input.hourMs, sources, order.length - written);
        rest.adopt(rows, order.subarray(written));
      }
    }
  });
  return held;
}

/** Whole row groups, unless the rows are the last ones; returns how many rows were written. */
type WriteRows = (ordered: OrderedRows, isLast: boolean) => Promise<number>;

async function writeFile(
  { compression }: HourInput,
  { path, names, footer, isHashed = false }: HourFile,
  work: (write: WriteRows) => Promise<unknown>,
): Promise<void> {
  const writer = await ParquetWriter.create(path, names.map(fileColumn), {
    compression,
    isHashed,
    hasIndex: true,
  });
  try {
    await work(async ({ rows, order }, isLast) => {
      const end = isLast ? order.length : order.length - (order.length % ROW_GROUP_ROWS);
      for (let from = 0; from < end; from += ROW_GROUP_ROWS) {
        const group = order.subarray(from, Math.min(from + ROW_GROUP_ROWS, end));
        await writer.writeRowGroup(group.length, rows.values(names, group));
      }
      return end;
    });
    await writer.finish(footer);
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

async function writeByAircraft(
  duckdb: DuckDb,
  input: HourInput,
  { sources, rowCount }: { readonly sources: readonly string[]; readonly rowCount: number },
  { byAircraft, conflictsPath }: { readonly byAircraft: string; readonly conflictsPath: string },
): Promise<{ tally: Tally; held: OrderedRows | undefined }> {
  const { hourMs, thinS, memoryBytes } = input;
  const footer = () => ({
    schema_version: SCHEMA_VERSION,
    hour: isoHour(hourMs),
    thin_s: String(thinS),
  });
  const file = { path: byAircraft, names: BY_AIRCRAFT_COLUMNS, footer };
  for (let maxRows = maxRowsOf(input); ; maxRows = Math.ceil(maxRows / 2)) {
    const tally = new Tally(sources, conflictsPath);
    try {
      const parts = await partsByAircraft(duckdb, rowCount, maxRows);
      const held = await writeParts(
        input,
        sources,
        file,
        parts,
        async (rows, { where, isDivisible }, first) => {
          const maxTextBytes = isDivisible ? TEXT_SHARE * memoryBytes : Number.POSITIVE_INFINITY;
          await rows.read(duckdb, `reports WHERE ${where}`, maxTextBytes);
          checkInside(rows, first);
          const order = await settleRows(rows, first, {
            thinS,
            lost: (row, code) => tally.lost(rows, row, code),
            pause: () => tally.flush(),
          });
          tally.count(rows, first, order);
          return order;
        },
      );
      return { tally, held };
    } catch (error) {
      // Fewer aircraft have fewer texts.
      if (!(error instanceof TooManyTextsError)) throw error;
    } finally {
      await tally.finish();
    }
  }
}

function checkInside(rows: HourRows, first: number): void {
  const outside = rows.outside(first);
  if (outside === 0) return;
  throw new ContrailsError(
    `${outside} stored reports are outside the hour ${isoHour(rows.hourMs)}; this is a bug; please report it`,
  );
}

/** Counts rows and refusals: every report is one or the other. Keeps the text of those that conflict with a row. */
class Tally {
  /** Reports that conflict with a row. */
  conflicts = 0;
  private readonly sources: readonly string[];
  private readonly path: string;
  private readonly reported: Float64Array;
  private readonly kept: Float64Array;
  private readonly refused: readonly Counts[];
  private rows = 0;
  private aircraft = 0;
  private first = Number.POSITIVE_INFINITY;
  private last = Number.NEGATIVE_INFINITY;
  private lines: string[] = [];
  private output: { readonly gzip: Gzip; readonly written: Promise<void> } | undefined;

  constructor(sources: readonly string[], path: string) {
    this.sources = sources;
    this.path = path;
    this.reported = new Float64Array(sources.length);
    this.kept = new Float64Array(sources.length);
    this.refused = sources.map(() => ({}));
  }

  lost(rows: HourRows, row: number, code: LossCode): void {
    const counts = this.refused[rows.integers('source')[row] as number];
    if (counts !== undefined) counts[code] = (counts[code] ?? 0) + 1;
    if (code !== 'conflicting_duplicate') return;
    const raw = Object.fromEntries(
      TELEMETRY_COLUMNS.map((name) => {
        const value = rows.value(name, row);
        const isTime = name === 'timestamp' || name.endsWith('_time');
        return [name, isTime && value !== null ? new Date(value).toISOString() : value];
      }),
    );
    const record = {
      record: this.conflicts++,
      code,
      detail: `another report of ${rows.value('source', row)} has the same address and time`,
      raw: JSON.stringify(raw),
      format: 'table',
    };
    this.lines.push(`${JSON.stringify(record)}\n`);
  }

  /** Writes the buffered conflicts. */
  async flush(): Promise<void> {
    await nextTurn();
    if (this.lines.length === 0) return;
    if (this.output === undefined) {
      const gzip = createGzip();
      const written = pipeline(gzip, createWriteStream(this.path));
      // It is awaited at the end, and may fail before.
      written.catch(() => undefined);
      this.output = { gzip, written };
    }
    const text = this.lines.join('');
    this.lines = [];
    const { gzip, written } = this.output;
    if (!gzip.write(text)) await Promise.race([once(gzip, 'drain'), written]);
  }

  /** Counts the reports from `first`, of which those of `order` stay, one aircraft after the other. */
  count(rows: HourRows, first: number, order: Uint32Array): void {
    const [sources, times] = [rows.integers('source'), rows.integers('timestamp')];
    const addresses = rows.integers('icao_address');
    for (let row = first; row < rows.count; row++) (this.reported[sources[row] as number] as number)++;
    let address = -1;
    for (const row of order) {
      (this.kept[sources[row] as number] as number)++;
      if (addresses[row] !== address) this.aircraft++;
      address = addresses[row] as number;
      const timeMs = rows.hourMs + (times[row] as number);
      if (timeMs < this.first) this.first = timeMs;
      if (timeMs > this.last) this.last = timeMs;
    }
    this.rows += order.length;
  }

  async finish(): Promise<void> {
    await this.flush();
    this.output?.gzip.end();
    await this.output?.written;
  }

  summary(): Omit<HourSummary, 'groundRows'> {
    const sources: Record<string, number> = {};
    const refused: Record<string, Counts> = {};
    for (const [k, source] of this.sources.entries()) {
      const [reported, kept, codes] = [this.reported[k] ?? 0, this.kept[k] ?? 0, this.refused[k] ?? {}];
      const sum = Object.values(codes).reduce((total, n) => total + n, kept);
      if (sum !== reported) {
        throw new ContrailsError(
          `an hour has ${reported} reports of ${source} and counts ${sum}; this is a bug; please report it`,
        );
      }
      if (kept > 0) sources[source] = kept;
      if (reported > kept) refused[source] = Object.fromEntries(Object.entries(codes).sort());
    }
    const isEmpty = this.rows === 0;
    return {
      rows: this.rows,
      aircraft: this.aircraft,
      firstMs: isEmpty ? null : this.first,
      lastMs: isEmpty ? null : this.last,
      sources,
      refused,
    };
  }
}
