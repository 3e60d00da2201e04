import { replaced } from '../../dataset/file-stamp.ts';
import { type HttpLimits, type HttpObject, httpGet } from './http-get.ts';
import type { HttpLocation } from './location.ts';
import { beyondEnd, type ObjectStore, type Range, type StoredObject } from './object-store.ts';
import { escapeS3Path, signS3 } from './sign-s3.ts';

/** Read when an object is opened, enough for most indices [bytes]. */
const FIRST_BYTES = 64 * 1024;
const PIECE_BYTES = 4 * 2 ** 20;

export function httpStore(location: HttpLocation, limits: HttpLimits): ObjectStore {
  const request = (key: string, range?: Range, etag?: string): Promise<HttpObject | undefined> => {
    const url = `${location.url}${escapeS3Path(key)}${location.query}`;
    const headers = async () => ({
      ...(range === undefined ? {} : { range: rangeHeader(range) }),
      ...(etag === undefined ? {} : { 'if-match': etag }),
      ...(location.signing === undefined ? {} : await signS3(new URL(url), location.signing, new Date())),
    });
    return httpGet(url, headers, limits);
  };
  return {
    get: async (key) => (await request(key))?.bytes,
    getRange: async (key, range) => {
      const got = await request(key, range);
      if (got === undefined) return undefined;
      const bytes = got.isWhole ? cutRange(got.bytes, range) : got.bytes;
      if ('length' in range && bytes.length < range.length) {
        throw beyondEnd(`${location.url}${key}`, range, got.bytes.length);
      }
      return bytes;
    },
    open: async (key) => {
      const first = await request(key, { offset: 0, length: FIRST_BYTES });
      if (first === undefined) return undefined;
      return first.isWhole
        ? wholeObject(`${location.url}${key}`, first.bytes)
        : objectInPieces(`${location.url}${key}`, first, (range) => request(key, range, first.etag));
    },
  };
}

/** For a server that does not support ranges. */
function wholeObject(name: string, bytes: Uint8Array): StoredObject {
  return {
    name,
    pieceBytes: bytes.length,
    read: async (offset, length) => bytes.subarray(offset, offset + length),
    close: async () => {},
  };
}

function objectInPieces(
  name: string,
  first: HttpObject,
  request: (range: Range) => Promise<HttpObject | undefined>,
): StoredObject {
  return {
    name,
    pieceBytes: PIECE_BYTES,
    read: async (offset, length) => {
      const isHeld = offset + length <= first.bytes.length || first.bytes.length < FIRST_BYTES;
      if (isHeld) return first.bytes.subarray(offset, offset + length);
      const got = await request({ offset, length });
      if (got === undefined || got.etag !== first.etag) throw replaced(name);
      return got.isWhole ? got.bytes.subarray(offset, offset + length) : got.bytes;
    },
    close: async () => {},
  };
}

function rangeHeader(range: Range): string {
  if ('suffixLength' in range) return `bytes=-${range.suffixLength}`;
  return `bytes=${range.offset}-${range.offset + range.length - 1}`;
}

function cutRange(bytes: Uint8Array, range: Range): Uint8Array {
  if ('suffixLength' in range) return bytes.subarray(Math.max(bytes.length - range.suffixLength, 0));
  return bytes.subarray(range.offset, range.offset + range.length);
}
