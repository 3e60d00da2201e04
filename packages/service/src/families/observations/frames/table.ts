/** What the database knows of frames: which files they are made of, what is wanted of them and what is served. */
import { createHash } from 'node:crypto';
import { FRAME_STEP_MS } from '@contrails/observations/frame';
import type { FixedGrid } from '@contrails/observations/navigation';
import type { Database, Queryable } from '@contrails/platform/database/database';
import { isoSecond, MINUTE_MS } from '@contrails/runtime';
import type { Satellite } from '../config.ts';

/** Frames arrive up to this long after their time; one that is not there then counts as missing. */
export const EXPECTED_MS = 40 * MINUTE_MS;

/**
 * `collecting` frames lack files, `queued` ones are in processing, `done` ones are published. `quarantined` ones cannot be
 * used as they are; they are queued again when their files change.
 */
export const FRAME_STATES = ['collecting', 'queued', 'done', 'quarantined'] as const;
export type FrameState = (typeof FRAME_STATES)[number];

/** A file of a frame. */
export interface FrameInput {
  /** In its source: a path, or the key of an object. */
  readonly path: string;
  readonly bytes: number;
  /** Changes with the content: SHA-256 of a file, the entity tag of an object. */
  readonly checksum: string;
}

export interface StoredObject {
  readonly key: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** What is served of a frame, and what it was made from. */
export interface FrameManifest {
  readonly satellite: string;
  readonly time: string;
  readonly edition: string;
  readonly instrument: string | null;
  readonly detector: { readonly name: string; readonly version: string; readonly weights: string };
  /** Why another detector than the configured one was used. */
  readonly fallback: string | null;
  readonly max_vza: number;
  readonly grid: FixedGrid;
  readonly crs: string;
  readonly valid_pixels: number;
  readonly inputs: readonly { readonly name: string; readonly bytes: number; readonly checksum: string }[];
  /** Earlier frames that were read, where the detector reads any; absent in manifests that know of none. */
  readonly earlier?: readonly EarlierInput[];
  /** Lines that were left out because they stand still; null where that was not looked for. */
  readonly stationary?: number | null;
  /** True for images that no satellite took. */
  readonly is_synthetic: boolean;
  readonly processed_at: string;
  /** The infrared composite for maps, with its bounds; null when it is no longer kept, absent where none was made. */
  readonly picture?: (StoredObject & { readonly bounds: readonly number[] }) | null;
  /** Null when it is no longer kept. */
  readonly l1: StoredObject | null;
  readonly l2: (StoredObject & { readonly segments: number; readonly length_m: number }) | null;
}

/** A frame before another one, as it was when that one was processed. */
export interface EarlierInput {
  readonly time: string;
  readonly inputs: readonly { readonly name: string; readonly checksum: string }[];
  /** False when it could not be read. */
  readonly used: boolean;
}

export interface FrameRecord {
  readonly satellite: Satellite;
  readonly timeMs: number;
  readonly source: string;
  readonly state: FrameState;
  /** Empty when the files are gone. */
  readonly inputs: readonly FrameInput[];
  /** Names the detector and its settings. */
  readonly detector: string;
  /** Names everything that the numbers depend on. */
  readonly edition: string;
  readonly failures: number;
  /** Code of what a quarantined frame suffers from. */
  readonly reason: string | null;
  readonly message: string;
  readonly seenMs: number;
  readonly changedMs: number;
  readonly publishedMs: number | null;
  /** Undefined until the frame is published. */
  readonly manifest: FrameManifest | undefined;
}

export function frameTime(ms: number): number {
  return Math.floor(ms / FRAME_STEP_MS) * FRAME_STEP_MS;
}

/** The same for the same frame, files and detector. */
export function editionOf(
  frame: { readonly satellite: string; readonly timeMs: number },
  inputs: readonly FrameInput[],
  detector: string,
): string {
  const files = inputs.map(({ path, checksum }) => [nameOf(path), checksum]).sort();
  return createHash('sha256')
    .update(JSON.stringify([frame.satellite, frame.timeMs, files, detector]))
    .digest('hex')
    .slice(0, 16);
}

/** The edition of a product: that of its frame, and which frames before it were used. */
export function productEdition(frameEdition: string, earlier: readonly EarlierInput[]): string {
  const used = earlier.filter((one) => one.used).map(({ time, inputs }) => [time, inputs]);
  return used.length === 0
    ? frameEdition
    : createHash('sha256')
        .update(JSON.stringify([frameEdition, used]))
        .digest('hex')
        .slice(0, 16);
}

/** What a later frame notes of this one. */
export function asEarlier({ timeMs, inputs }: FrameRecord, used: boolean): EarlierInput {
  const files = inputs.map(({ path, checksum }) => ({ name: nameOf(path), checksum }));
  return { time: isoSecond(timeMs), inputs: files, used };
}

/** Which of some frames a frame uses: those of the same source at these distances that have arrived. */
export function earlierOf(
  { satellite, timeMs, source }: Pick<FrameRecord, 'satellite' | 'timeMs' | 'source'>,
  earlierMs: readonly number[],
  frames: readonly FrameRecord[],
): FrameRecord[] {
  return earlierMs.flatMap((ms) =>
    frames.filter(
      (frame) =>
        frame.satellite === satellite &&
        frame.timeMs === timeMs - ms &&
        frame.source === source &&
        frame.state !== 'collecting' &&
        frame.inputs.length > 0,
    ),
  );
}

/** The frames of a satellite at some times. */
export async function framesAt(
  database: Queryable,
  satellite: string,
  times: readonly number[],
): Promise<FrameRecord[]> {
  if (times.length === 0) return [];
  const rows = await database.query<FrameRow>(
    `SELECT * FROM observation_frames WHERE satellite = $1 AND time_ms IN (${times.join(', ')})`,
    [satellite],
  );
  return rows.map(toRecord);
}

/** Times of frames that have come, or were processed, since an instant; the newest changes first. */
export async function timesChangedSince(
  database: Queryable,
  sinceMs: number,
  limit: number,
): Promise<{ readonly satellite: Satellite; readonly timeMs: number }[]> {
  const rows = await database.query<Pick<FrameRow, 'satellite' | 'time_ms'>>(
    `SELECT satellite, time_ms FROM observation_frames WHERE changed_ms >= $1 ORDER BY changed_ms DESC LIMIT ${limit}`,
    [sinceMs],
  );
  return rows.map(({ satellite, time_ms }) => ({ satellite, timeMs: time_ms }));
}

/** Processes a published frame once more; what is published is served until then. */
export async function queueAgain(
  database: Queryable,
  { satellite, timeMs, edition }: Pick<FrameRecord, 'satellite' | 'timeMs' | 'edition'>,
  message: string,
  nowMs: number,
): Promise<boolean> {
  const changed = await database.execute(
    `UPDATE observation_frames SET state = 'queued', failures = 0, message = $4, changed_ms = $5
     WHERE satellite = $1 AND time_ms = $2 AND edition = $3 AND state = 'done' AND inputs <> '[]'`,
    [satellite, timeMs, edition, message, nowMs],
  );
  return changed > 0;
}

export function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

export async function findFrame(
  database: Queryable,
  satellite: string,
  timeMs: number,
): Promise<FrameRecord | undefined> {
  const rows = await database.query<FrameRow>(
    'SELECT * FROM observation_frames WHERE satellite = $1 AND time_ms = $2',
    [satellite, timeMs],
  );
  return rows.map(toRecord)[0];
}

/** Frames from `fromMs` to before `toMs`, in their order. */
export async function listFrames(
  database: Queryable,
  satellite: string,
  fromMs: number,
  toMs: number,
): Promise<FrameRecord[]> {
  const rows = await database.query<FrameRow>(
    'SELECT * FROM observation_frames WHERE satellite = $1 AND time_ms >= $2 AND time_ms < $3 ORDER BY time_ms',
    [satellite, fromMs, toMs],
  );
  return rows.map(toRecord);
}

/** Frames in a state, newest first. */
export async function framesIn(
  database: Queryable,
  state: FrameState,
  limit: number,
): Promise<FrameRecord[]> {
  const rows = await database.query<FrameRow>(
    `SELECT * FROM observation_frames WHERE state = $1 ORDER BY time_ms DESC, satellite LIMIT ${limit}`,
    [state],
  );
  return rows.map(toRecord);
}

/** Published frames of another detector whose files may still be there, newest first. */
export async function outdatedFrames(
  database: Queryable,
  detectorOf: ReadonlyMap<string, string>,
  limit: number,
): Promise<FrameRecord[]> {
  const found: FrameRecord[] = [];
  for (const [source, detector] of detectorOf) {
    const rows = await database.query<FrameRow>(
      `SELECT * FROM observation_frames WHERE source = $1 AND state = 'done' AND detector <> $2 AND inputs <> '[]'
       ORDER BY time_ms DESC LIMIT ${limit}`,
      [source, detector],
    );
    found.push(...rows.map(toRecord));
  }
  return found;
}

/** First and last frame of a satellite that is served. */
export async function servedRange(
  database: Queryable,
  satellite: string,
): Promise<{ readonly firstMs: number; readonly lastMs: number } | undefined> {
  const [row] = await database.query<{ first: number | null; last: number | null }>(
    'SELECT MIN(time_ms) AS first, MAX(time_ms) AS last FROM observation_frames WHERE satellite = $1 AND manifest IS NOT NULL',
    [satellite],
  );
  if (row === undefined || row.first === null || row.last === null) return undefined;
  return { firstMs: row.first, lastMs: row.last };
}

export type WantedFrame = Pick<
  FrameRecord,
  'satellite' | 'timeMs' | 'source' | 'inputs' | 'detector' | 'edition'
> & { readonly state: 'collecting' | 'queued'; readonly message: string };

/**
 * Notes what is known of a frame. One with the same edition stays as it is; what is published of it is served until the new
 * edition is. A frame that another source delivers, or has delivered, is left to that source.
 */
export async function wantFrame(database: Database, frame: WantedFrame, nowMs: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const known = await findFrame(tx, frame.satellite, frame.timeMs);
    if (known !== undefined && !isWanted(known, frame)) return false;
    const changed = await tx.execute(
      `INSERT INTO observation_frames (satellite, time_ms, source, state, inputs, detector, edition, failures, reason, message, seen_ms, changed_ms)
       VALUES ($1, $2, $3, $4, $5, $6, $7, 0, NULL, $8, $9, $9)
       ON CONFLICT (satellite, time_ms) DO UPDATE SET source = excluded.source, state = excluded.state,
         inputs = excluded.inputs, detector = excluded.detector, edition = excluded.edition, failures = 0,
         reason = NULL, message = excluded.message, changed_ms = excluded.changed_ms`,
      [
        frame.satellite,
        frame.timeMs,
        frame.source,
        frame.state,
        JSON.stringify(frame.inputs),
        frame.detector,
        frame.edition,
        frame.message,
        nowMs,
      ],
    );
    return changed > 0;
  });
}

