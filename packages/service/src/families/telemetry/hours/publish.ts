/**
 * Publishes an hour: builds its files, stores them under the keys of a new generation, then replaces the manifest if it is
 * unchanged. A crash at any point leaves the old hour or the new one; a second builder loses the replacement and tries again.
 */

import { createHash } from 'node:crypto';
import { sha256OfFile } from '@contrails/platform/sha256';
import type { Store } from '@contrails/platform/store/store';
import { localCopies, localCopy, readPieces, withWorkspace } from '@contrails/platform/workspace';
import { isoHour } from '@contrails/runtime';
import { ConflictError, NotFoundError, UnavailableError } from '@contrails/runtime/errors';
import type { TelemetryRules } from '../../../telemetry-store/config.ts';
import type { WalKind } from '../../../telemetry-store/manifest.ts';
import {
  generationKeys,
  type HourFile,
  type HourManifest,
  readManifest,
  replaceManifest,
  type StoredManifest,
} from '../../../telemetry-store/manifest.ts';
import type { TelemetryServices } from '../../../telemetry-store/services.ts';
import { allocateGeneration, findHour, recordPublication, walOf } from '../../../telemetry-store/table.ts';
import { type BuiltHour, buildHour, type HourInput, isoMs, writeServed } from './build.ts';

/** Generations whose files are kept, so readers of an older one can finish. */
const KEPT_GENERATIONS = 3;

/** Of the memory of a build, what reports in order have; DuckDB has the rest. */
const ROWS_SHARE = 0.6;

export interface PublishOutcome {
  readonly generation: number;
  /** False when the reports that came do not change the hour. */
  readonly isNew: boolean;
  readonly rows: number;
}

export type PublishRules = Pick<TelemetryRules, 'thinS' | 'compression' | 'memoryMiB'>;

/** `nowMs` becomes the time of sealing. The hour has to be known (`addHour`). */
export async function publishHour(
  services: TelemetryServices,
  rules: PublishRules,
  hourMs: number,
  nowMs: number,
): Promise<PublishOutcome> {
  const { database, store } = services;
  const hour = await findHour(database, hourMs);
  if (hour === undefined) throw new NotFoundError(`no report of ${isoHour(hourMs)} was ever stored`);
  // Before the batches, so a manifest that is replaced meanwhile makes the replacement fail.
  const current = await readManifest(store, hourMs);
  const stored = await walOf(database, hourMs);
  // A base holds the reports of every batch that was published since it was made.
  const isAddition = hour.closedMs !== null && current !== undefined;
  const wal = isAddition ? stored.filter(({ generation }) => generation === null) : stored;
  const rowsMiB = Math.floor(rules.memoryMiB * ROWS_SHARE);
  return withWorkspace({ memoryMiB: rules.memoryMiB - rowsMiB }, async (workspace) => {
    const copiesOf = (kind: WalKind) =>
      localCopies(
        store,
        wal.filter((one) => one.kind === kind).map(({ key }) => key),
        workspace.directory,
      );
    const sources = wal.filter(({ kind }) => kind === 'table').map(({ source }) => source);
    const input: HourInput = {
      hourMs,
      rows: await copiesOf('rows'),
      ground: await copiesOf('ground'),
      tables: (await copiesOf('table')).map((path, index) => ({ path, source: sources[index] ?? '' })),
      base: isAddition ? await baseOf(store, current, workspace.directory) : undefined,
      thinS: rules.thinS,
      compression: rules.compression,
      memoryBytes: rowsMiB * 2 ** 20,
    };
    const built = await buildHour(workspace, input);
    const record = (manifest: HourManifest) =>
      recordPublication(database, {
        hourMs,
        state: manifest.state,
        generation: manifest.generation,
        sealedMs: Date.parse(manifest.sealed_at),
        rows: manifest.rows,
        aircraft: manifest.aircraft,
        bytes: manifest.bytes,
        sources: manifest.sources,
        refused: built.summary.refused,
        wal: wal.map(({ key }) => key),
        isAddition,
      });
    const conflictsName = isAddition ? `${isoHour(hourMs)}-${digestOf(wal)}` : isoHour(hourMs);
    if (current !== undefined && (await isSame(built, current.manifest, rules))) {
      await keepConflicts(services, built, conflictsName, nowMs);
      await record(current.manifest);
      return { generation: current.manifest.generation, isNew: false, rows: current.manifest.rows };
    }
    const generation = await allocateGeneration(database, hourMs, current?.manifest.generation ?? 0);
    const keys = generationKeys(hourMs, generation);
    const { summary } = built;
    const storing = [
      writeServed(workspace, input, built, { generation, sealedMs: nowMs }).then(
        async ({ path, contentSha256 }) => ({
          contentSha256,
          file: await putFile(store, keys.served, path, summary.rows),
        }),
      ),
      putFile(store, keys.byAircraft, built.byAircraft, summary.rows),
      putFile(store, keys.ground, built.ground, summary.groundRows),
    ] as const;
    // Nothing reads a file after the workspace is gone, also when one of them fails.
    await Promise.allSettled(storing);
    const [{ contentSha256, file: served }, by_aircraft, ground] = await Promise.all(storing);
    const older = current?.manifest.generations ?? [];
    const manifest: HourManifest = {
      hour: isoHour(hourMs),
      state: current === undefined ? 'sealed' : 'revised',
      generation,
      sha256: served.sha256,
      bytes: served.bytes,
      rows: summary.rows,
      aircraft: summary.aircraft,
      sources: summary.sources,
      content_sha256: contentSha256,
      first: isoMs(summary.firstMs),
      last: isoMs(summary.lastMs),
      sealed_at: new Date(nowMs).toISOString(),
      thin_s: rules.thinS,
      served,
      by_aircraft,
      ground,
      generations: [generation, ...older].slice(0, KEPT_GENERATIONS),
    };
    await replaceOrDiscard(store, hourMs, manifest, current);
    await keepConflicts(services, built, conflictsName, nowMs);
    await record(manifest);
    for (const old of older.slice(KEPT_GENERATIONS - 1)) await removeGeneration(store, hourMs, old);
    return { generation, isNew: true, rows: manifest.rows };
  });
}

