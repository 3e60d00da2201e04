import { UnavailableError, UsageError } from '@contrails/runtime/errors';
import type { CustomTypesConfig, Pool, PoolClient } from 'pg';
import type { Database, Queryable, SqlValue } from './database.ts';
import { checkValues } from './dialect.ts';
import { postgresError } from './postgres-errors.ts';
import { createTransactions } from './transactions.ts';

export interface PostgresOptions {
  /** Most connections this process holds at once. */
  readonly connections?: number;
  /** A statement without an answer for so long fails, so a stalled server or network cannot hang a request. */
  readonly statementTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;

/** A pool of connections, opened when first needed and reopened after the server was away. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Database> {
  const place = placeOf(url);
  const pool = await createPool(url, options);
  const transactions = createTransactions();

  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw postgresError(error, place);
    }
  };
  const database = queries(pool, guard, () => transactions.refuseInside());

  return {
    ...database,
    async transaction(work, { durable = true } = {}) {
      transactions.refuseInside();
      const client = await guard(() => pool.connect());
      let broken: Error | undefined;
      try {
        await guard(() => client.query(durable ? 'BEGIN' : 'BEGIN; SET LOCAL synchronous_commit TO OFF'));
        const result = await transactions.run(queries(client, guard), work);
        const { command } = await guard(() => client.query('COMMIT'));
        if (command !== 'COMMIT') {
          throw new Error('the transaction was rolled back because one of its statements had failed');
        }
        return result;
      } catch (error) {
        // A connection that failed to answer once is not waited for a second time.
        broken = error instanceof UnavailableError ? error : await rollBack(client);
        throw error;
      } finally {
        client.release(broken);
      }
    },
    async ping() {
      await database.query('SELECT 1');
    },
    async close() {
      transactions.refuseInside();
      if (!pool.ending) await pool.end();
    },
  };
}

async function createPool(url: string, options: PostgresOptions): Promise<Pool> {
  const { default: pg } = await import('pg');
  // Integers and sums of integers come back as text by default, to keep digits that a double has not.
  const types: CustomTypesConfig = {
    getTypeParser(oid, format) {
      if (oid === pg.types.builtins.INT8) return toInteger;
      if (oid === pg.types.builtins.NUMERIC) return Number;
      return pg.types.getTypeParser(oid, format as 'text');
    },
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    query_timeout: options.statementTimeoutMs ?? 10_000,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'contrails',
    types,
  });
  // A connection that the server drops reports it by an event as well as to the statement that was running;
  // without a listener that event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function queries(
  runner: Pool | PoolClient,
  guard: <T>(work: () => Promise<T>) => Promise<T>,
  check: () => void = () => undefined,
): Queryable {
  const run = (sql: string, values: readonly SqlValue[] = []) =>
    guard(() => {
      check();
      return runner.query(sql, [...checkValues(values)]);
    });
  return {
    dialect: 'postgres',
    query: async <Row extends object>(sql: string, values?: readonly SqlValue[]) =>
      (await run(sql, values)).rows as Row[],
    execute: async (sql, values) => (await run(sql, values)).rowCount ?? 0,
  };
}

/** Returns why the connection cannot be used again, if it cannot. */
async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function toInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the integer ${text} is too large for a number`);
  return value;
}

/** Host, port and database of the URL: all of it that may appear in a message. */
function placeOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new UsageError('the database URL cannot be read; write postgres://user:password@host:5432/name', {
      facts: { setting: 'database' },
    });
  }
  return `postgres://${parsed.host}${parsed.pathname}`;
}
