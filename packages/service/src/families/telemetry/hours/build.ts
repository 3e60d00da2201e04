/**
 * Builds the files of one hour from its batches: sorts, removes duplicates, thins and marks quality. The result depends on the
 * set of reports alone, not on their order, their batches or how often they were sent. DuckDB works beyond memory: only
 * the key of every report and a few numbers are held at once, the full rows pass through sorts that spill to disk.
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  describeTable,
  QUALITY_MARKS,
  storedColumnsSql,
  TELEMETRY_COLUMNS,
  winnerOrder,
} from '@contrails/flights';
import { type DuckDb, sqlPath, sqlText } from '@contrails/formats';
import { HOUR_MS } from '@contrails/runtime';
import { ContrailsError } from '../../../errors.ts';
import type { Workspace } from '../../../workspace.ts';
import type { Counts } from '../ingest/refusals.ts';
import { isoHour } from './manifest.ts';

const SCHEMA_VERSION = '1';
/** Rows of a row group; also what one thread sorts at once. */
const ROW_GROUP_ROWS = 122_880;

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
}

/** What a generation says of itself in the footer of its served file. */
export interface GenerationLabel {
  readonly generation: number;
  readonly sealedMs: number;
}

const TIMES = ['timestamp', 'departure_scheduled_time', 'arrival_scheduled_time'];
const INTEGERS = ['altitude_baro', 'altitude_gnss', 'nic', 'nacp'];
const DOUBLES = ['latitude', 'longitude'];

const columns = (prefix = '') => TELEMETRY_COLUMNS.map((name) => `${prefix}"${name}"`).join(', ');

/** The 19 columns as one text: equal for equal rows. */
const CONTENT = `concat_ws('|', ${TELEMETRY_COLUMNS.map((name) => `coalesce(${plain(name)}::VARCHAR, '')`).join(', ')})`;

/** Times as numbers, which are written faster. */
function plain(name: string): string {
  return TIMES.includes(name) ? `epoch_ms("${name}")` : `"${name}"`;
}

/**
 * The best report of a key comes first. The rule "the one received earlier wins" is left out on purpose: an hour has to have
 * the same bytes whatever the order in which its batches arrive, and is built again from batches that are sent again. The
 * only age that belongs to a report itself is that of its position, which stands in for the time of arrival (and has decided
 * already); after the source, the content decides.
 */
const BEST_FIRST = `${winnerOrder({
  positionAgeS: 'pos_age_s',
  positionSource: 'pos_source',
  nic: 'nic',
  nacp: 'nacp',
  received: 'pos_age_s',
  source: 'source',
})}, content, pos_source`;

export async function buildHour({ duckdb, directory }: Workspace, input: HourInput): Promise<BuiltHour> {
  await duckdb.run(`CREATE VIEW reports AS ${await reportsSql(duckdb, input)}`);
  await duckdb.run(`CREATE TABLE keys AS SELECT icao_address AS a, "timestamp" AS t, file, rn, leg_flag, rx_count, nic, nacp,
    altitude_gnss - altitude_baro AS gap, source FROM reports`);
  const outside = await countOutside(duckdb, input.hourMs);
  if (outside > 0) {
    throw new ContrailsError(
      `${outside} stored reports are outside the hour ${isoHour(input.hourMs)}; report this as a fault of the program`,
    );
  }
  const reported = await countsBySource(duckdb, 'SELECT source, count(*) AS n FROM keys GROUP BY source');
  await settleDuplicates(duckdb);
  await thinAndMark(duckdb, input.thinS);
  const summary = await summarise(duckdb, reported);
  const byAircraft = join(directory, 'by-aircraft.parquet');
  await duckdb.run(`COPY (
    SELECT ${columns('r.')}, r.pos_source, r.pos_age_s, k.leg_flag, k.rx_count, k.quality, r.source
    FROM reports AS r JOIN kept AS k ON r.file = k.file AND r.rn = k.rn
    ORDER BY r.icao_address, r."timestamp"
  ) TO ${sqlText(byAircraft)} (${parquetOptions(input, { schema_version: SCHEMA_VERSION, hour: isoHour(input.hourMs), thin_s: String(input.thinS) })})`);
  const ground = join(directory, 'ground.parquet');
  await duckdb.run(
    `COPY (${groundSql(input)} ORDER BY icao_address, "timestamp") TO ${sqlText(ground)} (${parquetOptions(
      input,
      {
        schema_version: SCHEMA_VERSION,
        hour: isoHour(input.hourMs),
      },
    )})`,
  );
  const [counted] = await duckdb.rows(`SELECT count(*) AS n FROM read_parquet(${sqlPath(ground)})`);
  const conflicts = await writeConflicts(duckdb, join(directory, 'conflicts.ndjson.gz'));
  return { summary: { ...summary, groundRows: Number(counted?.n) }, byAircraft, ground, conflicts };
}

