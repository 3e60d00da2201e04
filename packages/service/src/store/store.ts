import type { Readable } from 'node:stream';

/** What the store knows of one object without reading it. */
export interface ObjectInfo {
  readonly key: string;
  readonly size: number;
  /** SHA-256 of the bytes, hex. It is also the object's entity tag: it changes when, and only when, the bytes do. */
  readonly sha256: string;
  readonly modifiedMs: number;
}

/** First and last byte, both inclusive, as in an HTTP range. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Where products live: a directory or a bucket. Keys are relative paths of plain segments
 * (`forecast/2026-01-01T00/FL350.nc`); anything else is refused before a path or URL is made from it.
 * A fault of the store itself (disk full, bucket unreachable, stalled) is an `UnavailableError`.
 */
export interface Store {
  /** Puts the whole object or nothing, also when the process is killed half-way. Replaces what was there. */
  put(key: string, body: Uint8Array | Readable, options?: { signal?: AbortSignal }): Promise<ObjectInfo>;
  /**
   * Puts a small object only if the one stored now has this SHA-256 (`null`: only if there is none);
   * rejects with `ConflictError` otherwise.
   */
  replace(key: string, body: Uint8Array, expectedSha256: string | null): Promise<ObjectInfo>;
  head(key: string): Promise<ObjectInfo | undefined>;
  /** The bytes, or a part of them; undefined when there is no such object. */
  read(key: string, range?: ByteRange): Promise<{ info: ObjectInfo; body: Readable } | undefined>;
  /** Every object whose key starts with the prefix, in key order. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** True when there was such an object. */
  remove(key: string): Promise<boolean>;
  /** Rejects with `UnavailableError` when the store cannot be written. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
