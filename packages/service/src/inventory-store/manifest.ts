/** What is served of a date: `current.json` names the immutable files of one run and is replaced as a whole. */
import { text } from 'node:stream/consumers';
import type { Store } from '@contrails/platform/store/store';
import { ConflictError } from '@contrails/runtime/errors';
import type { Completeness as TelemetryCompleteness } from '../telemetry-store/completeness.ts';

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

/** Runs before 0.2 do not name truncated hours. */
type StoredTelemetry = Omit<TelemetryCompleteness, 'truncated'> &
  Partial<Pick<TelemetryCompleteness, 'truncated'>>;

/** What became of the telemetry of a day, in counts and in minutes, and whether the figures are plausible. */
export interface Completeness {
  readonly date: string;
  readonly run_id: string;
  readonly status: 'provisional' | 'final';
  /** `closed` when no hour that the flights are made of accepts late reports. */
  readonly telemetry: StoredTelemetry & { readonly closed: boolean };
  readonly legs: { readonly total: number; readonly by_outcome: Readonly<Record<string, number>> };
  /** `in_telemetry` + `added_at_airports` = `computed` + `imputed` + all of `rejected`. */
  readonly minutes: {
    readonly in_telemetry: number;
    /** Between an airport and the first or last report. */
    readonly added_at_airports: number;
    readonly in_flights: number;
    /** Of flights, with a report nearby, and without. */
    readonly computed: number;
    readonly imputed: number;
    /** By outcome; `healing` are minutes of flights whose reports were dropped. */
    readonly rejected: Readonly<Record<string, number>>;
  };
  readonly flights: {
    readonly computed: number;
    readonly with_persistent: number;
    readonly net_warming: number;
  };
  readonly totals: {
    readonly km: number;
    readonly fuel_kg: number;
    readonly co2_kg: number;
    readonly ef_mj: number;
    readonly co2e20_kg: number;
    readonly co2e50_kg: number;
    readonly co2e100_kg: number;
  };
  readonly weather: { readonly source: string; readonly days: string; readonly final: boolean };
  /** Units that failed too often; their flights are missing. */
  readonly parked: readonly { readonly stage: string; readonly shard: number; readonly error: string }[];
  readonly checks: readonly Check[];
}

export interface Check {
  readonly name: string;
  readonly value: number | null;
  readonly band: readonly [low: number, high: number];
  readonly ok: boolean;
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
