/** Telemetry tables as reports of one airframe after the other, however large the tables are. */
import { access } from 'node:fs/promises';
import { type DuckDb, type DuckDbChunk, type DuckDbSettings, openDuckDb, sqlText } from '@contrails/formats';
import { UsageError } from '@contrails/runtime';
import type { AirframeReports } from '../telemetry/airframe-reports.ts';
import { type CollectionType, TELEMETRY_COLUMNS, type TelemetryColumnName } from '../telemetry/columns.ts';

export interface TelemetryTables {
  /** Rows that are no reports, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  readonly reportCount: number;
  /** Provider's ids that more than one airframe reports. */
  readonly ambiguousIds: ReadonlySet<string>;
  /** The reports of every airframe in order of time, airframes in order of address. Can be called once. */
  airframes(): AsyncGenerator<AirframeReports>;
  close(): void;
}

/**
 * Opens tables (CSV, NDJSON, Parquet) that have the names of the telemetry table as columns, and `on_ground` and
 * `leg_flag` where the source has them. Reports on the ground are kept: they separate legs. DuckDB sorts the tables within
 * its memory; only one airframe is in memory at a time.
 */
export async function openTables(
  files: readonly string[],
  settings: DuckDbSettings,
): Promise<TelemetryTables> {
  const duckdb = await openDuckDb(settings);
  try {
    await duckdb.run("SET TimeZone = 'UTC'");
    await createReports(duckdb, files);
    await duckdb.run(`CREATE TEMP TABLE names AS
      SELECT row_number() OVER () AS name_id, dense_rank() OVER (ORDER BY icao_address) AS airframe, *
      FROM (SELECT DISTINCT ${NAMES.join(', ')} FROM reports WHERE refused IS NULL)`);
    const counts = await duckdb.rows(
      'SELECT refused, count(*) AS n FROM reports GROUP BY refused ORDER BY refused',
    );
    const ambiguous = await duckdb.rows(`SELECT flight_id FROM names WHERE flight_id IS NOT NULL
      GROUP BY flight_id HAVING min(icao_address) <> max(icao_address)`);
    return {
      refused: Object.fromEntries(
        counts.flatMap(({ refused, n }) => (refused === null ? [] : [[String(refused), Number(n)]])),
      ),
      reportCount: Number(counts.find(({ refused }) => refused === null)?.n ?? 0),
      ambiguousIds: new Set(ambiguous.map(({ flight_id }) => String(flight_id))),
      airframes: () => airframesOf(duckdb),
      close: () => duckdb.close(),
    };
  } catch (error) {
    duckdb.close();
    throw error;
  }
}

/** What rarely changes from one report of an airframe to the next. As text it would take longer than everything else. */
const NAMES = [
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

const FIGURES = [
  'timestamp',
  'latitude',
  'longitude',
  'altitude_baro',
  'altitude_gnss',
  'nic',
  'nacp',
] as const satisfies readonly TelemetryColumnName[];

const FLAGS = ['on_ground', 'leg_flag'] as const;
const TIMES: readonly string[] = ['timestamp', 'departure_scheduled_time', 'arrival_scheduled_time'];
const REQUIRED = ['timestamp', 'latitude', 'longitude', 'icao_address'] as const;

/** The view or table `reports`: all columns in their types, with the reason where a row is refused. */
async function createReports(duckdb: DuckDb, files: readonly string[]): Promise<void> {
  const sources = await Promise.all(files.map(sourceOf));
  const selects: string[] = [];
  for (const [index, source] of sources.entries()) {
    const described = await duckdb.rows(`DESCRIBE SELECT * FROM ${source.sql}`);
    const types = new Map(
      described.map(({ column_name, column_type }) => [
        String(column_name).toLowerCase(),
        { name: String(column_name), type: String(column_type) },
      ]),
    );
    requireColumns(source.file, types);
    const columns = [...TELEMETRY_COLUMNS, ...FLAGS].map(
      (name) => `${typed(name, types.get(name))} AS ${name}`,
    );
    selects.push(
      `SELECT ${index} AS file_no, ${source.rowNumber} AS row_no, ${columns.join(', ')}, ${isReadable(types)} AS is_readable FROM ${source.sql}`,
    );
  }
  // Text is parsed once; Parquet is as quickly read again.
  const kind = sources.every(({ isParquet }) => isParquet) ? 'VIEW' : 'TABLE';
  await duckdb.run(`CREATE TEMP ${kind} reports AS
    SELECT *, ${REFUSED} AS refused FROM (${selects.join(' UNION ALL ')})`);
}

interface Source {
  readonly file: string;
  readonly sql: string;
  readonly rowNumber: string;
  readonly isParquet: boolean;
}

async function sourceOf(file: string): Promise<Source> {
  await access(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code}); check the path`, { cause: error });
  });
  // DuckDB takes these for patterns.
  const path = sqlText(file.replace(/[*?[]/g, '[$&]'));
  const [, format = ''] = /\.(parquet|csv|ndjson|jsonl)(?:\.(?:gz|zst))?$/i.exec(file) ?? [];
  const rowNumber = 'row_number() OVER ()';
  switch (format.toLowerCase()) {
    case 'parquet':
      return {
        file,
        sql: `read_parquet(${path}, file_row_number = true)`,
        rowNumber: 'file_row_number',
        isParquet: true,
      };
    case 'csv':
      return {
        file,
        sql: `read_csv(${path}, header = true, all_varchar = true)`,
        rowNumber,
        isParquet: false,
      };
    case 'ndjson':
    case 'jsonl': {
      const columns = [...TELEMETRY_COLUMNS, ...FLAGS].map((name) => `${name}: 'VARCHAR'`).join(', ');
      return {
        file,
        sql: `read_json(${path}, format = 'newline_delimited', columns = {${columns}})`,
        rowNumber,
        isParquet: false,
      };
    }
    default:
      throw new UsageError(
        `${file} is not a table of telemetry by its name; give .csv, .ndjson or .parquet, or read other formats with "contrails adsb read" first`,
      );
  }
}

type Types = ReadonlyMap<string, { readonly name: string; readonly type: string }>;

function requireColumns(file: string, types: Types): void {
  const missing: string[] = REQUIRED.filter((name) => !types.has(name));
  if (!types.has('altitude_baro') && !types.has('altitude_gnss')) missing.push('altitude_baro');
  if (missing.length === 0) return;
  throw new UsageError(
    `${file} has no column ${missing.join(', ')}; a table of telemetry has ${REQUIRED.join(', ')} and an altitude at least`,
  );
}

/** A column as the type that it has in `reports`; times are milliseconds since 1970. */
function typed(name: string, found: { readonly name: string; readonly type: string } | undefined): string {
  if (found === undefined) return name === 'collection_type' ? "'terrestrial'" : unknownOf(name);
  const column = `"${found.name.replaceAll('"', '""')}"`;
  if (TIMES.includes(name)) return timeOf(column, found.type);
  if (name === 'longitude')
    return `(CASE WHEN ${numberOf(column)} >= 180 AND ${numberOf(column)} <= 360 THEN ${numberOf(column)} - 360 ELSE ${numberOf(column)} END)`;
  if ((FLAGS as readonly string[]).includes(name))
    return `coalesce(TRY_CAST(${column} AS BOOLEAN), false)::DOUBLE`;
  if ((FIGURES as readonly string[]).includes(name)) return numberOf(column);
  const text = `nullif(trim(${column}::VARCHAR), '')`;
  if (name === 'collection_type') return `coalesce(${text}, 'terrestrial')`;
  return name === 'icao_address' ? `upper(${text})` : text;
}

