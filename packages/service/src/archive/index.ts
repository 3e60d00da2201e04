/** Backup, restore and migration: the same copy of database and store, by way of a directory or straight. */
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Database } from '@contrails/platform/database/database';
import { isInUse } from '@contrails/platform/database/in-use';
import { requireIntegrity } from '@contrails/platform/database/integrity';
import { embeddedPath, openDatabaseAsIs } from '@contrails/platform/database/open';
import { openJobs } from '@contrails/platform/jobs';
import type { Log } from '@contrails/platform/log';
import { lostGroup } from '@contrails/platform/products/kinds';
import { areStored } from '@contrails/platform/products/lost';
import { openStore, type Store } from '@contrails/platform/store';
import { PRIVATE_DIRECTORY } from '@contrails/platform/store/directory/layout';
import { withFolder } from '@contrails/platform/workspace';
import { ContrailsError, NotFoundError, UsageError } from '@contrails/runtime/errors';
import manifest from '../../package.json' with { type: 'json' };
import type { CoreConfig } from '../config/core.ts';
import { productKinds } from '../families/index.ts';
import { databaseOptions, embeddedFile, openConfiguredStore } from '../services.ts';
import { type CopiedObject, copyObjects, type OpenObject } from './objects.ts';
import {
  prepareDatabase,
  readJson,
  readLines,
  readTables,
  removeLines,
  type TablesSummary,
  withSnapshot,
  writeLines,
  writeTables,
} from './tables.ts';

const FORMAT = 1;

/** `manifest.json` of a backup; it is written last, so a backup without it is not whole. */
interface BackupManifest extends TablesSummary {
  readonly format: number;
  readonly version: string;
  readonly created: string;
}

export interface CopyOutcome {
  /** Rows by table; objects too. */
  readonly rows: Readonly<Record<string, number>>;
  /** Objects that were at the target already. */
  readonly present: number;
  /** Keys of objects that are missing or damaged at the source; their products are left out. */
  readonly lost: readonly string[];
}

