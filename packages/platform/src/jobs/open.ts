import type { Database } from '../database/database.ts';
import type { Log } from '../log.ts';
import { createJobs } from './create.ts';
import { createEmbeddedEngine, type EmbeddedOptions } from './embedded/engine.ts';
import type { Jobs } from './jobs.ts';
import type { PgBossOptions } from './pgboss/engine.ts';

export interface JobsOptions {
  readonly log: Log;
  /** As in `openDatabase`; the queue on PostgreSQL listens on a separate connection. */
  readonly database: string;
  readonly embedded?: EmbeddedOptions;
  readonly pgBoss?: PgBossOptions;
}

/** The background jobs of the service, on the queue that belongs to its database. */
export async function openJobs(database: Database, options: JobsOptions): Promise<Jobs> {
  if (database.dialect === 'sqlite') {
    return createJobs(database, createEmbeddedEngine(database, options.embedded));
  }
  // Loaded only where it is used: the embedded form does without.
  const { createPgBossEngine } = await import('./pgboss/engine.ts');
  return createJobs(
    database,
    await createPgBossEngine(database, options.database, options.log, options.pgBoss),
  );
}