function unknownOf(name: string): string {
  if ((FLAGS as readonly string[]).includes(name)) return '0::DOUBLE';
  const isText = !TIMES.includes(name) && !(FIGURES as readonly string[]).includes(name);
  return isText ? 'NULL::VARCHAR' : 'NULL::DOUBLE';
}

function numberOf(column: string): string {
  return `TRY_CAST(${column} AS DOUBLE)`;
}

/** Numbers are seconds, or milliseconds and finer where they would lie beyond the year 2600. */
function timeOf(column: string, type: string): string {
  const number = numberOf(column);
  const fromNumber = `(CASE WHEN abs(${number}) <= 2e10 THEN ${number} * 1000 WHEN abs(${number}) <= 2e13 THEN ${number}
    WHEN abs(${number}) <= 2e16 THEN ${number} / 1e3 ELSE ${number} / 1e6 END)`;
  const fromTime = (value: string) => `(epoch_us(TRY_CAST(${value} AS TIMESTAMPTZ)) / 1000.0)`;
  if (/^(TIMESTAMP|DATE)/.test(type)) return fromTime(column);
  if (type !== 'VARCHAR') return fromNumber;
  return `coalesce(${fromNumber}, ${fromTime(column)})`;
}

/** Whether the values that a report needs could be read where they are given. */
function isReadable(types: Types): string {
  return ['timestamp', 'latitude', 'longitude']
    .map((name) => {
      const found = types.get(name);
      const column = `"${(found?.name ?? name).replaceAll('"', '""')}"`;
      return `(${column} IS NULL OR ${typed(name, found)} IS NOT NULL)`;
    })
    .join(' AND ');
}

const REFUSED = `CASE
  WHEN NOT is_readable THEN 'parse_error'
  WHEN icao_address IS NULL THEN 'missing_address'
  WHEN icao_address LIKE '~%' THEN 'non_icao_address'
  WHEN NOT regexp_full_match(icao_address, '[0-9A-F]{6}') OR icao_address IN ('000000', '00000A', '0000BA', 'FFFFFF')
    THEN 'bad_address'
  WHEN latitude IS NULL OR longitude IS NULL OR isnan(latitude) OR isnan(longitude) THEN 'missing_position'
  WHEN timestamp IS NULL OR isnan(timestamp) THEN 'missing_time'
  WHEN latitude NOT BETWEEN -90 AND 90 OR longitude < -180 OR longitude >= 180 THEN 'position_out_of_range'
  WHEN latitude = 0 AND longitude = 0 THEN 'null_island'
END`;

/**
 * One sorted result in which the names of an airframe come before its reports, each of which has the number of its names
 * instead of them.
 */
