/** Products of a frame in the store: immutable files below the edition of the frame, of which the database serves one. */

import { Readable } from 'node:stream';
import type { Segment } from '@contrails/observations/segments';
import { isoSecond } from '@contrails/runtime';
import type { Services } from '../../../services.ts';
import type { MapPicture } from './picture.kernel.ts';
import { type FrameManifest, type FrameRecord, recordPublication, type StoredObject } from './table.ts';

export interface FrameProduct {
  /** The L1 file. */
  readonly l1: readonly Uint8Array[];
  readonly l1Name: string;
  /** The infrared composite for maps. */
  readonly picture: MapPicture | null;
  readonly segments: readonly Segment[];
  /** Names everything that the numbers depend on. */
  readonly edition: string;
  readonly facts: Omit<
    FrameManifest,
    'satellite' | 'time' | 'edition' | 'processed_at' | 'picture' | 'l1' | 'l2'
  >;
}

const PICTURE_NAME = 'picture.png';
const FRAMES_PREFIX = 'observations/frames';

/** The folder of a day of a satellite. */
export function dayPrefix(satellite: string, timeMs: number): string {
  return `${FRAMES_PREFIX}/${satellite}/${isoSecond(timeMs).slice(0, 10)}`;
}

/** The folder of an edition of a frame. */
export function framePrefix({
  satellite,
  timeMs,
  edition,
}: Pick<FrameRecord, 'satellite' | 'timeMs' | 'edition'>): string {
  const clock = isoSecond(timeMs).slice(11, 16).replace(':', '');
  return `${dayPrefix(satellite, timeMs)}/${clock}/${edition}`;
}

/** `goes-east_L2_20240307T1500Z.json` */
export function l2Name(satellite: string, timeMs: number): string {
  return `${satellite}_L2_${isoSecond(timeMs).slice(0, 16).replaceAll(/[-:]/g, '')}Z.json`;
}

/**
 * Puts the files into the store, then serves them at once: a reader finds both levels of an edition or neither. Undefined
 * when another edition is wanted meanwhile; its files become orphans, which maintenance removes.
 */
export async function publishFrame(
  { store, database }: Pick<Services, 'store' | 'database'>,
  record: FrameRecord,
  { l1, l1Name, picture, segments, edition, facts }: FrameProduct,
  signal: AbortSignal,
): Promise<FrameManifest | undefined> {
  const { satellite, timeMs } = record;
  const prefix = framePrefix({ satellite, timeMs, edition });
  const put = async (name: string, parts: readonly Uint8Array[]): Promise<StoredObject> => {
    const key = `${prefix}/${name}`;
    const { sha256, size } = await store.put(key, Readable.from(parts, { objectMode: false }), { signal });
    return { key, sha256, bytes: size };
  };
  const nowMs = Date.now();
  const manifest: FrameManifest = {
    satellite,
    time: isoSecond(timeMs),
    edition,
    ...facts,
    processed_at: isoSecond(Math.floor(nowMs / 1000) * 1000),
    picture: picture && { ...(await put(PICTURE_NAME, [picture.png])), bounds: picture.bounds },
    l1: await put(l1Name, l1),
    l2: {
      ...(await put(l2Name(satellite, timeMs), [Buffer.from(segmentsText(segments))])),
      segments: segments.length,
      length_m: segments.reduce((sum, one) => sum + one.length_m, 0),
    },
  };
  await put('manifest.json', [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
  return (await recordPublication(database, record, manifest, nowMs)) ? manifest : undefined;
}

/** One segment in each line, so people can read the file too. */
function segmentsText(segments: readonly Segment[]): string {
  return segments.length === 0
    ? '[]\n'
    : `[\n${segments.map((segment) => JSON.stringify(segment)).join(',\n')}\n]\n`;
}
