import { join } from 'node:path';
import type { AppendedColumn } from '@contrails/formats';
import { makeTemporaryFolder } from '@contrails/runtime';
import { TELEMETRY_COLUMNS, type TelemetryColumnName } from '../telemetry/columns.ts';
import { sameReport, winnerOrder } from './duplicates.ts';
import type { TelemetryBlock } from './intake.ts';
import type { Refusal, RefusalCode } from './refusals.ts';

/** Blocks of one or more inputs together, in a database that goes to disk where it does not fit in memory. */
export interface TelemetryCollection {
  /** Blocks come in the order of the inputs. */
  add(block: TelemetryBlock, input: number): Promise<void>;
  /** Refuses all but one of the rows with the same address and time; to be called once, after the last block. */
  refuseDuplicates(): Promise<void>;
  counts(): Promise<{ readonly rows: number; readonly refused: ReadonlyMap<RefusalCode, number> }>;
  /** One column in the order of the inputs, in chunks. */
  column(name: TelemetryColumnName): AsyncGenerator<Float64Array | (string | null)[]>;
  /** In the order of the inputs, in chunks. */
  refused(): AsyncGenerator<readonly (Refusal & { readonly input: number })[]>;
  /** Writes the rows as a telemetry table. */
  writeParquet(file: string): Promise<void>;
  close(): Promise<void>;
}

export interface CollectionSettings {
  readonly memoryMiB: number;
  readonly threads: number;
}

type ColumnKind = 'time' | 'integer' | 'number' | 'text';

const KINDS: Readonly<Record<TelemetryColumnName, ColumnKind>> = {
  timestamp: 'time',
  latitude: 'number',
  longitude: 'number',
  collection_type: 'text',
  altitude_baro: 'integer',
  altitude_gnss: 'integer',
  icao_address: 'text',
  flight_id: 'text',
  callsign: 'text',
  tail_number: 'text',
  flight_number: 'text',
  aircraft_type_icao: 'text',
  airline_iata: 'text',
  departure_airport_icao: 'text',
  departure_scheduled_time: 'time',
  arrival_airport_icao: 'text',
  arrival_scheduled_time: 'time',
  nic: 'integer',
  nacp: 'integer',
};

const ROW_GROUP_ROWS = 122_880;
const TRANSACTION_BLOCKS = 8;

export async function openCollection(settings: CollectionSettings): Promise<TelemetryCollection> {
  const { openDuckDb, sqlText } = await import('@contrails/formats');
  const folder = await makeTemporaryFolder('reports');
  const db = await openDuckDb({ ...settings, temporaryDirectory: join(folder.path, 'spill') });
  const columns = TELEMETRY_COLUMNS.map((name) => `${name} ${KINDS[name] === 'text' ? 'VARCHAR' : 'DOUBLE'}`);
  await db.run(
    `CREATE TABLE reports (input DOUBLE, record DOUBLE, ${columns.join(', ')}, age DOUBLE, position_source DOUBLE)`,
  );
  await db.run('CREATE TABLE refused (input DOUBLE, record DOUBLE, code VARCHAR, detail VARCHAR)');
  let blocks = 0;
  return {
    async add({ columns: values, work, record, refused }, input) {
      // Many rows in one transaction cost DuckDB a fifth of few rows in each.
      if (blocks++ % TRANSACTION_BLOCKS === 0) await db.run(blocks === 1 ? 'BEGIN' : 'COMMIT; BEGIN');
      const inputs = (length: number) => new Float64Array(length).fill(input);
      const table: AppendedColumn[] = TELEMETRY_COLUMNS.map((name) => values[name]);
      await db.append('reports', record.length, [
        inputs(record.length),
        record,
        ...table,
        work.positionAgeS,
        Float64Array.from(work.positionSource),
      ]);
      await db.append('refused', refused.length, [
        inputs(refused.length),
        Float64Array.from(refused, (refusal) => refusal.record),
        refused.map(({ code }) => code),
        refused.map(({ detail }) => detail),
      ]);
    },

    async refuseDuplicates() {
      if (blocks > 0) await db.run('COMMIT');
      const order = winnerOrder({
        positionAgeS: 'age',
        positionSource: 'position_source',
        nic: 'nic',
        nacp: 'nacp',
        received: 'input',
        source: 'record',
      });
      await db.run(`CREATE TABLE losers AS
        WITH keys AS (SELECT icao_address, timestamp FROM reports GROUP BY ALL HAVING count(*) > 1),
        ranked AS (
          SELECT rowid AS loser, first_value(rowid) OVER (PARTITION BY icao_address, timestamp ORDER BY ${order}) AS winner
          FROM reports SEMI JOIN keys USING (icao_address, timestamp)
        )
        SELECT loser, winner FROM ranked WHERE loser <> winner`);
      await db.run(`INSERT INTO refused
        SELECT a.input, a.record, CASE WHEN ${sameReport('a', 'b')} THEN 'duplicate' ELSE 'conflicting_duplicate' END,
          a.icao_address || ' at the time of record ' || b.record::BIGINT
            || CASE WHEN a.input = b.input THEN '' ELSE ' of file ' || (b.input + 1)::BIGINT END
        FROM losers JOIN reports a ON a.rowid = loser JOIN reports b ON b.rowid = winner`);
      await db.run('DELETE FROM reports WHERE rowid IN (SELECT loser FROM losers)');
      await db.run('DROP TABLE losers');
    },

    async counts() {
      const [rows] = await db.rows('SELECT count(*) AS rows FROM reports');
      const refused = await db.rows('SELECT code, count(*) AS records FROM refused GROUP BY code');
      return {
        rows: Number(rows?.rows),
        refused: new Map(refused.map(({ code, records }) => [code as RefusalCode, Number(records)])),
      };
    },

    async *column(name) {
      for await (const chunk of db.chunks(`SELECT ${name} FROM reports ORDER BY input, record`)) {
        yield KINDS[name] === 'text' ? chunk.texts(0) : chunk.numbers(0);
      }
    },

    async *refused() {
      for await (const chunk of db.chunks(
        'SELECT input, record, code, detail FROM refused ORDER BY input, record',
      )) {
        const [inputs, records] = [chunk.numbers(0), chunk.numbers(1)];
        const [codes, details] = [chunk.texts(2), chunk.texts(3)];
        yield codes.map((code, i) => ({
          input: inputs[i] as number,
          record: records[i] as number,
          code: code as RefusalCode,
          detail: details[i] as string,
        }));
      }
    },

    async writeParquet(file) {
      const selected = TELEMETRY_COLUMNS.map((name) => `${storedAs(name)} AS ${name}`);
      await db.run(`COPY (SELECT ${selected.join(', ')} FROM reports ORDER BY input, record)
        TO ${sqlText(file)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`);
    },

    async close() {
      db.close();
      await folder.remove();
    },
  };
}

/** A column of the collection with the type of the telemetry table. */
function storedAs(name: TelemetryColumnName): string {
  if (KINDS[name] === 'time') return `make_timestamp((${name} * 1000)::BIGINT)`;
  return KINDS[name] === 'integer' ? `${name}::BIGINT` : name;
}