async function* airframesOf(duckdb: DuckDb): AsyncGenerator<AirframeReports> {
  const same = NAMES.map((name) => `reports.${name} IS NOT DISTINCT FROM names.${name}`).join(' AND ');
  const figures = [...FIGURES, ...FLAGS];
  const sorted = duckdb.chunks(`
    SELECT airframe, name_id, names, ${figures.join(', ')} FROM (
      SELECT airframe, name_id, to_json([${NAMES.map((name) => `${name}::VARCHAR`).join(', ')}])::VARCHAR AS names,
        ${figures.map((name) => `NULL::DOUBLE AS ${name}`).join(', ')}, 0 AS file_no, 0 AS row_no
      FROM names
      UNION ALL
      SELECT airframe, name_id, NULL, ${figures.join(', ')}, file_no, row_no
      FROM reports JOIN names ON ${same} WHERE refused IS NULL)
    ORDER BY airframe, timestamp NULLS FIRST, file_no, row_no`);
  let current: Airframe | undefined;
  for await (const chunk of sorted) {
    const columns = readChunk(chunk);
    for (let i = 0; i < chunk.rowCount; i++) {
      const airframe = columns.airframe[i] as number;
      if (current?.number !== airframe) {
        if (current !== undefined) yield current.reports();
        current = new Airframe(airframe);
      }
      current.add(columns, i);
    }
  }
  if (current !== undefined) yield current.reports();
}

interface ChunkColumns {
  readonly airframe: Float64Array;
  readonly nameId: Float64Array;
  readonly names: readonly (string | null)[];
  readonly figures: readonly Float64Array[];
}

function readChunk(chunk: DuckDbChunk): ChunkColumns {
  return {
    airframe: chunk.numbers(0),
    nameId: chunk.numbers(1),
    names: chunk.texts(2),
    figures: Array.from({ length: FIGURES.length + FLAGS.length }, (_, k) => chunk.numbers(3 + k)),
  };
}

const FIRST_CAPACITY = 1024;

/** The reports of one airframe as they come. */
class Airframe {
  readonly number: number;
  private count = 0;
  private readonly namesOf = new Map<number, readonly (string | null)[]>();
  private nameIds = new Float64Array(FIRST_CAPACITY);
  private figures = Array.from(
    { length: FIGURES.length + FLAGS.length },
    () => new Float64Array(FIRST_CAPACITY),
  );

  constructor(number: number) {
    this.number = number;
  }

  add({ nameId, names, figures }: ChunkColumns, i: number): void {
    const text = names[i];
    if (text != null) {
      this.namesOf.set(nameId[i] as number, JSON.parse(text) as (string | null)[]);
      return;
    }
    if (this.count === this.nameIds.length) this.grow();
    this.nameIds[this.count] = nameId[i] as number;
    for (let k = 0; k < figures.length; k++)
      (this.figures[k] as Float64Array)[this.count] = (figures[k] as Float64Array)[i] as number;
    this.count++;
  }

  reports(): AirframeReports {
    const figures = this.figures.map((column) => column.subarray(0, this.count));
    const texts = NAMES.map(() => new Array<string | null>(this.count));
    for (let row = 0; row < this.count; row++) {
      const names = this.namesOf.get(this.nameIds[row] as number) ?? [];
      for (let k = 0; k < texts.length; k++) (texts[k] as (string | null)[])[row] = names[k] ?? null;
    }
    const text = (name: (typeof NAMES)[number]) => texts[NAMES.indexOf(name)] as (string | null)[];
    const figure = (name: (typeof FIGURES)[number]) => figures[FIGURES.indexOf(name)] as Float64Array;
    const time = (name: (typeof NAMES)[number]) =>
      Float64Array.from(text(name), (value) => (value === null ? Number.NaN : Number(value)));
    return {
      timestamp: figure('timestamp'),
      latitude: figure('latitude'),
      longitude: figure('longitude'),
      collection_type: text('collection_type') as CollectionType[],
      altitude_baro: figure('altitude_baro'),
      altitude_gnss: figure('altitude_gnss'),
      icao_address: text('icao_address') as string[],
      flight_id: text('flight_id'),
      callsign: text('callsign'),
      tail_number: text('tail_number'),
      flight_number: text('flight_number'),
      aircraft_type_icao: text('aircraft_type_icao'),
      airline_iata: text('airline_iata'),
      departure_airport_icao: text('departure_airport_icao'),
      departure_scheduled_time: time('departure_scheduled_time'),
      arrival_airport_icao: text('arrival_airport_icao'),
      arrival_scheduled_time: time('arrival_scheduled_time'),
      nic: figure('nic'),
      nacp: figure('nacp'),
      onGround: Uint8Array.from(figures[FIGURES.length] as Float64Array),
      legFlag: Uint8Array.from(figures[FIGURES.length + 1] as Float64Array),
    };
  }

  private grow(): void {
    const grown = (column: Float64Array) => {
      const larger = new Float64Array(2 * column.length);
      larger.set(column);
      return larger;
    };
    this.nameIds = grown(this.nameIds);
    this.figures = this.figures.map(grown);
  }
}
