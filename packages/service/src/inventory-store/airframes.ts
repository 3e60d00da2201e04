/** The operator's table of airframes: type, engine and role by address or registration. */
import { createHash } from 'node:crypto';
import type { Airframe, AirframeTable } from '@contrails/engine/inventory/aircraft';
import { sqlPath } from '@contrails/formats';
import { designator, knownAircraftTypes } from '@contrails/physics/aircraft';
import { resolveEngineUid } from '@contrails/physics/emissions';
import type { Database, Queryable } from '@contrails/platform/database/database';
import { withWorkspace } from '@contrails/platform/workspace';
import { UsageError } from '@contrails/runtime/errors';

/** Columns of a table to import; the first two name the airframe. */
const AIRFRAME_COLUMNS = ['icao_address', 'tail_number', 'aircraft_type', 'engine_uid', 'role'] as const;

export interface ImportedAirframes {
  readonly airframes: number;
  /** Rows that were left out, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** The first of them, as sentences. */
  readonly examples: readonly string[];
  /** Types without performance parameters; their flights stay `type_unsupported`. */
  readonly unsupportedTypes: readonly string[];
}

type Row = Record<(typeof AIRFRAME_COLUMNS)[number], string | null>;

const MEMORY_MIB = 256;
const MAX_EXAMPLES = 10;
const ROLES = ['Passenger', 'Cargo', 'Business'];
const ROWS_AT_ONCE = 100;

/** Replaces the table by that of a CSV or Parquet file. Days are computed again for airframes that changed. */
export async function importAirframes(
  database: Database,
  path: string,
  nowMs: number,
): Promise<ImportedAirframes> {
  const rows = await readTable(path);
  const known = new Set(knownAircraftTypes());
  const refused: Record<string, number> = {};
  const examples: string[] = [];
  const unsupported = new Set<string>();
  const airframes = new Map<string, Row>();
  rows.forEach((row, index) => {
    const reason = faultOf(row);
    if (reason !== undefined) {
      refused[reason.code] = (refused[reason.code] ?? 0) + 1;
      if (examples.length < MAX_EXAMPLES) examples.push(`row ${index + 1}: ${reason.message}`);
      return;
    }
    if (row.aircraft_type !== null && !known.has(designator(row.aircraft_type)))
      unsupported.add(designator(row.aircraft_type));
    airframes.set(`${row.icao_address ?? ''}|${row.tail_number ?? ''}`, row);
  });
  if (airframes.size === 0) {
    throw new UsageError(
      `${path} has no row that can be used${examples.length === 0 ? '' : `; ${examples[0]}`}`,
    );
  }
  await replaceTable(
    database,
    [...airframes.entries()].sort(([a], [b]) => (a < b ? -1 : 1)),
    path,
    nowMs,
  );
  return { airframes: airframes.size, refused, examples, unsupportedTypes: [...unsupported].sort() };
}

/** Names the state of the table. */
export async function airframesHash(database: Queryable): Promise<string> {
  const [row] = await database.query<{ sha256: string }>('SELECT sha256 FROM inventory_airframe_tables');
  return row?.sha256 ?? '';
}

/** The whole table in memory: some 100,000 airframes take 20 MB. */
export async function loadAirframes(database: Queryable): Promise<AirframeTable> {
  const rows = await database.query<{
    icao_address: string;
    tail_number: string;
    aircraft_type: string | null;
    engine_uid: string | null;
    role: string | null;
  }>('SELECT * FROM inventory_airframes');
  const byAddress = new Map<string, Airframe>();
  const byTail = new Map<string, Airframe>();
  for (const row of rows) {
    const airframe = { aircraftType: row.aircraft_type, engineUid: row.engine_uid, role: row.role };
    if (row.icao_address !== '') byAddress.set(row.icao_address, airframe);
    if (row.tail_number !== '') byTail.set(row.tail_number, airframe);
  }
  return {
    find(icaoAddress, tailNumber) {
      const ofTail = tailNumber === null ? undefined : byTail.get(tailNumber);
      return [byAddress.get(icaoAddress), ofTail].flatMap((one) => one ?? []);
    },
  };
}