function isWanted(known: FrameRecord, frame: WantedFrame): boolean {
  if (known.edition === frame.edition && known.state !== 'collecting') return false;
  if (known.edition === frame.edition && frame.state === 'collecting') return false;
  if (known.source !== frame.source && known.state !== 'collecting' && known.state !== 'quarantined')
    return false;
  // Files that are being replaced in turn must not take a published frame back.
  return frame.state === 'queued' || known.state === 'collecting' || known.state === 'quarantined';
}

/** Sets a frame aside, unless something else is wanted of it meanwhile. */
export async function quarantineFrame(
  database: Queryable,
  frame: Pick<FrameRecord, 'satellite' | 'timeMs' | 'edition'>,
  reason: string,
  message: string,
  nowMs: number,
): Promise<void> {
  await database.execute(
    `UPDATE observation_frames SET state = 'quarantined', reason = $4, message = $5, changed_ms = $6
     WHERE satellite = $1 AND time_ms = $2 AND edition = $3`,
    [frame.satellite, frame.timeMs, frame.edition, reason, storable(message), nowMs],
  );
}

const MAX_MESSAGE = 1000;

/** PostgreSQL can store neither NUL nor unpaired surrogates. */
function storable(message: string): string {
  return message.toWellFormed().replaceAll('\0', '\ufffd').slice(0, MAX_MESSAGE);
}

