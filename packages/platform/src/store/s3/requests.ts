import { Readable } from 'node:stream';
import type { PutObjectCommandInput } from '@aws-sdk/client-s3';
import { UnavailableError } from '@contrails/runtime/errors';
import type { ByteRange } from '../store.ts';
import type { Bucket, CallOptions } from './bucket.ts';
import { isBehindEnd, isMissing, isPreconditionFailure } from './errors.ts';

/** What a bucket keeps of an object besides its bytes. */
export interface StoredObject {
  readonly etag: string;
  readonly size: number;
  readonly modifiedMs: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Puts a small object, on a condition if one is given. */
export async function putObject(
  bucket: Bucket,
  input: Omit<PutObjectCommandInput, 'Bucket'>,
  options?: CallOptions,
): Promise<void> {
  const { ETag } = await bucket.call(
    (limits) => bucket.client.putObject({ ...input, Bucket: bucket.name }, limits),
    options,
  );
  if (ETag === undefined) throw notS3(bucket);
}

/** Returns undefined when there is no such object. */
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
 * The object or a part of it; undefined when there is no such object, 'behind' when the part starts behind its end.
 * With a tag, it must still be the same object.
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
    if (isPreconditionFailure(error)) {
      throw new UnavailableError(`${path} changed while it was read; read it again`, { facts: { path } });
    }
    throw error;
  }
}

/** A success that lacks what S3 always answers: a proxy or another kind of server is in the way. */
export function notS3(bucket: Bucket): UnavailableError {
  return new UnavailableError(
    `what answers for the bucket ${bucket.name} does not speak S3; check s3.endpoint and proxies on the way`,
    { facts: { bucket: bucket.name } },
  );
}

interface Answer {
  readonly ETag?: string | undefined;
  readonly LastModified?: Date | undefined;
  readonly Metadata?: Record<string, string> | undefined;
}

function storedObject(bucket: Bucket, answer: Answer, size: number | undefined): StoredObject {
  const { ETag, LastModified, Metadata = {} } = answer;
  if (ETag === undefined || LastModified === undefined || size === undefined) throw notS3(bucket);
  return { etag: ETag, size, modifiedMs: LastModified.getTime(), metadata: Metadata };
}

function totalOf(contentRange: string | undefined): number | undefined {
  const total = contentRange?.split('/')[1];
  return total === undefined ? undefined : Number(total);
}
