import { MetError } from '../../errors.ts';

export type Range = { readonly offset: number; readonly length: number } | { readonly suffixLength: number };

/** Objects by key, which begins with a slash; undefined for absent ones. */
export interface ObjectStore {
  get(key: string): Promise<Uint8Array | undefined>;
  getRange(key: string, range: Range): Promise<Uint8Array | undefined>;
  /** Opens an object to be read in pieces. */
  open(key: string): Promise<StoredObject | undefined>;
  /** Names of the arrays and groups at the top, where the store can be listed. */
  names?(): Promise<string[]>;
  /** When something below a name was last written, where the store records it. */
  modifiedMs?(name: string): Promise<number | undefined>;
}

/** An object read in chunks; a change between two reads is an error. */
export interface StoredObject {
  readonly name: string;
  /** Returns fewer bytes at the end of the object; they are valid until the next call. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** The best size of one read [bytes]. */
  readonly pieceBytes: number;
  close(): Promise<void>;
}

/** A damaged index names bytes beyond the end. */
export function beyondEnd(path: string, range: Range, size: number): MetError {
  return new MetError('unreadable', `${path} of ${size} bytes is too short for ${JSON.stringify(range)}`, {
    path,
    size,
  });
}
