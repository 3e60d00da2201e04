import { Readable } from 'node:stream';
import { UnavailableError } from '@contrails/runtime/errors';
import type { ByteRange } from '../store.ts';
import type { Bucket } from './bucket.ts';
import { getObject } from './requests.ts';

export interface Download {
  readonly path: string;
  readonly etag: string;
  /** What `body`, the answer that is already there, should hold. */
  readonly range: ByteRange;
  readonly body: Readable;
}

/**
 * The bytes of an object. A connection that is cut or stalls, be it for a consumer that pauses, is replaced by
 * one that goes on where it stopped.
 */
export function download(bucket: Bucket, { path, etag, range, body }: Download): Readable {
  const { attempts } = bucket.retryPolicy;
  let current = body;
  let closed = false;
  const pieces = resuming();
  return new Readable({
    read() {
      pieces.next().then(
        ({ done, value }) => this.push(done ? null : value),
        (error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      closed = true;
      current.destroy();
      done(error);
    },
  });

  async function* resuming(): AsyncGenerator<Uint8Array> {
    let position = range.first;
    let failures = 0;
    while (position <= range.last && !closed) {
      try {
        for await (const piece of current as AsyncIterable<Uint8Array>) {
          position += piece.byteLength;
          failures = 0;
          yield piece;
        }
        if (position <= range.last) throw new UnavailableError(`the body of ${path} ended early`);
      } catch (error) {
        failures += 1;
        if (closed || failures >= attempts) throw bucket.toError(error);
        current = await reopen(position);
      }
    }
    current.destroy();
  }

  async function reopen(first: number): Promise<Readable> {
    const rest = await getObject(bucket, path, { range: { first, last: range.last }, etag });
    if (typeof rest === 'object') return rest.body;
    throw new UnavailableError(`${path} was removed while it was read`, { facts: { path } });
  }
}
