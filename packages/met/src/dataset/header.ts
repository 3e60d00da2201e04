import type { Attributes, StoredType } from './conventions.ts';

export type FileFormat = 'hdf5' | 'classic' | 'zarr';

/** One variable as a file describes it. */
export interface StoredVariable {
  readonly name: string;
  readonly type: StoredType;
  /** Names of the dimensions, the last one running fastest. */
  readonly dimensions: readonly string[];
  readonly shape: readonly number[];
  /** Lengths of the blocks that are compressed as one; absent where values are stored plainly. */
  readonly chunks?: readonly number[];
  readonly attributes: Attributes;
}

export interface FileHeader {
  readonly variables: readonly StoredVariable[];
  /** Values of the variables with one dimension or none, as stored. */
  readonly coordinates: ReadonlyMap<string, Float64Array>;
}
