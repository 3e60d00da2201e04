/**
 * Answers as tables for analysis: the waypoints, and with contrails one row for each of their points and steps. Parquet holds one
 * of the two, netCDF both. What is not a column is metadata, in JSON.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDb, encodeNetcdf, type NetcdfVariable, openDuckDb, sqlText } from '@contrails/formats';
import { toJson } from '@contrails/formats/json/writer';
import type { TemporaryFolder } from '@contrails/runtime';
import type { Answer, Answered, Computed } from './answer.ts';
import { columnsOfRows } from './contrail-rows.ts';
import { type RequestFleet, waypointOrder } from './fleet.ts';

/** Which of the two Parquet holds. */
export type TableName = 'waypoints' | 'contrail';

interface Column {
  readonly name: string;
  readonly unit?: string | undefined;
  readonly isTime?: true;
  readonly values: Float64Array | readonly (string | null)[];
}

interface Table {
  readonly rows: number;
  readonly columns: readonly Column[];
}

type Metadata = Readonly<Record<string, string>>;

/** The tables of one answer, and what holds for all of their rows. */
export interface AnswerTables {
  readonly waypoints: Table;
  /** Where contrails were asked for. */
  readonly contrail: Table | undefined;
  readonly metadata: Metadata;
}

export function tablesOf(computed: Computed, { answer, warnings }: Answered): AnswerTables {
  const { columns, others } = waypointColumns(computed.fleet, answer);
  return {
    waypoints: { rows: computed.fleet.columns.timeMs.length, columns },
    contrail: computed.options.contrailRows && contrailTable(computed),
    metadata: {
      ...others,
      ...(warnings.length === 0 ? {} : { warnings: JSON.stringify(warnings) }),
    },
  };
}

/** Positions as they were sent or resampled, and every list of the answer. */
function waypointColumns(fleet: RequestFleet, answer: Answer): { columns: Column[]; others: Metadata } {
  const { timeMs, longitude, latitude, altitudeFt } = fleet.columns;
  const order = waypointOrder(fleet);
  const ordered = (column: Float64Array) => Float64Array.from(order, (i) => column[i] as number);
  const units = answer.units as Readonly<Record<string, unknown>>;
  const columns: Column[] = [
    { name: 'flight_id', values: textsOf(answer.flight_id, order.length) },
    { name: 'waypoint', unit: '1', values: Float64Array.from(order, (_, row) => row) },
    { name: 'time', isTime: true, values: ordered(timeMs) },
    { name: 'longitude', unit: 'degrees_east', values: ordered(longitude) },
    { name: 'latitude', unit: 'degrees_north', values: ordered(latitude) },
    { name: 'altitude', unit: 'ft', values: ordered(altitudeFt) },
  ];
  const others: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer)) {
    if (name === 'contrail' || columns.some((column) => column.name === name)) continue;
    const unit = typeof units[name] === 'string' ? (units[name] as string) : undefined;
    if (value instanceof Float64Array) columns.push({ name, unit, values: value });
    else if (TEXT_COLUMNS.includes(name)) columns.push({ name, values: textsOf(value, order.length) });
    else others[name] = typeof value === 'string' ? value : String(toJson(value));
  }
  return { columns, others };
}

/** One value for all waypoints where flights agree, else a list of one for each. */
const TEXT_COLUMNS = [
  'met_source_provider',
  'met_source_dataset',
  'met_source_product',
  'met_source_forecast_time',
  'met_source_radiation',
  'met_source_attribution',
  'nvpm_data_source',
  'engine_uid',
];

function textsOf(value: unknown, count: number): (string | null)[] {
  const text = (one: unknown) => (one === null || one === undefined ? null : String(one));
  return Array.isArray(value) ? value.map(text) : new Array<string | null>(count).fill(text(value));
}

/** The contrails of all flights, flight after flight and step after step. */
function contrailTable({ fleet, result }: Computed): Table {
  const parts = result.facts.flatMap((facts, flight) =>
    facts?.contrailRows === undefined || facts.contrailRows.count === 0
      ? []
      : [{ id: fleet.attributes[flight]?.id, rows: columnsOfRows(facts.contrailRows) }],
  );
  const rows = parts.reduce((sum, part) => sum + part.rows.age.length, 0);
  const joined = (pick: (part: ReturnType<typeof columnsOfRows>) => Float64Array): Float64Array => {
    const all = new Float64Array(rows);
    let start = 0;
    for (const part of parts) {
      all.set(pick(part.rows), start);
      start += part.rows.age.length;
    }
    return all;
  };
  const names = columnsOfRows({ count: 0, values: new Float64Array(0) }).quantities;
  return {
    rows,
    columns: [
      {
        name: 'flight_id',
        values: parts.flatMap((part) => textsOf(part.id ?? fleet.flightId ?? null, part.rows.age.length)),
      },
      { name: 'waypoint', unit: '1', values: joined(({ waypoint }) => waypoint) },
      { name: 'time', isTime: true, values: joined(({ timeMs }) => timeMs) },
      { name: 'formation_time', isTime: true, values: joined(({ formationTimeMs }) => formationTimeMs) },
      { name: 'age', unit: 'min', values: joined(({ age }) => age) },
      ...names.map(({ name, unit }, k) => ({
        name,
        unit,
        values: joined(({ quantities }) => quantities[k]?.values ?? new Float64Array(0)),
      })),
    ],
  };
}

/** Collects the tables of answers and writes them as one file of Parquet. */
export interface ParquetTable {
  add(tables: AnswerTables): Promise<void>;
  finish(): Promise<Buffer>;
  close(): Promise<void>;
}

/** DuckDB continues in the temporary folder beyond it. */
const MEMORY_MIB = 256;
/** So many at a time: the thread that answers requests is not to be kept busy for long. */
const APPENDED_ROWS = 16_384;

