import { Readable } from 'node:stream';
import { UnavailableError } from '@contrails/runtime/errors';
import { checkRange, clipRange } from '../byte-range.ts';
import { checkKeyPrefix, checkObjectKey, isObjectKey } from '../object-key.ts';
import type { ListedObject, ObjectInfo, Store } from '../store.ts';
import { consuming } from '../write-hashed.ts';
import { type Bucket, openBucket, type S3Access } from './bucket.ts';
import { download } from './download.ts';
import { isMissing, isPreconditionFailure } from './errors.ts';
import { createHashes } from './hashes.ts';
import { replaceObject } from './replace.ts';
import { getObject, headObject, notS3, type StoredObject } from './requests.ts';
import { spool } from './spool.ts';
import { upload } from './upload.ts';

const PING_MS = 5_000;

/**
 * A store in a bucket, below a prefix. Sends nothing to the server yet: `ping` checks whether it can be used.
 */
export async function openS3Store(
  place: { readonly bucket: string; readonly prefix: string },
  access: S3Access,
): Promise<Store> {
  const bucket = await openBucket(place.bucket, access);
  const base = place.prefix === '' ? '' : `${place.prefix}/`;
  const hashOf = createHashes(bucket);
  const pathOf = (key: string) => {
    checkObjectKey(key);
    return base + key;
  };
  const infoOf = async (key: string, stored: StoredObject): Promise<ObjectInfo> => ({
    key,
    size: stored.size,
    sha256: await hashOf(base + key, stored),
    modifiedMs: stored.modifiedMs,
  });
  const head = async (key: string) => {
    const stored = await headObject(bucket, pathOf(key));
    return stored && infoOf(key, stored);
  };

  return {
    location: `s3://${place.bucket}/${place.prefix}`,
    head,
    put: (key, body, { signal } = {}) =>
      consuming(body, async () => {
        const path = pathOf(key);
        const spooled = await spool(body, signal);
        try {
          await upload(bucket, { path, body: spooled, signal });
          return { key, size: spooled.size, sha256: spooled.sha256 };
        } finally {
          await spooled.close();
        }
      }),
    async replace(key, body, expectedSha256) {
      const written = await replaceObject(bucket, { key, path: pathOf(key), body }, expectedSha256, hashOf);
      return { key, ...written };
    },
    async read(key, range) {
      if (range !== undefined) checkRange(range);
      const path = pathOf(key);
      const opened = await getObject(bucket, path, { range });
      if (opened === undefined) return undefined;
      if (opened === 'behind') {
        const info = await head(key);
        return info && { info, body: Readable.from([]) };
      }
      const { stored, body } = opened;
      try {
        const info = await infoOf(key, stored);
        const part = clipRange(range ?? { first: 0, last: Number.MAX_SAFE_INTEGER }, stored.size);
        const present = part ?? { first: 0, last: -1 };
        return { info, body: download(bucket, { path, etag: stored.etag, range: present, body }) };
      } catch (error) {
        body.destroy();
        throw error;
      }
    },
    list: (prefix) => listObjects(bucket, base, prefix),
    async remove(key) {
      const path = pathOf(key);
      if ((await headObject(bucket, path)) === undefined) return false;
      await bucket.call((limits) => bucket.client.deleteObject({ Bucket: bucket.name, Key: path }, limits));
      return true;
    },
    ping: () => probe(bucket, `${base}.probe`),
    async close() {
      bucket.close();
    },
  };
}

async function* listObjects(bucket: Bucket, base: string, prefix: string): AsyncGenerator<ListedObject> {
  checkKeyPrefix(prefix);
  let token: string | undefined;
  do {
    const input = {
      Bucket: bucket.name,
      Prefix: base + prefix,
      ...(token === undefined ? {} : { ContinuationToken: token }),
    };
    const page = await bucket.call((limits) => bucket.client.listObjectsV2(input, limits));
    // An answer without it is not a listing, and must not pass for an empty one.
    if (page.IsTruncated === undefined) throw notS3(bucket);
    for (const { Key = '', Size, LastModified } of page.Contents ?? []) {
      const key = Key.slice(base.length);
      if (Size === undefined || LastModified === undefined || !isObjectKey(key)) continue;
      yield { key, size: Size, modifiedMs: LastModified.getTime() };
    }
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

/**
 * A write whose condition cannot hold: the server has to authorise and to refuse it, so it proves the way to
 * the bucket, the permission and that conditions are kept, and stores nothing.
 */
async function probe(bucket: Bucket, path: string): Promise<void> {
  const target = { Bucket: bucket.name, Key: path };
  try {
    await bucket.call(
      (limits) => bucket.client.putObject({ ...target, Body: new Uint8Array(), IfMatch: '"0"' }, limits),
      {
        totalMs: PING_MS,
      },
    );
  } catch (error) {
    if (isPreconditionFailure(error) || isMissing(error)) return;
    throw error;
  }
  await bucket.call((limits) => bucket.client.deleteObject(target, limits)).catch(() => undefined);
  throw new UnavailableError(
    `the server of the bucket ${bucket.name} ignores conditions of writes, so manifests could be lost; use one that keeps them`,
    { facts: { bucket: bucket.name } },
  );
}
