import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Database } from '@contrails/platform/database/database';
import { requireIntegrity } from '@contrails/platform/database/integrity';
import { schemaSteps } from '@contrails/platform/database/migrate';
import { openDatabaseAsIs } from '@contrails/platform/database/open';
import { DAMAGE_REMEDY, DamagedDatabaseError } from '@contrails/platform/database/sqlite-errors';
import type { Finding } from '@contrails/platform/finding';
import { createKeys } from '@contrails/platform/keys';
import { PROBES } from '@contrails/platform/store/directory/layout';
import { ContrailsError } from '@contrails/runtime/errors';
import type { CoreConfig } from '../config/core.ts';
import { families, scopes as known } from '../families/index.ts';
import { migrations } from '../migrations.ts';
import { databaseOptions, embeddedFile, openConfiguredStore, strandedStore } from '../services.ts';
import type { OtherClock } from './clock.ts';
import { checkProducts } from './products.ts';

/** Times a few statements and compares the schema with that of this version, which it leaves as it is. */
export async function checkDatabase(config: CoreConfig, clocks: OtherClock[]): Promise<Finding[]> {
  const name = config.database.kind === 'embedded' ? 'embedded' : config.database.shown;
  const file = embeddedFile(config);
  try {
    const stranded = await strandedStore(config);
    if (stranded !== undefined) return [{ check: 'database', state: 'fail', ...stranded }];
    const database = await openDatabaseAsIs(databaseOptions(config));
    if (database === undefined) {
      return [{ check: 'database', state: 'ok', message: `${name}, made when the service starts` }];
    }
    try {
      const integrity = file === undefined ? '' : integrityOf(file);
      const latencyMs = await medianMs(5, () => database.ping());
      const schema = await schemaOf(database);
      if (database.dialect === 'postgres') {
        const beforeMs = Date.now();
        const rows = await database.query<{ ms: number }>(
          'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS ms',
        );
        const resolutionMs = Date.now() - beforeMs;
        for (const { ms } of rows)
          clocks.push({ name: 'the database', aheadMs: beforeMs - ms, resolutionMs });
      }
      const message = `${name}, ${schema.message}, ${integrity}answers in ${latencyMs.toFixed(1)} ms`;
      if (schema.remedy !== undefined) {
        const { state, remedy } = schema;
        return [{ check: 'database', state, message, remedy }];
      }
      const found: Finding =
        latencyMs > 100
          ? { check: 'database', state: 'warn', message, remedy: 'move the service nearer to the database' }
          : { check: 'database', state: 'ok', message };
      const ofFamilies = await Promise.all(
        families.map(({ doctor }) => doctor?.checkDatabase?.(database) ?? []),
      );
      const keys = await checkKeys(database);
      return [found, keys, ...(await checkCatalogue(config, database)), ...ofFamilies.flat()];
    } finally {
      await database.close();
    }
  } catch (error) {
    return [failed('database', name, error, databaseRemedy(error, file))];
  }
}

/** Throws when the file is damaged. A large one is checked as far as the time reaches. */
function integrityOf(file: string): string {
  const { tables, checked } = requireIntegrity(file);
  return checked < tables ? `${checked} of ${tables} tables checked and whole, ` : 'whole, ';
}

function databaseRemedy(error: unknown, file: string | undefined): string {
  if (error instanceof DamagedDatabaseError) return DAMAGE_REMEDY;
  return file === undefined
    ? 'check the address, the password and that the server runs'
    : `check that ${file} and its directory can be read and written, and that the disk has space`;
}