export interface CopyOptions {
  readonly log: Log;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Copies the installation into a new directory, while it goes on. */
export async function backUp(
  config: CoreConfig,
  directory: string,
  options: CopyOptions,
): Promise<CopyOutcome> {
  const target = resolve(directory);
  if (existsSync(target)) {
    throw new UsageError(`${target} exists already; name a new directory for each backup`);
  }
  // Reuse what an interrupted backup left behind.
  const partial = join(dirname(target), `${basename(target)}.partial`);
  const source = await openSource(config);
  try {
    const tables = await snapshotOf(source, partial);
    const store = await openStore({ kind: 'directory', path: join(partial, 'store') });
    const copied = await copyFromLive(source, store, partial, tables, options).finally(() => store.close());
    await rm(join(partial, 'store', PRIVATE_DIRECTORY), { recursive: true, force: true });
    const { version } = manifest;
    const head: BackupManifest = {
      format: FORMAT,
      version,
      created: new Date().toISOString(),
      ...copied.tables,
    };
    await writeWhole(join(partial, 'manifest.json'), `${JSON.stringify(head, null, 2)}\n`);
    await rename(partial, target);
    return copied.outcome;
  } finally {
    await source.close();
  }
}

/** Copies a backup into the empty installation that the configuration describes. */
export async function restore(
  config: CoreConfig,
  directory: string,
  options: CopyOptions,
): Promise<CopyOutcome> {
  const source = resolve(directory);
  const tables = await readManifest(source);
  const fileOf = (key: string) => join(source, 'store', key);
  const openObject: OpenObject = async (key) =>
    existsSync(fileOf(key)) ? createReadStream(fileOf(key)) : undefined;
  return fill(config, source, tables, options, async (store) => {
    const total = tables.files.objects?.rows ?? 0;
    const objects = readLines<CopiedObject>(source, 'objects');
    const { lost, present } = await copyAll(objects, openObject, store, total, options);
    if (lost.length > 0) {
      throw new ContrailsError(
        `${lost.length} files of the backup are missing or damaged, the first is ${fileOf(lost[0] ?? '')}; use another backup`,
        { facts: { lost } },
      );
    }
    return { tables, outcome: { rows: countsOf(tables), present, lost } };
  });
}

/** Copies the installation `from` into the empty one `to`. Refuses a source that a server or worker uses. */
export async function migrateInstallation(
  from: CoreConfig,
  to: CoreConfig,
  options: CopyOptions,
): Promise<CopyOutcome> {
  refuseSame(from, to);
  await refuseInUse(from);
  const source = await openSource(from);
  try {
    return await withFolder('migrate', async (work) => {
      const nowMs = Date.now();
      const tables = await snapshotOf(source, work, nowMs);
      const requireUnchanged = async (remedy: string) => {
        const changes = await changesSince(tables, source, join(work, 'again'), nowMs);
        if (changes.length > 0) throw changedMeanwhile(changes, remedy);
      };
      const outcome = await fill(to, work, tables, options, async (store) => {
        const copied = await copyFromLive(source, store, work, tables, options);
        await requireUnchanged('no rows were written to the target; stop every server and worker');
        return copied;
      });
      await requireUnchanged('stop every server and worker, empty the target');
      return outcome;
    });
  } finally {
    await source.close();
  }
}

/** What a server acknowledges while the copy is made would be missing from the target. */
async function refuseInUse(config: CoreConfig): Promise<void> {
  if (!(await isInUse(databaseOptions(config)))) return;
  throw new UsageError(
    'a server, a worker or another command uses the source; stop all of them, so nothing they acknowledge is missing from the target, and run the command again',
  );
}

/** Tables that are no longer as they were copied, with their rows then and now. */
async function changesSince(
  { files: then }: TablesSummary,
  source: Source,
  directory: string,
  nowMs: number,
): Promise<string[]> {
  const { files: now } = await snapshotOf(source, directory, nowMs);
  return (Object.keys(now) as (keyof typeof now)[])
    .filter((name) => now[name]?.sha256 !== then[name]?.sha256)
    .map((name) => `${name} (${then[name]?.rows ?? 0} rows copied, ${now[name]?.rows} now)`);
}

function changedMeanwhile(changes: readonly string[], remedy: string): ContrailsError {
  return new ContrailsError(
    `the source was changed while it was copied, and the target misses changes in ${changes.join(', ')}; ${remedy}, and run the command again`,
    { facts: { changes } },
  );
}

interface Source {
  readonly database: Database;
  readonly embeddedFile: string | undefined;
  readonly store: Store;
  close(): Promise<void>;
}

async function openSource(config: CoreConfig): Promise<Source> {
  const file = embeddedFile(config);
  // A copy of damaged rows would replace good copies in time.
  if (file !== undefined && existsSync(file)) requireIntegrity(file);
  const database = await openDatabaseAsIs(databaseOptions(config));
  if (database === undefined) {
    throw new UsageError(`there is no database ${file}; name the data directory with --data or --config`);
  }
  const store = await openConfiguredStore(config);
  return {
    database,
    embeddedFile: file,
    store,
    close: async () => {
      await Promise.all([database.close(), store.close()]);
    },
  };
}

async function snapshotOf(source: Source, directory: string, nowMs = Date.now()): Promise<TablesSummary> {
  await mkdir(directory, { recursive: true });
  return withSnapshot(source.database, source.embeddedFile, directory, (snapshot) =>
    writeTables(snapshot, directory, nowMs),
  );
}

interface Copied {
  readonly tables: TablesSummary;
  readonly outcome: CopyOutcome;
}

/** Prepares an empty installation and fills it: first the files, then the rows that stand for them. */
async function fill(
  config: CoreConfig,
  directory: string,
  tables: TablesSummary,
  { log }: CopyOptions,
  copyFiles: (store: Store) => Promise<Copied>,
): Promise<CopyOutcome> {
  const options = databaseOptions(config);
  const database = await openTarget(config);
  try {
    await prepareDatabase(database, tables);
    const store = await openConfiguredStore(config);
    const copied = await copyFiles(store).finally(() => store.close());
    const jobs = await openJobs(database, { log, database: options.database });
    await readTables(database, jobs, directory, copied.tables).finally(() => jobs.close());
    return copied.outcome;
  } finally {
    await database.close();
  }
}

async function openTarget(config: CoreConfig): Promise<Database> {
  const found = await openDatabaseAsIs(databaseOptions(config));
  if (found !== undefined) return found;
  const { openSqlite } = await import('@contrails/platform/database/sqlite');
  return openSqlite(embeddedPath(databaseOptions(config).directory));
}

/**
 * Files after the rows that name them: what is published meanwhile is not in the rows, and what is pruned meanwhile
 * is taken out of them.
 */
async function copyFromLive(
  { store: source, database }: Source,
  target: Store,
  directory: string,
  tables: TablesSummary,
  options: CopyOptions,
): Promise<Copied> {
  const others: CopiedObject[] = [];
  for await (const { key } of source.list('')) {
    const info = isProduct(key) ? undefined : await source.head(key);
    if (info !== undefined) others.push({ key, sha256: info.sha256, size: info.size });
  }
  const gone = new Set<string>();
  const setAside = new Set(productKinds.map(({ family }) => lostGroup(family)));
  const products = async function* () {
    for await (const row of readLines<ProductRow>(directory, 'catalogue')) {
      if (!setAside.has(row.family) && !gone.has(row.key)) yield row;
    }
  };
  const objects = async function* (): AsyncGenerator<CopiedObject> {
    for await (const { key, sha256, size } of products()) yield { key, sha256, size };
    for (const object of others) if (!gone.has(object.key)) yield object;
  };
  const openObject: OpenObject = async (key) => (await source.read(key))?.body;
  const total = (tables.files.catalogue?.rows ?? 0) + others.length;
  const { lost, present } = await copyAll(objects(), openObject, target, total, options);
  for (const key of lost) gone.add(key);
  const { catalogue: _, ...files } = tables.files;
  const kept = {
    ...tables,
    files: {
      ...files,
      products: await writeLines(directory, 'products', products()),
      objects: await writeLines(directory, 'objects', objects()),
    },
  };
  await removeLines(directory, 'catalogue');
  return {
    tables: kept,
    outcome: { rows: countsOf(kept), present, lost: await stillListed(database, lost) },
  };
}

interface ProductRow extends CopiedObject {
  readonly family: string;
}

/** Without what was pruned since, which is not lost. */
async function stillListed(database: Database, keys: readonly string[]): Promise<string[]> {
  const found = await Promise.all(keys.map((key) => areStored(database, [key])));
  return keys.filter((key, k) => found[k] || !isProduct(key));
}

function isProduct(key: string): boolean {
  return productKinds.some(({ family }) => key.startsWith(`${family}/`));
}

async function copyAll(
  objects: AsyncIterable<CopiedObject>,
  openObject: OpenObject,
  target: Store,
  total: number,
  { onProgress }: CopyOptions,
): Promise<{ lost: string[]; present: number }> {
  const lost: string[] = [];
  let done = 0;
  let present = 0;
  for await (const { object, state } of copyObjects(objects, openObject, target)) {
    if (state === 'lost') lost.push(object.key);
    if (state === 'present') present += 1;
    done += 1;
    onProgress?.(done, total);
  }
  return { lost, present };
}

async function readManifest(directory: string): Promise<BackupManifest> {
  const path = join(directory, 'manifest.json');
  const found = (await readJson(path)) as Partial<BackupManifest> | undefined;
  if (found === undefined) {
    throw new NotFoundError(
      `${directory} is not a backup: it has no manifest.json; a backup that was broken off ends in .partial`,
    );
  }
  const { format, version, created, dialect, schema, files } = found;
  if (format !== FORMAT || !dialect || !schema || !files || !version || !created) {
    throw new UsageError(
      `${path} has the format ${format}, and this version reads ${FORMAT}; restore it with contrails ${version ?? 'of a later version'}`,
    );
  }
  return { format, version, created, dialect, schema, files };
}

function refuseSame(from: CoreConfig, to: CoreConfig): void {
  const shown = ({ data, database }: CoreConfig) => [
    data.kind === 'directory' ? data.path : `s3://${data.bucket}/${data.prefix}`,
    database.kind === 'embedded' ? undefined : database.shown,
  ];
  const [data, address] = shown(from);
  const [newData, newAddress] = shown(to);
  if (data === newData || (address !== undefined && address === newAddress)) {
    throw new UsageError(
      `source and target are the same (${data === newData ? data : address}); the file of --to must name another data and database, and CONTRAILS_DATA and CONTRAILS_DATABASE of the environment belong to the target`,
    );
  }
}

function countsOf({ files }: TablesSummary): Record<string, number> {
  return Object.fromEntries(Object.entries(files).map(([name, { rows }]) => [name, rows]));
}

/** Writes a small file and flushes it to disk. */
async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
