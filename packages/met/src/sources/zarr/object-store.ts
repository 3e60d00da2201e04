import { MetError } from '../../errors.ts';

export type Range = { readonly offset: number; readonly length: number } | { readonly suffixLength: number };

/** Objects by key, which begins with a slash; undefined for those that are not there. */
export interface ObjectStore {
  get(key: string): Promise<Uint8Array | undefined>;
  getRange(key: string, range: Range): Promise<Uint8Array | undefined>;
  /** An object to be read in pieces. */
  open(key: string): Promise<StoredObject | undefined>;
  /** Names of the arrays and groups at the top, where the place can tell. */
  names?(): Promise<string[]>;
  /** When something was last put below a name, where the place can tell. */
  modifiedMs?(name: string): Promise<number | undefined>;
}

/** An object that stays the same from one piece to the next, or it is an error. */
export interface StoredObject {
  readonly name: string;
  /** Fewer bytes than asked for at the end of the object; good until the next call. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** How much is worth asking for at once [bytes]. */
  readonly pieceBytes: number;
  close(): Promise<void>;
}

/** A damaged index asks for what is not there. */
export function beyondEnd(path: string, range: Range, size: number): MetError {
  return new MetError('unreadable', `${path} of ${size} bytes is too short for ${JSON.stringify(range)}`, {
    path,
    size,
  });
}
