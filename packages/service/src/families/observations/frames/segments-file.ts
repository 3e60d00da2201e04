import { json } from 'node:stream/consumers';
import type { Segment } from '@contrails/observations/segments';
import type { Store } from '@contrails/platform/store/store';
import { NotFoundError } from '@contrails/runtime/errors';
import type { FrameManifest } from './table.ts';

/** The segments of a published frame; rejects with `NotFoundError` when they are no longer kept. */
export async function readSegments(
  store: Pick<Store, 'read'>,
  { satellite, time, l2 }: Pick<FrameManifest, 'satellite' | 'time' | 'l2'>,
): Promise<readonly Segment[]> {
  const opened = l2 === null ? undefined : await store.read(l2.key);
  if (opened === undefined) throw new NotFoundError(`segments of ${satellite} at ${time} are not stored`);
  // Nothing but `publishFrame` writes these files.
  return (await json(opened.body)) as Segment[];
}
