/** The Data Store of EUMETSAT as a source: searched again and again, and only the chunks of a region are downloaded. */
import { join } from 'node:path';
import { parseFileName } from '@contrails/observations/file-names';
import { FRAME_STEP_MS } from '@contrails/observations/frame';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import type { FrameSource, ObservationSettings } from '../config.ts';
import { type FrameInput, frameTime, nameOf } from '../frames/table.ts';
import { chunksOf } from './chunks.ts';
import { openDataStore, StoreError } from './data-store.ts';
import { knownFiles, noteFiles, type SeenFile } from './inputs.ts';
import type { Look } from './look.ts';
import { lookFromMs, noteLook } from './sources.ts';

/** Products may appear hours after their scan; so far back the search is repeated. */
const LATENESS_MS = 3 * HOUR_MS;
const NOT_FOUND: readonly number[] = [404, 410];
/** Between the address of a file and its name. */
const NAME_MARK = '#/';

/** Searches since the last look, without an account, and notes the files that are new or were replaced. */
export const lookIntoDataStore: Look = async ({ database }, source, detector, signal) => {
  const nowMs = Date.now();
  const fromMs = frameTime(await lookFromMs(database, source, LATENESS_MS, nowMs));
  const known = await knownFiles(database, source.name, fromMs - DAY_MS);
  const wanted = source.bbox === undefined ? undefined : chunksOf(source.bbox);
  const store = openDataStore({ root: source.endpoint });
  const fresh: SeenFile[] = [];
  for (const { name, url, version, bytes } of await store.search(fromMs, nowMs + FRAME_STEP_MS, signal)) {
    const named = parseFileName(name);
    if (named?.satellite !== source.satellite || named.time < fromMs) continue;
    if (wanted?.has(named.part ?? 0) === false) continue;
    const file = { path: `${url}${NAME_MARK}${name}`, bytes, checksum: version, signature: version };
    if (known.get(file.path) !== version) fresh.push(file);
  }
  const queued = await noteFiles(database, source, fresh, detector, Date.now());
  await noteLook(database, source.name, nowMs);
  return queued;
};

/** Downloads the files of a frame into a folder; returns the paths. Undefined when one is gone. */
export async function downloadEntries(
  { endpoint }: Pick<FrameSource, 'endpoint'>,
  { consumer_key, consumer_secret }: NonNullable<ObservationSettings['eumetsat']>,
  inputs: readonly FrameInput[],
  directory: string,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const store = openDataStore({
    root: endpoint,
    consumerKey: consumer_key?.reveal(),
    consumerSecret: consumer_secret?.reveal(),
    keyNames: [
      'CONTRAILS_OBSERVATIONS__EUMETSAT__CONSUMER_KEY',
      'CONTRAILS_OBSERVATIONS__EUMETSAT__CONSUMER_SECRET',
    ],
  });
  const paths: string[] = [];
  for (const { path: address } of inputs) {
    const path = join(directory, nameOf(address));
    try {
      await store.download({ url: address.slice(0, address.lastIndexOf(NAME_MARK)) }, path, signal);
    } catch (error) {
      if (error instanceof StoreError && NOT_FOUND.includes(error.status)) return undefined;
      throw error;
    }
    paths.push(path);
  }
  return paths;
}
