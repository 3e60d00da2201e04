/** What is served of a date: `current.json` names the immutable files of one run and is replaced as a whole. */
import { text } from 'node:stream/consumers';
import type { Store } from '@contrails/platform/store/store';
import { ConflictError } from '@contrails/runtime/errors';
import type { Completeness } from './completeness.ts';

export interface RunFile {
  readonly key: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly rows: number;
}

export interface RunManifest {
  readonly date: string;
  readonly run_id: string;
  readonly generation: number;
  /** `final` figures do not change any more unless the operator imports other data. */
  readonly status: 'provisional' | 'final';
  readonly processed_at: string;
  readonly summary: RunFile;
  /** By hour of the day, `00` to `23`. */
  readonly segments: Readonly<Record<string, RunFile>>;
  readonly legs: RunFile;
  readonly completeness: Completeness;
}

export function runPrefix(runId: string): string {
  return `inventory/run=${runId}`;
}

function runManifestKey(runId: string, date: string): string {
  return `${runPrefix(runId)}/date=${date}.json`;
}

function currentKey(date: string): string {
  return `inventory/date=${date}/current.json`;
}

/** The manifest of the run that is served, or of a given one. */
export async function readRunManifest(
  store: Pick<Store, 'read'>,
  date: string,
  runId?: string,
): Promise<RunManifest | undefined> {
  const opened = await store.read(runId === undefined ? currentKey(date) : runManifestKey(runId, date));
  // Nothing but `publishManifest` writes these keys.
  return opened && (JSON.parse(await text(opened.body)) as RunManifest);
}

const ATTEMPTS = 5;

/**
 * Stores the manifest with its run and makes it the current one where the date wants it: inputs may have changed, or changed
 * back, while the run was computed. Returns whether it is.
 */
export async function publishManifest(
  store: Store,
  manifest: RunManifest,
  isWanted: () => Promise<boolean>,
): Promise<boolean> {
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  await store.put(runManifestKey(manifest.run_id, manifest.date), bytes);
  const key = currentKey(manifest.date);
  for (let attempt = 1; ; attempt++) {
    const current = await store.head(key);
    if (!(await isWanted())) return false;
    try {
      await store.replace(key, bytes, current?.sha256 ?? null);
      return true;
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error;
    }
  }
}