/** Files of one generation; what cannot be removed now is removed by maintenance. */
async function removeGeneration(
  store: Pick<Store, 'remove'>,
  hourMs: number,
  generation: number,
): Promise<void> {
  for (const key of Object.values(generationKeys(hourMs, generation))) {
    await store.remove(key).catch(() => undefined);
  }
}

async function baseOf(
  store: Store,
  { manifest: { by_aircraft, ground } }: StoredManifest,
  directory: string,
): Promise<HourInput['base']> {
  return {
    byAircraft: await localCopy(store, by_aircraft.key, directory),
    ground: await localCopy(store, ground.key, directory),
  };
}

/** Both files depend on the reports alone, so equal bytes mean an unchanged hour. */
async function isSame(
  built: BuiltHour,
  { by_aircraft, ground, thin_s }: HourManifest,
  { thinS }: PublishRules,
): Promise<boolean> {
  return (
    thin_s === thinS &&
    (await sha256OfFile(built.byAircraft)) === by_aircraft.sha256 &&
    (await sha256OfFile(built.ground)) === ground.sha256
  );
}

async function putFile(
  store: Pick<Store, 'put'>,
  key: string,
  path: string,
  rows: number,
): Promise<HourFile> {
  const { sha256, size } = await store.put(key, await readPieces(path));
  return { key, sha256, bytes: size, rows };
}

async function replaceOrDiscard(
  store: Store,
  hourMs: number,
  manifest: HourManifest,
  current: StoredManifest | undefined,
): Promise<void> {
  try {
    await replaceManifest(store, hourMs, manifest, current);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    await removeGeneration(store, hourMs, manifest.generation);
    throw new UnavailableError(
      `another worker published ${isoHour(hourMs)} at the same time; the hour is built again`,
      { cause: error, retryAfterSeconds: 1 },
    );
  }
}

/** Names the batches that a build adds to a base. */
function digestOf(wal: readonly { readonly key: string }[]): string {
  return createHash('sha256')
    .update(wal.map(({ key }) => key).join('\n'))
    .digest('hex')
    .slice(0, 8);
}

/** Reports that lost replace those of the build before under the same name. */
async function keepConflicts(
  { database, store }: TelemetryServices,
  { conflicts }: BuiltHour,
  name: string,
  nowMs: number,
): Promise<void> {
  const batch = `hour-${name}`;
  const key = `telemetry-quarantine/${batch}.ndjson.gz`;
  const replaced = await database.execute('DELETE FROM telemetry_quarantine WHERE key = $1', [key]);
  if (conflicts === undefined) {
    if (replaced > 0) await store.remove(key);
    return;
  }
  await store.put(key, await readPieces(conflicts.path));
  await database.execute(
    `INSERT INTO telemetry_quarantine (key, batch, source, format, records, codes, created_ms)
     VALUES ($1, $2, '', 'table', $3, $4, $5) ON CONFLICT (key) DO NOTHING`,
    [key, batch, conflicts.records, JSON.stringify({ conflicting_duplicate: conflicts.records }), nowMs],
  );
}