/** The folder is removed with the table. */
export async function openParquetTable(name: TableName, folder: TemporaryFolder): Promise<ParquetTable> {
  const duckdb = await openDuckDb({
    memoryMiB: MEMORY_MIB,
    threads: 1,
    temporaryDirectory: join(folder.path, 'spill'),
  });
  let columns: readonly Column[] | undefined;
  let metadata: Metadata = {};
  return {
    async add(tables) {
      const table = tables[name] ?? { rows: 0, columns: [] };
      if (columns === undefined) {
        columns = table.columns;
        metadata = { ...tables.metadata, units: JSON.stringify(unitsOf(table)) };
        const types = columns.map(
          (column) => `"${column.name}" ${column.values instanceof Float64Array ? 'DOUBLE' : 'VARCHAR'}`,
        );
        await duckdb.run(`CREATE TABLE rows (${types.join(', ')})`);
      }
      await duckdb.run('BEGIN');
      for (let from = 0; from < table.rows; from += APPENDED_ROWS) {
        const to = Math.min(from + APPENDED_ROWS, table.rows);
        const slices = table.columns.map(({ values }) =>
          values instanceof Float64Array ? values.subarray(from, to) : values.slice(from, to),
        );
        await duckdb.append('rows', to - from, slices);
      }
      await duckdb.run('COMMIT');
    },
    async finish() {
      const path = join(folder.path, 'table.parquet');
      await copyOut(duckdb, columns ?? [], metadata, path);
      return readFile(path);
    },
    async close() {
      duckdb.close();
      await folder.remove();
    },
  };
}

const unitsOf = ({ columns }: Table): Record<string, string> =>
  Object.fromEntries(columns.flatMap(({ name, unit }) => (unit === undefined ? [] : [[name, unit]])));

async function copyOut(
  duckdb: DuckDb,
  columns: readonly Column[],
  metadata: Metadata,
  path: string,
): Promise<void> {
  const typed = columns.map(({ name, isTime }) => {
    if (name === 'waypoint') return `CAST("${name}" AS INTEGER) AS "${name}"`;
    return isTime ? `make_timestamp(CAST("${name}" * 1000 AS BIGINT)) AS "${name}"` : `"${name}"`;
  });
  const keys = Object.entries(metadata).map(([name, value]) => `${name}: ${sqlText(value)}`);
  await duckdb.run(
    `COPY (SELECT ${typed.join(', ')} FROM rows) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {${keys.join(', ')}})`,
  );
}

const CHUNK_ROWS = 65_536;

/** Waypoints on the dimension `waypoint`, points of contrails on `contrail_row`. */
export async function toNetcdf({ waypoints, contrail, metadata }: AnswerTables): Promise<Buffer> {
  // A dimension of no length is an unlimited one to readers.
  const points = contrail !== undefined && contrail.rows > 0 ? contrail : undefined;
  const chunks = await encodeNetcdf({
    dimensions: { waypoint: waypoints.rows, ...(points ? { contrail_row: points.rows } : {}) },
    variables: [
      ...waypoints.columns.map((column) => variableOf(column, '', 'waypoint', waypoints.rows)),
      ...(points === undefined
        ? []
        : [
            {
              name: 'contrail_row',
              dimensions: ['contrail_row'],
              data: Int32Array.from({ length: points.rows }, (_, row) => row),
            },
            ...points.columns.map((column) => variableOf(column, 'contrail_', 'contrail_row', points.rows)),
          ]),
    ],
    attributes: {
      Conventions: 'CF-1.9',
      ...Object.assign({}, ...Object.entries(metadata).map(([name, text]) => longText(name, text))),
      ...(contrail === undefined ? {} : { contrail_rows: contrail.rows }),
    },
  });
  return Buffer.concat(chunks);
}

function variableOf(column: Column, prefix: string, dimension: string, rows: number): NetcdfVariable {
  const common = {
    name: `${prefix}${column.name}`,
    dimensions: [dimension],
    chunks: [Math.min(rows, CHUNK_ROWS)],
  };
  if (!(column.values instanceof Float64Array)) return { ...common, ...textVariable(column.values) };
  if (column.isTime)
    return {
      ...common,
      data: column.values,
      attributes: {
        standard_name: 'time',
        units: 'milliseconds since 1970-01-01',
        calendar: 'proleptic_gregorian',
      },
    };
  if (column.name === 'waypoint') return { ...common, data: Int32Array.from(column.values) };
  return {
    ...common,
    data: column.values,
    ...(column.unit === undefined ? {} : { attributes: { units: column.unit } }),
  };
}

/** Texts as numbers of a list, which the attributes have; −1 is none. */
function textVariable(texts: readonly (string | null)[]): Pick<NetcdfVariable, 'data' | 'attributes'> {
  const indices = new Map<string, number>();
  const data = Int32Array.from(texts, (text) => {
    if (text === null) return -1;
    const index = indices.get(text) ?? indices.size;
    indices.set(text, index);
    return index;
  });
  return { data, attributes: longText('values', JSON.stringify([...indices.keys()])) };
}

/** An attribute of netCDF holds 64 KB; a longer text is in several, to be put together. */
function longText(name: string, text: string): Record<string, string> {
  if (text.length <= MAX_TEXT) return { [name]: text };
  const parts = Math.ceil(text.length / MAX_TEXT);
  return Object.fromEntries(
    Array.from({ length: parts }, (_, k) => [`${name}_${k}`, text.slice(k * MAX_TEXT, (k + 1) * MAX_TEXT)]),
  );
}

/** Characters, each of which may take up to three bytes. */
const MAX_TEXT = 16_000;
