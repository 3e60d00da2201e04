import { UsageError } from '@contrails/runtime/errors';
import type { Database, Queryable } from './database.ts';

/**
 * One step of the schema. Steps of one room build on each other in their order; steps of different rooms are
 * independent. A published step is never changed: a later step changes what it made.
 */
export interface Migration {
  /** Unique for ever: the room's name and a number, such as `keys-1`. */
  readonly id: string;
  /** Set when only this kind of database needs the step. */
  readonly dialect?: Queryable['dialect'];
  /** Statements in the shared SQL (see `dialect.ts`), one each. */
  readonly statements: readonly string[];
}

/** Any constant will do; it names the lock that migrating processes take in turn. */
const ADVISORY_LOCK = 4_271_902_113;

/** Brings the schema up to date, all or nothing; processes that start at the same moment take turns. */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<void> {
  await database.transaction(async (tx) => {
    // On SQLite the transaction itself keeps the others out.
    if (tx.dialect === 'postgres') await tx.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    const applied = await appliedIds(tx);
    refuseNewer(applied, migrations);
    for (const migration of migrations) {
      if (applied.has(migration.id) || (migration.dialect ?? tx.dialect) !== tx.dialect) continue;
      for (const statement of migration.statements) await tx.execute(statement);
      await tx.execute('INSERT INTO migrations (id, applied_ms) VALUES ($1, $2)', [migration.id, Date.now()]);
    }
  });
}

/** Which steps the schema has; changes nothing. */
export async function schemaSteps(database: Queryable): Promise<string[]> {
  const [table] = await database.query<{ name: string | null }>(
    database.dialect === 'postgres'
      ? `SELECT to_regclass('migrations')::text AS name`
      : `SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'migrations'`,
  );
  if (!table?.name) return [];
  const rows = await database.query<{ id: string }>('SELECT id FROM migrations ORDER BY id');
  return rows.map(({ id }) => id);
}

async function appliedIds(tx: Queryable): Promise<Set<string>> {
  await tx.execute(
    'CREATE TABLE IF NOT EXISTS migrations (id TEXT NOT NULL PRIMARY KEY, applied_ms BIGINT NOT NULL)',
  );
  const rows = await tx.query<{ id: string }>('SELECT id FROM migrations');
  return new Set(rows.map((row) => row.id));
}

function refuseNewer(applied: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map((migration) => migration.id));
  const unknown = [...applied].filter((id) => !known.has(id)).sort();
  if (unknown.length === 0) return;
  throw new UsageError(
    `the database was made by a newer version of contrails (it has the schema step ${unknown.join(', ')}); ` +
      'run that version or a later one, or use another database',
    { facts: { unknown } },
  );
}