/** How the schema compares with that of this version. */
async function schemaOf(
  database: Database,
): Promise<{ readonly message: string; readonly state: Finding['state']; readonly remedy?: string }> {
  const applied = await schemaSteps(database);
  const wanted = migrations.filter(({ dialect }) => (dialect ?? database.dialect) === database.dialect);
  const newer = applied.filter((id) => wanted.every((step) => step.id !== id));
  const missing = wanted.filter(({ id }) => !applied.includes(id));
  if (newer.length > 0) {
    return {
      state: 'fail',
      message: `schema of a newer version (${newer.join(', ')})`,
      remedy: 'run that version or a later one, or restore a backup of this version',
    };
  }
  if (missing.length === 0) return { state: 'ok', message: `schema current (${applied.length} steps)` };
  const message = applied.length === 0 ? 'empty' : `${missing.length} schema steps behind this version`;
  return {
    state: 'warn',
    message,
    remedy: 'back up, then start a server or worker of this version: it migrates the schema',
  };
}

/** Keys that can read and write everything should be few and known. */
async function checkKeys(database: Database): Promise<Finding> {
  const nowMs = Date.now();
  const valid = (await createKeys(database, known).list()).filter(
    ({ revokedMs, expiresMs }) => revokedMs === null && (expiresMs ?? Number.POSITIVE_INFINITY) > nowMs,
  );
  const unlimited = valid.filter(({ scopes }) => known.restricted.every((scope) => scopes.includes(scope)));
  if (unlimited.length === 0) {
    return { check: 'keys', state: 'ok', message: `${valid.length} valid, none with every restricted scope` };
  }
  const names = unlimited.slice(0, MAX_NAMED).map(({ id, name }) => `${id} (${name})`);
  const more = unlimited.length > MAX_NAMED ? ` and ${unlimited.length - MAX_NAMED} more` : '';
  return {
    check: 'keys',
    state: 'warn',
    message: `${unlimited.length} of ${valid.length} valid keys can do everything: ${names.join(', ')}${more}`,
    remedy: 'give each only what it needs, "contrails keys update ID --scopes …", or revoke it',
  };
}

const MAX_NAMED = 5;

/** A store that cannot be read has its own finding. */
async function checkCatalogue(config: CoreConfig, database: Database): Promise<Finding[]> {
  const store = await openConfiguredStore(config).catch(() => undefined);
  if (store === undefined) return [];
  try {
    return [await checkProducts({ store, database })];
  } catch (error) {
    return [failed('products', store.location, error, 'check the store')];
  } finally {
    await store.close();
  }
}

/** Writes, reads and deletes one small object. */
export async function checkStore(config: CoreConfig, clocks: OtherClock[]): Promise<Finding> {
  const { data } = config;
  const name =
    data.kind === 'directory' ? data.path : `s3://${[data.bucket, data.prefix].filter(Boolean).join('/')}`;
  try {
    const store = await openConfiguredStore(config);
    try {
      const key = `${PROBES}/${randomUUID()}`;
      const text = Buffer.from('written by contrails doctor\n');
      const startedMs = Date.now();
      await store.put(key, text);
      try {
        const info = await store.head(key);
        const found = await store.read(key);
        if (info === undefined || found === undefined || !text.equals(await buffer(found.body))) {
          throw new ContrailsError('what was written came back different');
        }
        const tookMs = Date.now() - startedMs;
        clocks.push({ name: 'the store', aheadMs: startedMs - info.modifiedMs, resolutionMs: tookMs + 1000 });
        return { check: 'store', state: 'ok', message: `${name} can be written and read (${tookMs} ms)` };
      } finally {
        await store.remove(key);
      }
    } finally {
      await store.close();
    }
  } catch (error) {
    const remedy =
      data.kind === 'directory'
        ? 'check that the directory exists, may be written and has space'
        : 'check s3.endpoint, the bucket and the credentials';
    return failed('store', name, error, remedy);
  }
}

async function medianMs(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now();
    await work();
    times.push(performance.now() - startedMs);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

function failed(check: string, name: string, error: unknown, remedy: string): Finding {
  const cause = error instanceof Error ? error.message : String(error);
  const shown = error instanceof DamagedDatabaseError ? error.finding : cause;
  return { check, state: 'fail', message: `${name}: ${shown}`, remedy };
}
