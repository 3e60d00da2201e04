import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { createLimiter, LruMap } from '@contrails/runtime';
import { UnavailableError } from '@contrails/runtime/errors';
import type { Database, Queryable, SqlValue } from './database.ts';
import { checkValues, toSqlite } from './dialect.ts';
import { DamagedDatabaseError, retryWhileBusy, sqliteError } from './sqlite-errors.ts';
import { createTransactions } from './transactions.ts';

export interface SqliteOptions {
  /** How long a statement waits for another process's lock before it fails. */
  readonly busyTimeoutMs?: number;
}

/** How long SQLite itself may wait for a lock: it blocks the event loop, so the longer waits happen outside. */
const BLOCKING_WAIT_MS = 5;
const CACHED_STATEMENTS = 256;
/** In WAL mode `NORMAL` flushes at checkpoints only: a power failure would lose commits that were acknowledged. */
const FLUSH_EVERY_COMMIT = 'PRAGMA synchronous = FULL';
const WAL_LIMIT_BYTES = 64 * 1024 * 1024;

/** Opens (and makes) a database file that several processes of one machine may use at once. */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Database> {
  const busyTimeoutMs = options.busyTimeoutMs ?? 5_000;
  const connection = await connect(path, busyTimeoutMs);
  const statements = createStatementCache(connection);
  const turns = createLimiter(1);
  const transactions = createTransactions();
  let closed = false;
  /** Stays until the file is replaced, which needs a restart. */
  let damage: DamagedDatabaseError | undefined;

  const attempt = async <T>(run: () => T): Promise<T> => {
    if (closed) throw new UnavailableError('the database is closed');
    try {
      return await retryWhileBusy(run, busyTimeoutMs);
    } catch (error) {
      const known = sqliteError(error, path);
      if (known instanceof DamagedDatabaseError) damage = known;
      throw known;
    }
  };
  const onConnection: Queryable = {
    dialect: 'sqlite',
    query: <Row extends object>(sql: string, values: readonly SqlValue[] = []) =>
      attempt(() => statements.get(sql).statement.all(...bind(values)) as Row[]),
    execute: (sql, values = []) =>
      attempt(() => {
        const { statement, changesRows } = statements.get(sql);
        const { changes } = statement.run(...bind(values));
        return changesRows ? Number(changes) : 0;
      }),
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    transactions.refuseInside();
    return turns(work);
  };
  const rollBack = () => {
    // Some failures (disk full, I/O) have rolled back already.
    if (connection.isOpen && connection.isTransaction) connection.exec('ROLLBACK');
  };

  return {
    dialect: 'sqlite',
    query: async (sql, values) => inTurn(() => onConnection.query(sql, values)),
    execute: async (sql, values) => inTurn(() => onConnection.execute(sql, values)),
    transaction: async (work, { durable = true } = {}) =>
      inTurn(async () => {
        if (!durable) await attempt(() => connection.exec('PRAGMA synchronous = NORMAL'));
        try {
          await attempt(() => connection.exec('BEGIN IMMEDIATE'));
          const result = await transactions.run(onConnection, work);
          await attempt(() => connection.exec('COMMIT'));
          return result;
        } catch (error) {
          await attempt(rollBack);
          throw error;
        } finally {
          if (connection.isOpen && !connection.isTransaction) connection.exec(FLUSH_EVERY_COMMIT);
        }
      }),
    async ping() {
      if (damage !== undefined) throw damage;
      try {
        await stat(path);
      } catch (error) {
        throw new UnavailableError(`the database file ${path} is gone`, { cause: error, facts: { path } });
      }
      await inTurn(() => onConnection.query('SELECT count(*) FROM sqlite_master'));
    },
    async close() {
      await inTurn(async () => {
        if (closed) return;
        closed = true;
        connection.close();
      });
    },
  };
}

async function connect(path: string, busyTimeoutMs: number): Promise<DatabaseSync> {
  let connection: DatabaseSync | undefined;
  try {
    await mkdir(dirname(path), { recursive: true });
    const opened = new DatabaseSync(path, { timeout: BLOCKING_WAIT_MS });
    connection = opened;
    // Switching to WAL needs the file alone for a moment, which another process that starts now may hold.
    await retryWhileBusy(() => opened.exec('PRAGMA journal_mode = WAL'), busyTimeoutMs);
    await retryWhileBusy(() => {
      opened.exec(FLUSH_EVERY_COMMIT);
      opened.exec('PRAGMA foreign_keys = ON');
      opened.exec(`PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`);
    }, busyTimeoutMs);
    return opened;
  } catch (error) {
    connection?.close();
    throw isSystemError(error)
      ? new UnavailableError(`the database file ${path} cannot be made: ${error.code}`, {
          cause: error,
          facts: { path },
        })
      : sqliteError(error, path);
  }
}

interface CachedStatement {
  readonly statement: StatementSync;
  /** SQLite returns the count of an earlier statement for one that changes no rows (such as CREATE TABLE). */
  readonly changesRows: boolean;
}

function createStatementCache(connection: DatabaseSync): { get(sql: string): CachedStatement } {
  const cache = new LruMap<string, CachedStatement>({ capacity: CACHED_STATEMENTS });
  return {
    get(sql) {
      const cached = cache.get(sql);
      if (cached !== undefined) return cached;
      const made = {
        statement: connection.prepare(toSqlite(sql)),
        changesRows: /^\s*(insert|update|delete|with)\b/i.test(sql),
      };
      cache.set(sql, made);
      return made;
    },
  };
}

/** Whole numbers are bound as integers, not doubles, so arithmetic in SQL stays whole as in PostgreSQL. */
function bind(values: readonly SqlValue[]): SQLInputValue[] {
  return checkValues(values).map((value) =>
    typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value,
  );
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}