/** Writes the served file of a built hour; returns its path and the SHA-256 of its logical rows. */
export async function writeServed(
  { duckdb, directory }: Workspace,
  input: HourInput,
  { byAircraft, summary }: Pick<BuiltHour, 'byAircraft' | 'summary'>,
  { generation, sealedMs }: GenerationLabel,
): Promise<{ path: string; contentSha256: string }> {
  const contentSha256 = await contentHash(duckdb, byAircraft);
  const path = join(directory, 'served.parquet');
  const footer = {
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
    content_sha256: contentSha256,
  };
  await duckdb.run(
    `COPY (SELECT ${columns()} FROM read_parquet(${sqlPath(byAircraft)}) ORDER BY "timestamp", icao_address)
     TO ${sqlText(path)} (${parquetOptions(input, footer)})`,
  );
  return { path, contentSha256 };
}

export function isoMs(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}

async function reportsSql(duckdb: DuckDb, { rows, tables, base }: HourInput): Promise<string> {
  const parts = [
    ...(rows.length === 0
      ? []
      : [
          `SELECT ${columns()}, pos_source, pos_age_s, leg_flag, 1 AS rx_count, source, file_index::BIGINT AS file,
             file_row_number AS rn FROM ${parquet(rows)}`,
        ]),
    ...(await Promise.all(
      tables.map(async ({ path, source }, index) => {
        const stored = storedColumnsSql(await describeTable(duckdb, parquet([path])));
        return `SELECT ${stored}, 0::UTINYINT AS pos_source, 0::DOUBLE AS pos_age_s, 0::UTINYINT AS leg_flag, 1 AS rx_count,
          ${sqlText(source)} AS source, ${rows.length + index}::BIGINT AS file, file_row_number AS rn FROM ${parquet([path])}`;
      }),
    )),
    ...(base === undefined
      ? []
      : [
          `SELECT ${columns()}, pos_source, pos_age_s, leg_flag, rx_count, source, -1 AS file, file_row_number AS rn
           FROM ${parquet([base.byAircraft])}`,
        ]),
  ];
  return parts.length === 0 ? `${EMPTY} WHERE false` : parts.join(' UNION ALL ');
}

function groundSql({ ground, base }: HourInput): string {
  const paths = [...ground, ...(base === undefined ? [] : [base.ground])];
  if (paths.length === 0)
    return 'SELECT NULL::VARCHAR AS icao_address, NULL::TIMESTAMP AS "timestamp" WHERE false';
  return `SELECT DISTINCT icao_address, "timestamp" FROM ${parquet(paths)}`;
}

function parquet(paths: readonly string[]): string {
  return `read_parquet([${paths.map(sqlPath).join(', ')}], hive_partitioning = false)`;
}

function sqlType(name: string): string {
  if (TIMES.includes(name)) return 'TIMESTAMP';
  if (INTEGERS.includes(name)) return 'BIGINT';
  return DOUBLES.includes(name) ? 'DOUBLE' : 'VARCHAR';
}

const EMPTY = `SELECT ${TELEMETRY_COLUMNS.map((name) => `NULL::${sqlType(name)} AS "${name}"`).join(', ')},
  NULL::UTINYINT AS pos_source, NULL::DOUBLE AS pos_age_s, NULL::UTINYINT AS leg_flag, NULL::INTEGER AS rx_count,
  NULL::VARCHAR AS source, NULL::BIGINT AS file, NULL::BIGINT AS rn`;

async function countOutside(duckdb: DuckDb, hourMs: number): Promise<number> {
  const [row] = await duckdb.rows(
    'SELECT count(*) AS n FROM keys WHERE epoch_ms(t) < $1::BIGINT OR epoch_ms(t) >= $2::BIGINT',
    [hourMs, hourMs + HOUR_MS],
  );
  return Number(row?.n);
}

