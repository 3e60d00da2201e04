import { createHash, randomBytes } from 'node:crypto';
import { UnavailableError } from '@contrails/runtime/errors';
import { changedSince } from '../changed-since.ts';
import type { Bucket } from './bucket.ts';
import { isMissing, isPreconditionFailure, wasRepeated } from './errors.ts';
import { metadataOf } from './hashes.ts';
import { headObject, putObject, type StoredObject } from './requests.ts';

/**
 * Puts the bytes if the object is still the expected one: reads what is there first, and the bucket compares its tag
 * again on writing.
 */
export async function replaceObject(
  bucket: Bucket,
  item: { readonly key: string; readonly path: string; readonly body: Uint8Array },
  expected: string | null,
  hashOf: (path: string, stored: StoredObject) => Promise<string>,
): Promise<{ size: number; sha256: string }> {
  const { key, path, body } = item;
  const sha256 = createHash('sha256').update(body).digest('hex');
  const writeId = randomBytes(16).toString('hex');
  const put = { Key: path, Body: body, Metadata: metadataOf(sha256, writeId) };
  const condition = expected === null ? { IfNoneMatch: '*' } : { IfMatch: await tagOf(expected) };
  try {
    await putObject(bucket, { ...put, ...condition });
  } catch (error) {
    if (!isPreconditionFailure(error) && !isMissing(error)) throw error;
    if (!wasRepeated(error)) throw changedSince(key, expected, undefined);
    // An attempt whose answer was lost may be what the repeated one ran into.
    if ((await headObject(bucket, path))?.metadata['write-id'] !== writeId) {
      throw new UnavailableError(
        `it is not known whether ${key} was replaced before it changed again; read it and decide again`,
        { facts: { key } },
      );
    }
  }
  return { size: body.byteLength, sha256 };

  async function tagOf(wanted: string): Promise<string> {
    const stored = await headObject(bucket, path);
    const found = stored === undefined ? null : await hashOf(path, stored);
    if (stored === undefined || found !== wanted) throw changedSince(key, wanted, found);
    return stored.etag;
  }
}