async function readTable(path: string): Promise<Row[]> {
  return withWorkspace({ memoryMiB: MEMORY_MIB }, async ({ duckdb }) => {
    const source = path.endsWith('.parquet')
      ? `read_parquet(${sqlPath(path)}, hive_partitioning = false)`
      : `read_csv(${sqlPath(path)}, header = true, all_varchar = true)`;
    const described = await duckdb.rows(`DESCRIBE SELECT * FROM ${source}`).catch((error: unknown) => {
      throw new UsageError(`${path} cannot be read as CSV with a header, or as Parquet if its name ends so`, {
        cause: error,
      });
    });
    const names = new Map(
      described.map(({ column_name }) => [String(column_name).trim().toLowerCase(), String(column_name)]),
    );
    const hasName = names.has('icao_address') || names.has('tail_number');
    const hasValue = names.has('aircraft_type') || names.has('engine_uid');
    if (!hasName || !hasValue) {
      throw new UsageError(
        `${path} has the columns ${[...names.keys()].join(', ')}; it needs icao_address or tail_number, and aircraft_type or engine_uid (role is optional)`,
      );
    }
    const list = AIRFRAME_COLUMNS.map((name) => {
      const column = names.get(name);
      return column === undefined
        ? `NULL AS "${name}"`
        : `nullif(trim(CAST("${column.replaceAll('"', '""')}" AS VARCHAR)), '') AS "${name}"`;
    });
    const rows = await duckdb.rows(`SELECT ${list.join(', ')} FROM ${source}`);
    return rows.map((row) => {
      const text = (name: string) => (row[name] == null ? null : String(row[name]));
      return {
        icao_address: text('icao_address')?.toUpperCase() ?? null,
        tail_number: text('tail_number')?.toUpperCase() ?? null,
        aircraft_type: text('aircraft_type')?.toUpperCase() ?? null,
        engine_uid: text('engine_uid'),
        role: text('role'),
      };
    });
  });
}

function faultOf(row: Row): { code: string; message: string } | undefined {
  const { icao_address, tail_number, engine_uid, role } = row;
  if (icao_address === null && tail_number === null)
    return { code: 'no_airframe', message: 'neither icao_address nor tail_number is given' };
  if (icao_address !== null && !/^[0-9A-F]{6}$/.test(icao_address))
    return { code: 'bad_address', message: `icao_address ${icao_address} is not six hexadecimal digits` };
  if (row.aircraft_type === null && engine_uid === null)
    return { code: 'empty', message: 'neither aircraft_type nor engine_uid is given' };
  if (engine_uid !== null && resolveEngineUid(engine_uid) === null)
    return { code: 'unknown_engine', message: `engine_uid ${engine_uid} is not in the emissions databank` };
  if (role !== null && !ROLES.includes(role))
    return { code: 'bad_role', message: `role ${role} is not one of ${ROLES.join(', ')}` };
  return undefined;
}

async function replaceTable(
  database: Database,
  rows: readonly (readonly [string, Row])[],
  name: string,
  nowMs: number,
): Promise<void> {
  const sha256 = createHash('sha256').update(JSON.stringify(rows)).digest('hex');
  await database.transaction(async (tx) => {
    await tx.execute('DELETE FROM inventory_airframes');
    await tx.execute('DELETE FROM inventory_airframe_tables');
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const some = rows.slice(from, from + ROWS_AT_ONCE);
      const placeholders = some.map(
        (_, k) => `($${5 * k + 1}, $${5 * k + 2}, $${5 * k + 3}, $${5 * k + 4}, $${5 * k + 5})`,
      );
      await tx.execute(
        `INSERT INTO inventory_airframes (icao_address, tail_number, aircraft_type, engine_uid, role) VALUES ${placeholders.join(', ')}`,
        some.flatMap(([, row]) => [
          row.icao_address ?? '',
          row.tail_number ?? '',
          row.aircraft_type,
          row.engine_uid,
          row.role,
        ]),
      );
    }
    await tx.execute(
      'INSERT INTO inventory_airframe_tables (sha256, name, airframes, imported_ms) VALUES ($1, $2, $3, $4)',
      [sha256, name, rows.length, nowMs],
    );
  });
}
