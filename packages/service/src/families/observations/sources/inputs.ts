/** From the files of a source to frames: a frame is complete when all parts of its bands are there. */
import { groupFrames, parseFileName } from '@contrails/observations/file-names';
import type { Database, Queryable } from '@contrails/platform/database/database';
import type { FrameSource } from '../config.ts';
import { editionOf, type FrameInput, wantFrame } from '../frames/table.ts';
import { chunksOf } from './chunks.ts';

/** A file as a source lists it. */
export interface SeenFile extends FrameInput {
  /** Changes when the file does; cheaper to get than the checksum. */
  readonly signature: string;
}

/** Signatures of the files of a source that are known, by their paths. */
export async function knownFiles(
  database: Queryable,
  source: string,
  sinceMs: number,
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.query<{ path: string; signature: string }>(
    'SELECT path, signature FROM observation_inputs WHERE source = $1 AND time_ms >= $2',
    [source, sinceMs],
  );
  return new Map(rows.map(({ path, signature }) => [path, signature]));
}

/** Notes files that are new or have changed, and what becomes of their frames; returns how many frames are to be processed. */
export async function noteFiles(
  database: Database,
  source: FrameSource,
  files: readonly SeenFile[],
  detector: string,
  nowMs: number,
): Promise<number> {
  const times = new Set<number>();
  for (const { satellite, time, paths } of groupFrames(files.map(({ path }) => path))) {
    if (satellite !== source.satellite) continue;
    times.add(time);
    for (const path of paths) {
      const file = files.find((one) => one.path === path);
      if (file !== undefined) await noteFile(database, source, file, time, nowMs);
    }
  }
  let queued = 0;
  for (const timeMs of times) if (await updateFrame(database, source, timeMs, detector, nowMs)) queued++;
  if (times.size > 0) {
    await database.execute('UPDATE observation_sources SET last_seen_ms = $2 WHERE name = $1', [
      source.name,
      nowMs,
    ]);
  }
  return queued;
}

async function noteFile(
  database: Queryable,
  source: FrameSource,
  { path, signature, checksum, bytes }: SeenFile,
  timeMs: number,
  nowMs: number,
): Promise<void> {
  await database.execute(
    `INSERT INTO observation_inputs (source, path, signature, checksum, bytes, satellite, time_ms, noted_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (source, path) DO UPDATE SET signature = excluded.signature, checksum = excluded.checksum,
       bytes = excluded.bytes, noted_ms = excluded.noted_ms`,
    [source.name, path, signature, checksum, bytes, source.satellite, timeMs, nowMs],
  );
}

async function updateFrame(
  database: Database,
  source: FrameSource,
  timeMs: number,
  detector: string,
  nowMs: number,
): Promise<boolean> {
  const { name, satellite } = source;
  const known = await database.query<{ path: string; bytes: number; checksum: string }>(
    'SELECT path, bytes, checksum FROM observation_inputs WHERE source = $1 AND satellite = $2 AND time_ms = $3',
    [name, satellite, timeMs],
  );
  const [group] = groupFrames(known.map(({ path }) => path));
  if (group === undefined) return false;
  const inputs = known.filter(({ path }) => group.paths.includes(path));
  inputs.sort((a, b) => (a.path < b.path ? -1 : 1));
  const isComplete = group.isComplete || hasRegion(source, group.paths);
  const edition = editionOf({ satellite, timeMs }, inputs, detector);
  const state = isComplete ? 'queued' : 'collecting';
  const message = isComplete ? '' : `${inputs.length} files are there, others are missing`;
  const isChanged = await wantFrame(
    database,
    { satellite, timeMs, source: name, inputs, detector, edition, state, message },
    nowMs,
  );
  return isChanged && isComplete;
}

/** Whether all chunks are there that show the region of the source. */
function hasRegion({ bbox }: FrameSource, paths: readonly string[]): boolean {
  if (bbox === undefined) return false;
  const parts = new Set(paths.map((path) => parseFileName(path)?.part));
  return [...chunksOf(bbox)].every((chunk) => parts.has(chunk));
}