/** Leaves one report of each key in `unique_keys`; `losers` holds the others. */
async function settleDuplicates(duckdb: DuckDb): Promise<void> {
  await duckdb.run('CREATE TABLE repeated AS SELECT a, t FROM keys GROUP BY a, t HAVING count(*) > 1');
  if ((await duckdb.rows('SELECT 1 FROM repeated LIMIT 1')).length === 0) {
    await duckdb.run('CREATE TABLE losers (file BIGINT, rn BIGINT, source VARCHAR, code VARCHAR)');
    await duckdb.run('ALTER TABLE keys RENAME TO unique_keys');
    return;
  }
  await duckdb.run(`CREATE TABLE contest AS
    SELECT *, row_number() OVER best AS place, first_value(content) OVER best AS best_content,
      max(leg_flag) OVER (PARTITION BY a, t) AS any_leg_flag
    FROM (SELECT icao_address AS a, "timestamp" AS t, file, rn, leg_flag, rx_count, nic, nacp,
        altitude_gnss - altitude_baro AS gap, source, pos_age_s, pos_source, md5(${CONTENT}) AS content
      FROM reports WHERE (icao_address, "timestamp") IN (SELECT (a, t) FROM repeated))
    WINDOW best AS (PARTITION BY a, t ORDER BY ${BEST_FIRST})`);
  await duckdb.run(`CREATE TABLE losers AS SELECT file, rn, source,
    CASE WHEN content = best_content THEN 'duplicate' ELSE 'conflicting_duplicate' END AS code FROM contest WHERE place > 1`);
  await duckdb.run(`CREATE TABLE unique_keys AS
    SELECT a, t, file, rn, leg_flag, rx_count, nic, nacp, gap, source FROM keys ANTI JOIN repeated USING (a, t)
    UNION ALL
    SELECT a, t, file, rn, any_leg_flag, heard.sources, nic, nacp, gap, source
    FROM contest JOIN (SELECT a, t, greatest(count(DISTINCT source), max(rx_count)) AS sources FROM contest GROUP BY a, t) AS heard
      USING (a, t)
    WHERE place = 1`);
  await duckdb.run('DROP TABLE contest');
  await duckdb.run('DROP TABLE keys');
  await duckdb.run('DROP TABLE repeated');
}

/**
 * Of every aircraft, keeps the first report of each bin. A mark of a new leg on a report that is dropped goes to the next one
 * of the hour, or to the one before where there is none: the next hour does not know of it.
 */
async function thinAndMark(duckdb: DuckDb, thinS: number): Promise<void> {
  const bin = thinS === 0 ? 't' : `epoch_ms(t) // ${thinS * 1000}`;
  await duckdb.run(`CREATE TABLE thinned AS SELECT * EXCLUDE (is_first) FROM (
    SELECT *, (${bin}) IS DISTINCT FROM lag(${bin}) OVER airframe AS is_first, sum(leg_flag) OVER airframe AS legs,
      sum(leg_flag) OVER (PARTITION BY a) AS all_legs
    FROM unique_keys WINDOW airframe AS (PARTITION BY a ORDER BY t)) WHERE is_first`);
  await duckdb.run('DROP TABLE unique_keys');
  // Marks that compare reports are looked for only where an aircraft has reports that differ enough.
  await duckdb.run(`CREATE TABLE conspicuous AS SELECT a FROM thinned GROUP BY a
    HAVING max(all_legs) > 0 OR (min(nacp) <= 4 AND max(nacp) >= 8) OR max(abs(gap)) - min(abs(gap)) > 2000`);
  await duckdb.run(`CREATE TABLE kept AS
    SELECT a, t, file, rn, rx_count::INTEGER AS rx_count, source, 0::UTINYINT AS leg_flag, ${OWN_MARKS} AS quality
    FROM thinned ANTI JOIN conspicuous USING (a)
    UNION ALL
    SELECT a, t, file, rn, rx_count::INTEGER, source,
      (legs > coalesce(lag(legs) OVER airframe, 0) OR (all_legs > legs AND lead(t) OVER airframe IS NULL))::UTINYINT,
      ${OWN_MARKS}
      | coalesce(nacp <= 4 AND max(nacp) OVER five_minutes >= 8, false)::INTEGER * ${QUALITY_MARKS.gnss_drop}
      | coalesce(greatest(max(abs(gap)) OVER one_minute - abs(gap), abs(gap) - min(abs(gap)) OVER one_minute) > 2000, false)::INTEGER
          * ${QUALITY_MARKS.alt_gap}
    FROM thinned SEMI JOIN conspicuous USING (a)
    WINDOW airframe AS (PARTITION BY a ORDER BY t),
      five_minutes AS (PARTITION BY a ORDER BY t RANGE BETWEEN INTERVAL 5 MINUTE PRECEDING AND CURRENT ROW),
      one_minute AS (PARTITION BY a ORDER BY t RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW)`);
  await duckdb.run('DROP TABLE thinned');
}

