/** Frames of past times from the public archives, as files. */
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { groupFrames, parseFileName } from '@contrails/observations/file-names';
import { FRAME_STEP_MS } from '@contrails/observations/frame';
import { frameTime, nameOf } from '../frames/table.ts';
import { type ArchiveBucket, downloadInputs, listBucket } from './bucket.ts';
import { CHUNKS, chunksOf, type Region } from './chunks.ts';
import { type DataStoreSettings, openDataStore } from './data-store.ts';
import type { SeenFile } from './inputs.ts';

export type { Region } from './chunks.ts';

/** Satellites whose archives are known. */
export type ArchivedSatellite = 'goes-east' | 'goes-west' | 'himawari' | 'mtg-0';

const ABI_PREFIX = 'ABI-L2-CMIPF/{year}/{day_of_year}/{hour}/';
const AHI_PREFIX = 'AHI-L1b-FLDK/{year}/{month}/{day}/{hour}{minute}/';

/** Of each satellite, the spacecraft that have been in its place. Files of others at the time are left out by their names. */
const BUCKETS: Readonly<
  Record<Exclude<ArchivedSatellite, 'mtg-0'>, readonly (readonly [bucket: string, prefix: string])[]>
> = {
  'goes-east': [
    ['noaa-goes19', ABI_PREFIX],
    ['noaa-goes16', ABI_PREFIX],
  ],
  'goes-west': [['noaa-goes18', ABI_PREFIX]],
  himawari: [
    ['noaa-himawari9', AHI_PREFIX],
    ['noaa-himawari8', AHI_PREFIX],
  ],
};

export interface FetchRequest {
  readonly satellite: ArchivedSatellite;
  /** Times of the first and the last frame [ms since 1970]. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly folder: string;
  /** Only files that show some of it, where an archive has a frame in parts. */
  readonly region?: Region | undefined;
  /** Another server with the same buckets, or with the interface of the Data Store. */
  readonly endpoint?: string | undefined;
  readonly dataStore: Omit<DataStoreSettings, 'root'>;
  readonly signal: AbortSignal;
}

export interface FetchedFrame {
  readonly timeMs: number;
  readonly paths: readonly string[];
  /** All files of the frame, or all that show the region. */
  readonly isComplete: boolean;
}

/** Downloads the frames of a satellite between two times; files that are there already are kept. */
export async function* fetchFrames(request: FetchRequest): AsyncGenerator<FetchedFrame> {
  await mkdir(request.folder, { recursive: true });
  yield* request.satellite === 'mtg-0'
    ? fromDataStore(request)
    : fromBuckets(request, BUCKETS[request.satellite]);
}

async function* fromBuckets(
  { satellite, fromMs, toMs, folder, endpoint, signal }: FetchRequest,
  buckets: readonly (readonly [bucket: string, prefix: string])[],
): AsyncGenerator<FetchedFrame> {
  for (let ms = frameTime(fromMs); ms <= toMs; ms += FRAME_STEP_MS) {
    for (const [bucket, prefix] of buckets) {
      const source: ArchiveBucket = { bucket, prefix, endpoint, region: 'us-east-1', isSigned: false };
      const files = new Map<string, SeenFile>();
      for await (const file of listBucket(source, ms, ms, signal)) files.set(file.path, file);
      const frame = groupFrames([...files.keys()]).find(
        (one) => one.satellite === satellite && one.time === ms,
      );
      if (frame === undefined) continue;
      const paths = await downloadAll(
        source,
        frame.paths.map((path) => files.get(path) as SeenFile),
        folder,
        signal,
      );
      yield { timeMs: ms, paths, isComplete: frame.isComplete };
      break;
    }
  }
}

/** A file has its name in the folder only when it is whole. */
async function downloadAll(
  source: ArchiveBucket,
  files: readonly SeenFile[],
  folder: string,
  signal: AbortSignal,
): Promise<string[]> {
  const paths: string[] = [];
  const parts = await mkdtemp(join(folder, '.fetching-'));
  try {
    for (const file of files) {
      const path = join(folder, nameOf(file.path));
      paths.push(path);
      if ((await stat(path).catch(() => undefined))?.size === file.bytes) continue;
      const [part] = (await downloadInputs(source, undefined, [file], parts, signal)) ?? [];
      // One that was replaced in the meantime is missing in this round.
      if (part === undefined) paths.pop();
      else await rename(part, path);
    }
    return paths;
  } finally {
    await rm(parts, { recursive: true, force: true });
  }
}

async function* fromDataStore(request: FetchRequest): AsyncGenerator<FetchedFrame> {
  const { fromMs, toMs, folder, region, endpoint, dataStore, signal } = request;
  const store = openDataStore({ ...dataStore, root: endpoint });
  const wanted = region === undefined ? undefined : chunksOf(region);
  const first = frameTime(fromMs);
  const entries = new Map(
    (await store.search(first, toMs + FRAME_STEP_MS, signal)).map((entry) => [entry.name, entry]),
  );
  for (const frame of groupFrames([...entries.keys()])) {
    if (frame.satellite !== 'mtg-0' || frame.time < first || frame.time > toMs) continue;
    const names = frame.paths.filter((name) => wanted?.has(parseFileName(name)?.part ?? 0) ?? true);
    const paths: string[] = [];
    for (const name of names) {
      const path = join(folder, name);
      const entry = entries.get(name);
      if (entry !== undefined && (await stat(path).catch(() => undefined)) === undefined) {
        await store.download(entry, path, signal);
      }
      paths.push(path);
    }
    yield { timeMs: frame.time, paths, isComplete: paths.length === (wanted?.size ?? CHUNKS) };
  }
}
