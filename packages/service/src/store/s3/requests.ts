import { Readable } from 'node:stream';
import { UnavailableError } from '../../errors.ts';
import type { ByteRange } from '../store.ts';
import type { Bucket } from './bucket.ts';
import { isBehindEnd, isMissing, isPreconditionFault } from './faults.ts';

/** What a bucket keeps of an object besides its bytes. */
export interface StoredObject {
  readonly etag: string;
  readonly size: number;
  readonly modifiedMs: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Answers undefined when there is no such object. */
export async function headObject(bucket: Bucket, path: string): Promise<StoredObject | undefined> {
  try {
    const answer = await bucket.call((limits) =>
      bucket.client.headObject({ Bucket: bucket.name, Key: path }, limits),
    );
    return storedObject(bucket, answer, answer.ContentLength);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * The object or a part of it; undefined when there is no such object, 'behind' when the part starts behind its
 * end. With a tag it has to be the same object still.
 */
export async function getObject(
  bucket: Bucket,
  path: string,
  part: { readonly range?: ByteRange | undefined; readonly etag?: string } = {},
): Promise<{ stored: StoredObject; body: Readable } | 'behind' | undefined> {
  const { range, etag } = part;
  const input = {
    Bucket: bucket.name,
    Key: path,
    ...(range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` }),
    ...(etag === undefined ? {} : { IfMatch: etag }),
  };
  try {
    const answer = await bucket.call((limits) => bucket.client.getObject(input, limits));
    const total = range === undefined ? answer.ContentLength : totalOf(answer.ContentRange);
    const body = answer.Body instanceof Readable ? answer.Body : Readable.from([]);
    return { stored: storedObject(bucket, answer, total), body };
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isBehindEnd(error)) return 'behind';
    if (isPreconditionFault(error)) {
      throw new UnavailableError(`${path} changed while it was read; read it again`, { facts: { path } });
    }
    throw error;
  }
}

interface Answer {
  readonly ETag?: string | undefined;
  readonly LastModified?: Date | undefined;
  readonly Metadata?: Record<string, string> | undefined;
}

function storedObject(bucket: Bucket, answer: Answer, size: number | undefined): StoredObject {
  const { ETag, LastModified, Metadata = {} } = answer;
  if (ETag === undefined || LastModified === undefined || size === undefined) {
    throw new UnavailableError(
      `the bucket ${bucket.name} leaves out the tag, time or length of an object; check that its server speaks S3`,
    );
  }
  return { etag: ETag, size, modifiedMs: LastModified.getTime(), metadata: Metadata };
}

function totalOf(contentRange: string | undefined): number | undefined {
  const total = contentRange?.split('/')[1];
  return total === undefined ? undefined : Number(total);
}
