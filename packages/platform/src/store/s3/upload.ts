import { randomBytes } from 'node:crypto';
import type { CompletedPart } from '@aws-sdk/client-s3';
import { atOnce } from '@contrails/runtime';
import type { Bucket } from './bucket.ts';
import { isMissing } from './errors.ts';
import { metadataOf } from './hashes.ts';
import { headObject, notS3, putObject } from './requests.ts';
import type { SpooledBody } from './spool.ts';

/** Up to this size an object is sent in one piece; it is also what one part of a larger object holds in memory. */
const PART_BYTES = 8 * 1024 * 1024;
const MAX_PARTS = 10_000;
const PARTS_AT_ONCE = 4;

interface Upload {
  /** Where in the bucket. */
  readonly path: string;
  readonly body: SpooledBody;
  readonly signal: AbortSignal | undefined;
}

/** Stores the object; it appears whole. */
export async function upload(bucket: Bucket, item: Upload): Promise<void> {
  const { path, body, signal } = item;
  const writeId = randomBytes(16).toString('hex');
  const target = { Bucket: bucket.name, Key: path };
  const described = { ...target, Metadata: metadataOf(body.sha256, writeId) };
  const slowly = { signal, attemptMs: bucket.retryPolicy.uploadMs };
  if (body.size <= PART_BYTES) {
    const Body = await body.part(0, body.size);
    await putObject(bucket, { ...described, Body }, slowly);
    return;
  }
  const { UploadId } = await bucket.call((limits) => bucket.client.createMultipartUpload(described, limits), {
    signal,
  });
  if (UploadId === undefined) throw notS3(bucket);
  const begun = { ...target, UploadId };
  try {
    const done = { ...begun, MultipartUpload: { Parts: await sendParts(bucket, item, begun) } };
    await bucket.call((limits) => bucket.client.completeMultipartUpload(done, limits), slowly);
  } catch (error) {
    // An upload that was completed, but whose answer was lost, is gone when the completion is repeated.
    if (isMissing(error) && (await headObject(bucket, path))?.metadata['write-id'] === writeId) return;
    // Parts that cannot be removed now are left to the bucket's rule for incomplete uploads.
    await bucket.call((limits) => bucket.client.abortMultipartUpload(begun, limits)).catch(() => undefined);
    throw error;
  }
}

async function sendParts(
  bucket: Bucket,
  { body, signal }: Upload,
  begun: { readonly Bucket: string; readonly Key: string; readonly UploadId: string },
): Promise<CompletedPart[]> {
  const partBytes = Math.max(PART_BYTES, Math.ceil(body.size / MAX_PARTS));
  const count = Math.ceil(body.size / partBytes);
  const numbers = Array.from({ length: count }, (_, k) => k + 1);
  const sent: CompletedPart[] = [];
  const send = async (PartNumber: number, index: number, stop: AbortSignal) => {
    const first = index * partBytes;
    const Body = await body.part(first, Math.min(partBytes, body.size - first));
    const { ETag } = await bucket.call(
      (limits) => bucket.client.uploadPart({ ...begun, PartNumber, Body }, limits),
      { signal: stop, attemptMs: bucket.retryPolicy.uploadMs },
    );
    if (ETag === undefined) throw notS3(bucket);
    sent[index] = { PartNumber, ETag };
  };
  await atOnce(PARTS_AT_ONCE, numbers, send, signal);
  return sent;
}
