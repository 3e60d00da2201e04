import type { Readable } from 'node:stream';

/** What a listing knows of an object. */
export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly modifiedMs: number;
}

/** What the store knows of one object without reading it. */
export interface ObjectInfo extends ListedObject {
  /** SHA-256 of the bytes, hex. It is also the object's entity tag: it changes when, and only when, the bytes do. */
  readonly sha256: string;
}

/** What was written; when is for the store to say, on the next `head`. */
export type WrittenObject = Pick<ObjectInfo, 'key' | 'size' | 'sha256'>;

/** First and last byte, both inclusive, as in an HTTP range. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Where products live: a directory or a bucket. Keys are relative paths of plain segments
 * (`forecast/2026-01-01T00/FL350.nc`, see `object-key.ts`); anything else is refused with a `ValidationError`
 * before a path or URL is made from it. A key must not be a directory of another key; a directory answers that
 * with a `ConflictError`, a bucket does not notice.
 * A failure of the store itself (disk full, bucket unreachable, stalled) is an `UnavailableError`; a write that
 * ended with one has happened whole or not at all.
 */
export interface Store {
  /** Where it is, for people: a path or an `s3://` address. */
  readonly location: string;
  /**
   * Puts the whole object or nothing, also when the process is killed half-way. Replaces what was there.
   * An error of the body is passed on as it is; an aborted signal is a `CancelledError`.
   */
  put(
    key: string,
    body: Uint8Array | Readable,
    options?: { readonly signal?: AbortSignal },
  ): Promise<WrittenObject>;
  /**
   * Puts a small object only if the one stored now has this SHA-256 (`null`: only if there is none);
   * rejects with `ConflictError` otherwise. Safe between any number of processes.
   */
  replace(key: string, body: Uint8Array, expectedSha256: string | null): Promise<WrittenObject>;
  head(key: string): Promise<ObjectInfo | undefined>;
  /**
   * The bytes, or those of the range that exist (none when it starts behind the end); undefined when there is
   * no such object. Info and bytes belong together even when the object is being replaced. The body has to be
   * read to its end or destroyed.
   */
  read(key: string, range?: ByteRange): Promise<{ info: ObjectInfo; body: Readable } | undefined>;
  /**
   * The path of the object's file where the store is a directory of this machine; undefined when there is no such object.
   * For objects that are never replaced. A bucket has no such method.
   */
  localPath?(key: string): Promise<string | undefined>;
  /** Every object whose key starts with the prefix, in the order of the keys' bytes. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** True when there was such an object. */
  remove(key: string): Promise<boolean>;
  /** Rejects with `UnavailableError` when the store cannot be written. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
