/** Opens what a process or a command needs, with the database schema of all families up to date. */

import type { Database } from '@contrails/platform/database';
import { createDisposables } from '@contrails/platform/disposables';
import type { Jobs } from '@contrails/platform/jobs';
import { createKeys, type Keys } from '@contrails/platform/keys';
import type { Log } from '@contrails/platform/log';
import type { Store } from '@contrails/platform/store';
import { sweepTemporaryFolders } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import type { CoreConfig } from './config/core.ts';
import { scopes } from './families/index.ts';
import { openDatabase } from './migrations.ts';
import {
  createServices,
  databaseOptions,
  openConfiguredStore,
  openJobQueue,
  type Services,
  strandedStore,
} from './services.ts';

export { loadSubjects } from './families/index.ts';
export { databaseOptions, openConfiguredStore, type Services } from './services.ts';

/** Opens all services, or none: when one cannot be opened, those before it are closed again. */
export async function openServices(config: CoreConfig, log: Log): Promise<Services> {
  await sweepTemporaryFolders();
  return createServices(config, log, () => openOwnDatabase(config), scopes);
}

async function openOwnDatabase(config: CoreConfig): Promise<Database> {
  const stranded = await strandedStore(config);
  if (stranded !== undefined) throw new UsageError(`${stranded.message}; ${stranded.remedy}`);
  return openDatabase(databaseOptions(config));
}

/** What the commands about keys need. */
export async function openKeysOnly(
  config: CoreConfig,
): Promise<{ database: Database; keys: Keys; close(): Promise<void> }> {
  const database = await openOwnDatabase(config);
  return { database, keys: createKeys(database, scopes), close: () => database.close() };
}

/** What the commands about telemetry need. */
export async function openDataOnly(
  config: CoreConfig,
  log: Log,
): Promise<{ database: Database; store: Store; close(): Promise<void> }> {
  const disposables = createDisposables(log);
  try {
    const database = await openOwnDatabase(config);
    disposables.add('the database', () => database.close());
    const store = await openConfiguredStore(config);
    disposables.add('the store', () => store.close());
    return { database, store, close: () => disposables.close() };
  } catch (error) {
    await disposables.close();
    throw error;
  }
}

/** What the commands about jobs need. */
export async function openJobsOnly(
  config: CoreConfig,
  log: Log,
): Promise<{ jobs: Jobs; database: Database; close(): Promise<void> }> {
  const disposables = createDisposables(log);
  try {
    const database = await openOwnDatabase(config);
    disposables.add('the database', () => database.close());
    const jobs = await openJobQueue(config, database, log, disposables);
    return { jobs, database, close: () => disposables.close() };
  } catch (error) {
    await disposables.close();
    throw error;
  }
}