/** Counts a failure that may pass; returns how many there were. */
export async function countFailure(
  database: Database,
  frame: Pick<FrameRecord, 'satellite' | 'timeMs' | 'edition'>,
  message: string,
): Promise<number> {
  return database.transaction(async (tx) => {
    await tx.execute(
      'UPDATE observation_frames SET failures = failures + 1, message = $4 WHERE satellite = $1 AND time_ms = $2 AND edition = $3',
      [frame.satellite, frame.timeMs, frame.edition, storable(message)],
    );
    return (await findFrame(tx, frame.satellite, frame.timeMs))?.failures ?? 0;
  });
}

/** Files that are gone cannot be processed again; what is published stays as it is. */
export async function forgetInputs(
  database: Queryable,
  frame: Pick<FrameRecord, 'satellite' | 'timeMs' | 'edition'>,
  nowMs: number,
): Promise<void> {
  await database.execute(
    `UPDATE observation_frames SET state = 'done', inputs = '[]', changed_ms = $4
     WHERE satellite = $1 AND time_ms = $2 AND edition = $3 AND manifest IS NOT NULL`,
    [frame.satellite, frame.timeMs, frame.edition, nowMs],
  );
}

/** Notes what is published; false when another edition is wanted meanwhile. */
export async function recordPublication(
  database: Database,
  frame: Pick<FrameRecord, 'satellite' | 'timeMs' | 'edition' | 'source'>,
  manifest: FrameManifest,
  nowMs: number,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const changed = await tx.execute(
      `UPDATE observation_frames SET state = 'done', manifest = $4, published_ms = $5, changed_ms = $5, reason = NULL, message = ''
       WHERE satellite = $1 AND time_ms = $2 AND edition = $3`,
      [frame.satellite, frame.timeMs, frame.edition, JSON.stringify(manifest), nowMs],
    );
    if (changed === 0) return false;
    await tx.execute(
      `UPDATE observation_sources SET last_frame_ms = CASE WHEN last_frame_ms > $2 THEN last_frame_ms ELSE $2 END WHERE name = $1`,
      [frame.source, frame.timeMs],
    );
    return true;
  });
}

