/**
 * What is published of an hour. `current.json` names one generation of immutable files; a reader resolves it once and then
 * reads these files, so it never sees half an hour. It is replaced only if it is unchanged, which fences builders.
 */

import { text } from 'node:stream/consumers';
import type { Store } from '@contrails/platform/store/store';
import { isoHour } from '@contrails/runtime';

/** `closed` hours take no late reports; of `removed` ones only the manifest is left. */
const PUBLISHED_STATES = ['sealed', 'revised', 'closed', 'removed'] as const;
export type PublishedState = (typeof PUBLISHED_STATES)[number];

/** One file of a generation. */
export interface HourFile {
  readonly key: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly rows: number;
}

export interface HourManifest {
  readonly hour: string;
  readonly state: PublishedState;
  readonly generation: number;
  /** Of the served file. */
  readonly sha256: string;
  readonly bytes: number;
  readonly rows: number;
  readonly aircraft: number;
  /** Rows of each source. */
  readonly sources: Readonly<Record<string, number>>;
  /** Of the logical rows. */
  readonly content_sha256: string;
  readonly first: string | null;
  readonly last: string | null;
  readonly sealed_at: string;
  readonly thin_s: number;
  readonly served: HourFile;
  readonly by_aircraft: HourFile;
  /** Times of reports from the ground, which separate legs. */
  readonly ground: HourFile;
  /** Generations whose files are kept, newest first. */
  readonly generations: readonly number[];
}

/** A manifest and the state of its object, which `replaceManifest` expects to find. */
export interface StoredManifest {
  readonly manifest: HourManifest;
  readonly sha256: string;
}

/** The folder of an hour, without a slash at its end. */
export function hourPrefix(hourMs: number): string {
  const [date, hour] = isoHour(hourMs).split('T');
  return `telemetry/date=${date}/hour=${hour}`;
}

/** `rows` of a batch, reports from the `ground`, or a whole `table` as it was received. */
export type WalKind = 'rows' | 'ground' | 'table';

export function walPrefix(hourMs: number): string {
  const [date, hour] = isoHour(hourMs).split('T');
  return `telemetry-wal/date=${date}/hour=${hour}`;
}

function manifestKey(hourMs: number): string {
  return `${hourPrefix(hourMs)}/current.json`;
}

/** Keys of the three files of a generation. */
export function generationKeys(hourMs: number, generation: number) {
  const prefix = hourPrefix(hourMs);
  const name = `g=${generation}.parquet`;
  return {
    served: `${prefix}/${name}`,
    byAircraft: `${prefix}/by-aircraft/${name}`,
    ground: `${prefix}/ground/${name}`,
  };
}

export async function readManifest(
  store: Pick<Store, 'read'>,
  hourMs: number,
): Promise<StoredManifest | undefined> {
  const opened = await store.read(manifestKey(hourMs));
  if (opened === undefined) return undefined;
  // Nothing but `replaceManifest` writes this key.
  return { manifest: JSON.parse(await text(opened.body)) as HourManifest, sha256: opened.info.sha256 };
}

/** Rejects with `ConflictError` when another process replaced it since it was read. */
export async function replaceManifest(
  store: Pick<Store, 'replace'>,
  hourMs: number,
  manifest: HourManifest,
  read: StoredManifest | undefined,
): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  await store.replace(manifestKey(hourMs), bytes, read?.sha256 ?? null);
}
