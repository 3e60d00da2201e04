/** Weather from public archives, for the command and the job. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  PROVIDERS,
  type Provider,
  SourceFolder,
  type SyncOptions,
  type SyncResult,
  syncSource,
} from '@contrails/met/sync';
import { SYNC_SOURCES } from '@contrails/met/sync-sources';
import { durationMs } from '@contrails/platform/config/duration';
import { UsageError } from '@contrails/runtime/errors';
import { nearestName } from '@contrails/runtime/nearest-name';
import type { CoreConfig } from '../config/core.ts';
import { syncDirectory } from '../config/met-sync.ts';

export { SyncError, type SyncPlan, type SyncResult, shownRun } from '@contrails/met/sync';

/** What a command or the settings choose of a source; the rest is configured for all of them. */
export type SyncChoices = Omit<SyncOptions, 'directory'>;

/** Brings a source up to date in the data directory, and registers it. */
export function syncWeather(config: CoreConfig, name: string, choices: SyncChoices): Promise<SyncResult[]> {
  const { sync } = config.met;
  const provider = providerNamed(name);
  const directory = syncDirectory(config, sync);
  if (directory === undefined) {
    throw new UsageError(
      'data is a bucket, but synced weather needs a local directory; set met.sync.directory (CONTRAILS_MET__SYNC__DIRECTORY)',
    );
  }
  requireMeaning(provider, choices);
  return syncSource(provider, {
    directory,
    connections: sync.connections,
    ...(sync.max_mib_per_second === undefined
      ? {}
      : { maxBytesPerSecond: sync.max_mib_per_second * 2 ** 20 }),
    ...(provider.type === 'forecast' ? { keepMs: durationMs(sync.keep) } : {}),
    environment: process.env,
    ...(name === 'era5-cds' ? cdsKey(config) : {}),
    ...choices,
  });
}

/** Rejects the name of an unknown source before anything is fetched. */
export function providerNamed(name: string): Provider {
  const provider = PROVIDERS.find((one) => one.name === name);
  if (provider !== undefined) return provider;
  const meant = nearestName(name, SYNC_SOURCES);
  throw new UsageError(
    `there is no source "${name}"${meant === undefined ? '' : `; did you mean ${meant}?`}${meant === undefined ? ';' : ''} Sources: ${SYNC_SOURCES.join(', ')}`,
  );
}

/** Runs work while a synced run is protected from removal; other weather is never removed. */
export async function whileRunStays<T>(
  config: CoreConfig,
  source: string,
  referenceTimeMs: number | null,
  work: () => Promise<T>,
): Promise<T> {
  const directory = syncDirectory(config, config.met.sync);
  const isSynced = PROVIDERS.some(({ name }) => name === source);
  if (directory === undefined || referenceTimeMs === null || !isSynced) return work();
  const run = new Date(referenceTimeMs).toISOString().replace(/[-:]/g, '').slice(0, 11);
  const lock = await new SourceFolder(directory, source).hold(run).catch(() => undefined);
  try {
    return await work();
  } finally {
    lock?.release();
  }
}

function requireMeaning({ name, type, takesBbox, takesMembers }: Provider, choices: SyncChoices): void {
  if (choices.bbox !== undefined && !takesBbox) {
    throw new UsageError(`messages of ${name} are global; leave --bbox out`);
  }
  if (choices.members !== undefined && !takesMembers) {
    throw new UsageError(`${name} has no members; leave --members out, which ecmwf has`);
  }
  if (type === 'forecast' && choices.days !== undefined) {
    throw new UsageError(`${name} is a forecast; use --run or --as-of instead of --from and --to`);
  }
  if (type === 'reanalysis' && choices.days === undefined) {
    throw new UsageError(`${name} has days and no runs; give --from DAY and --to DAY`);
  }
  if (type === 'reanalysis' && (choices.runMs !== undefined || choices.hours !== undefined)) {
    throw new UsageError(`${name} has days and no runs; leave --run and --hours out`);
  }
}

/** The configured key, or that of other programs for the same store. */
function cdsKey({ met }: CoreConfig): { readonly key?: string } {
  const fromFiles = ['.ecmwfdatastoresrc', '.cdsapirc'].map((name) => keyIn(join(homedir(), name)));
  const [key] = [met.cds_key?.reveal(), process.env.ECMWF_DATASTORES_KEY, ...fromFiles].filter(Boolean);
  return key === undefined ? {} : { key };
}

function keyIn(path: string): string | undefined {
  try {
    return /^key:\s*(\S+)/m.exec(readFileSync(path, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
