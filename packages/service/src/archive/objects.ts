/** Copies objects from one store to another, each compared with its checksum. */
import type { Readable } from 'node:stream';
import type { Store } from '@contrails/platform/store';

export interface CopiedObject {
  readonly key: string;
  readonly sha256: string;
  readonly size: number;
}

/** Opens an object of the source; undefined when there is none. */
export type OpenObject = (key: string) => Promise<Readable | undefined>;

const CONCURRENCY = 4;

/**
 * Copies what the target does not have yet, so a copy that was broken off goes on where it stood. Yields every
 * object with what became of it, not in the order of the source.
 */
export async function* copyObjects(
  objects: AsyncIterable<CopiedObject>,
  openObject: OpenObject,
  target: Pick<Store, 'head' | 'put' | 'remove'>,
): AsyncGenerator<{ readonly object: CopiedObject; readonly state: 'copied' | 'present' | 'lost' }> {
  let some: CopiedObject[] = [];
  const copySome = () =>
    Promise.all(
      some.map(async (object) => ({ object, state: await copyObject(object, openObject, target) })),
    );
  for await (const object of objects) {
    some.push(object);
    if (some.length < CONCURRENCY) continue;
    yield* await copySome();
    some = [];
  }
  yield* await copySome();
}

async function copyObject(
  { key, sha256 }: CopiedObject,
  openObject: OpenObject,
  target: Pick<Store, 'head' | 'put' | 'remove'>,
): Promise<'copied' | 'present' | 'lost'> {
  if ((await target.head(key))?.sha256 === sha256) return 'present';
  const body = await openObject(key);
  if (body === undefined) return 'lost';
  const written = await target.put(key, body);
  if (written.sha256 === sha256) return 'copied';
  await target.remove(key);
  return 'lost';
}
