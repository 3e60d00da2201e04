import { join } from 'node:path';
import { type DuckDb, openDuckDb } from '@contrails/formats';
import { openStore } from '@contrails/platform/store';
import { localCopy } from '@contrails/platform/workspace';
import { temporaryDirectory } from '../../../../../../test/support/temporary.ts';
import { openDatabase } from '../../../../src/migrations.ts';
import type { TelemetryRules } from '../../../../src/telemetry-store/config.ts';
import { telemetryRules, telemetrySection } from '../../../../src/telemetry-store/config.ts';
import { readManifest } from '../../../../src/telemetry-store/manifest.ts';
import type { TelemetryServices } from '../../../../src/telemetry-store/services.ts';

/** The defaults of the configuration. */
export function defaultRules(more: Partial<TelemetryRules> = {}): TelemetryRules {
  const settings = Object.entries(telemetrySection.properties).map(([name, node]) => [
    name,
    (node as { default?: unknown }).default,
  ]);
  return { ...telemetryRules(Object.fromEntries(settings)), memoryMiB: 128, ...more };
}

export const APPLY = { memoryMiB: 128, closeAfterMs: 7 * 86_400_000, latenessMs: 900_000 };

export interface Installation extends TelemetryServices {
  readonly directory: string;
  close(): Promise<void>;
}

/** Its own database and directory. */
export async function openInstallation(): Promise<Installation> {
  const directory = await temporaryDirectory();
  const database = await openDatabase({ database: 'embedded', directory });
  const store = await openStore({ kind: 'directory', path: join(directory, 'store') });
  return {
    directory,
    database,
    store,
    async close() {
      await store.close();
      await database.close();
    },
  };
}

/** Rows of a file of the current generation, as SQL reads them. */
export async function readHour(
  { store }: Pick<TelemetryServices, 'store'>,
  hourMs: number,
  file: 'served' | 'by_aircraft' | 'ground' = 'served',
  columns = '*',
) {
  const current = await readManifest(store, hourMs);
  if (current === undefined) throw new Error('the hour is not published');
  const directory = await temporaryDirectory();
  const path = await localCopy(store, current.manifest[file].key, directory);
  return withDuckDb((duckdb) =>
    duckdb.rows(`SELECT ${columns} FROM read_parquet($1, hive_partitioning = false)`, [path]),
  );
}

export async function withDuckDb<T>(work: (duckdb: DuckDb) => Promise<T>): Promise<T> {
  const duckdb = await openDuckDb({
    memoryMiB: 128,
    threads: 1,
    temporaryDirectory: await temporaryDirectory(),
  });
  try {
    return await work(duckdb);
  } finally {
    duckdb.close();
  }
}

/** Every report is kept, so none can be missed. */
export const KILL_RULES = defaultRules({ thinS: 0 });