/** Replaces the manifest of a frame if it is still that of the edition. */
export async function replaceManifest(
  database: Queryable,
  { satellite, timeMs, manifest }: FrameRecord,
  next: FrameManifest,
): Promise<void> {
  await database.execute(
    'UPDATE observation_frames SET manifest = $4 WHERE satellite = $1 AND time_ms = $2 AND manifest = $3',
    [satellite, timeMs, JSON.stringify(manifest), JSON.stringify(next)],
  );
}

interface FrameRow {
  readonly satellite: Satellite;
  readonly time_ms: number;
  readonly source: string;
  readonly state: FrameState;
  readonly inputs: string;
  readonly detector: string;
  readonly edition: string;
  readonly failures: number;
  readonly reason: string | null;
  readonly message: string;
  readonly seen_ms: number;
  readonly changed_ms: number;
  readonly published_ms: number | null;
  readonly manifest: string | null;
}

function toRecord(row: FrameRow): FrameRecord {
  return {
    satellite: row.satellite,
    timeMs: row.time_ms,
    source: row.source,
    state: row.state,
    inputs: JSON.parse(row.inputs) as FrameInput[],
    detector: row.detector,
    edition: row.edition,
    failures: row.failures,
    reason: row.reason,
    message: row.message,
    seenMs: row.seen_ms,
    changedMs: row.changed_ms,
    publishedMs: row.published_ms,
    manifest: row.manifest === null ? undefined : (JSON.parse(row.manifest) as FrameManifest),
  };
}
