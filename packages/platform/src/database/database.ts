export type SqlValue = string | number | null | Uint8Array;

/** Anything that runs SQL: the database itself, or one transaction on it. */
export interface Queryable {
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * Rows of one statement in the SQL that both dialects share; placeholders are `$1`, `$2`, …
   * Integers come back as numbers, whatever the width of the column.
   */
  query<Row extends object>(sql: string, values?: readonly SqlValue[]): Promise<Row[]>;
  /** Runs one statement and returns how many rows it changed. */
  execute(sql: string, values?: readonly SqlValue[]): Promise<number>;
}

export interface TransactionOptions {
  /**
   * False for what is written often and may be lost when the machine loses power, such as counts and leases: the commit does
   * not wait for the disk. It is still all or nothing, and a killed process loses nothing. The default is true.
   */
  readonly durable?: boolean;
}

/**
 * Keys, usage, jobs and the catalogue of products live here. Times are integer milliseconds since 1970,
 * JSON is text, flags are 0/1, so one schema and one set of queries serve SQLite and PostgreSQL.
 * A failure of the database itself (stopped, unreachable, disk full, locked too long) is an `UnavailableError`.
 */
export interface Database extends Queryable {
  /** All or nothing, and on disk when it resolves. `work` must use the handle it is given, not the database. */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Rejects with `UnavailableError` when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
