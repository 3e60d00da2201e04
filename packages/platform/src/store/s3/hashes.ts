import { createHash } from 'node:crypto';
import { LruMap } from '@contrails/runtime';
import { UnavailableError } from '@contrails/runtime/errors';
import type { Bucket } from './bucket.ts';
import { download } from './download.ts';
import { getObject, type StoredObject } from './requests.ts';

const REMEMBERED = 1000;

/** Metadata of every object this store writes; `write-id` distinguishes one write from another of the same bytes. */
export function metadataOf(sha256: string, writeId: string): Record<string, string> {
  return { sha256, 'write-id': writeId };
}

/** The SHA-256 of an object: from its metadata or, when somebody else put it there, from its bytes. */
export function createHashes(bucket: Bucket): (path: string, stored: StoredObject) => Promise<string> {
  const computed = new LruMap<string, string>({ capacity: REMEMBERED });
  return async (path, stored) => {
    const given = stored.metadata.sha256;
    if (given !== undefined && /^[0-9a-f]{64}$/.test(given)) return given;
    const version = `${path} ${stored.etag}`;
    const known = computed.get(version);
    if (known !== undefined) return known;
    const sha256 = await hashObject(bucket, path, stored);
    computed.set(version, sha256);
    return sha256;
  };
}

async function hashObject(bucket: Bucket, path: string, { etag, size }: StoredObject): Promise<string> {
  const opened = await getObject(bucket, path, { etag });
  if (typeof opened !== 'object') {
    throw new UnavailableError(`${path} was removed while it was read`, { facts: { path } });
  }
  const hash = createHash('sha256');
  const range = { first: 0, last: size - 1 };
  for await (const piece of download(bucket, { path, etag, range, body: opened.body })) hash.update(piece);
  return hash.digest('hex');
}
