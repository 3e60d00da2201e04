/** What attribution knows after some frames, as an object of the store from which the next frames go on. */

import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { DecidedChunk, RollState } from '@contrails/engine/attribution/roll-frames';
import { decodeState, encodeState } from '@contrails/observations/attribution';
import type { Segment } from '@contrails/observations/segments';
import { isoSecond } from '@contrails/runtime';
import type { Services } from '../../../services.ts';
import type { RollRecord } from './table.ts';

export const STATES_PREFIX = 'observations/attribution';

/** Undefined when it is gone or of another release: what is followed goes on from an earlier one then, or starts again. */
export async function readState(
  { store }: Pick<Services, 'store'>,
  { stateKey }: RollRecord,
): Promise<RollState | undefined> {
  if (stateKey === '') return undefined;
  const opened = await store.read(stateKey);
  if (opened === undefined) return undefined;
  return decodeRoll(await buffer(opened.body));
}

/** The part that is not of the state itself. */
interface RollNotes {
  readonly version: number;
  readonly segments: readonly Segment[];
  readonly decided: readonly (readonly [
    flight: string,
    chunks: readonly (readonly [number, DecidedChunk])[],
  ])[];
  readonly ended: readonly string[];
}

const STATE_VERSION = 2;
const LENGTH_BYTES = 4;

/** The length of the state, the state, and notes as JSON, packed. */
function encodeRoll({ attribution, segments, decided, ended }: RollState): Buffer {
  const state = encodeState(attribution);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(state.length);
  const notes: RollNotes = {
    version: STATE_VERSION,
    segments: [...segments.values()],
    decided: Array.from(decided, ([flight, chunks]) => [flight, [...chunks]] as const),
    ended: [...ended],
  };
  return gzipSync(Buffer.concat([length, state, Buffer.from(JSON.stringify(notes))]), { level: 1 });
}

function decodeRoll(packed: Buffer): RollState | undefined {
  try {
    const bytes = gunzipSync(packed);
    const end = LENGTH_BYTES + bytes.readUInt32LE(0);
    const attribution = decodeState(bytes.subarray(LENGTH_BYTES, end));
    const notes = JSON.parse(bytes.toString('utf8', end)) as RollNotes;
    if (attribution === undefined || notes.version !== STATE_VERSION) return undefined;
    return {
      attribution,
      segments: new Map(notes.segments.map((segment) => [segment.id, segment])),
      decided: new Map(notes.decided.map(([flight, chunks]) => [flight, new Map(chunks)])),
      ended: new Set(notes.ended),
    };
  } catch {
    // Cut, or of another release.
    return undefined;
  }
}

/** Under a new key, which it returns. */
export async function writeState(
  { store }: Pick<Services, 'store'>,
  satellite: string,
  timeMs: number,
  state: RollState,
): Promise<string> {
  const key = `${STATES_PREFIX}/${satellite}/${isoSecond(timeMs).replaceAll(':', '')}-${randomUUID().slice(0, 8)}.bin`;
  await store.put(key, encodeRoll(state));
  return key;
}