/** Marks that a report has of its own. */
const OWN_MARKS = `(coalesce(nic BETWEEN 1 AND 4, false)::INTEGER * ${QUALITY_MARKS.nic_low}
  | coalesce(nacp BETWEEN 1 AND 4, false)::INTEGER * ${QUALITY_MARKS.nacp_low}
  | (coalesce(nic = 0, false) OR coalesce(nacp = 0, false))::INTEGER * ${QUALITY_MARKS.unknown_quality})`;

/** Counts rows and refusals; every report is one or the other. */
async function summarise(
  duckdb: DuckDb,
  reported: Readonly<Record<string, number>>,
): Promise<Omit<HourSummary, 'groundRows'>> {
  const sources = await countsBySource(duckdb, 'SELECT source, count(*) AS n FROM kept GROUP BY source');
  const lost = await duckdb.rows(
    'SELECT source, code, count(*) AS n FROM losers GROUP BY source, code ORDER BY source, code',
  );
  const refused: Record<string, Counts> = {};
  for (const [source, reports] of Object.entries(reported)) {
    const codes: Counts = {};
    for (const row of lost) if (row.source === source) codes[String(row.code)] = Number(row.n);
    const thinned = reports - (sources[source] ?? 0) - Object.values(codes).reduce((sum, n) => sum + n, 0);
    if (thinned < 0) {
      throw new ContrailsError(
        `an hour counts ${-thinned} reports of ${source} twice; report this as a fault of the program`,
      );
    }
    if (thinned > 0) codes.thinned = thinned;
    if (Object.keys(codes).length > 0) refused[source] = codes;
  }
  const [row] = await duckdb.rows(
    'SELECT count(*) AS n, count(DISTINCT a) AS aircraft, epoch_ms(min(t)) AS first, epoch_ms(max(t)) AS last FROM kept',
  );
  const time = (value: unknown) => (value === null ? null : Number(value));
  return {
    rows: Number(row?.n),
    aircraft: Number(row?.aircraft),
    firstMs: time(row?.first),
    lastMs: time(row?.last),
    sources,
    refused,
  };
}

async function countsBySource(duckdb: DuckDb, sql: string): Promise<Record<string, number>> {
  const rows = await duckdb.rows(`${sql} ORDER BY source`);
  return Object.fromEntries(rows.map(({ source, n }) => [String(source), Number(n)]));
}

async function writeConflicts(duckdb: DuckDb, path: string): Promise<BuiltHour['conflicts']> {
  const [row] = await duckdb.rows("SELECT count(*) AS n FROM losers WHERE code = 'conflicting_duplicate'");
  const records = Number(row?.n);
  if (records === 0) return undefined;
  await duckdb.run(`COPY (
    SELECT row_number() OVER () - 1 AS record, l.code, 'another report of ' || r.source || ' has the same address and time' AS detail,
      to_json(struct_pack(${TELEMETRY_COLUMNS.map((name) => `"${name}" := r."${name}"`).join(', ')}))::VARCHAR AS raw, 'table' AS format
    FROM losers AS l JOIN reports AS r ON r.file = l.file AND r.rn = l.rn WHERE l.code = 'conflicting_duplicate'
  ) TO ${sqlText(path)} (FORMAT json, COMPRESSION gzip)`);
  return { path, records };
}

function parquetOptions(
  { compression }: Pick<HourInput, 'compression'>,
  footer: Readonly<Record<string, string>>,
): string {
  const metadata = Object.entries(footer).map(([name, value]) => `${name}: ${sqlText(value)}`);
  const level = compression === 'zstd' ? ', COMPRESSION_LEVEL 3' : '';
  return `FORMAT parquet, PARQUET_VERSION v2, COMPRESSION ${compression}${level}, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, KV_METADATA {${metadata.join(', ')}}`;
}

/**
 * Identifies the logical rows, whatever the encoding of the file: SHA-256 of `rows|xor`, the number of rows and the exclusive
 * or of the MD5 of every row. A row is its 19 columns as text, separated by `|`, times in milliseconds since 1970. No two
 * rows have the same key, so that their order says nothing and none cancels another.
 */
async function contentHash(duckdb: DuckDb, path: string): Promise<string> {
  const [found] = await duckdb.rows(
    `SELECT concat_ws('|', count(*), coalesce(bit_xor(md5_number(content)), 0)) AS digest
     FROM (SELECT ${CONTENT} AS content FROM read_parquet(${sqlPath(path)}))`,
  );
  return createHash('sha256').update(String(found?.digest)).digest('hex');
}
