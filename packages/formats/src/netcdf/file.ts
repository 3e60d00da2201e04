import type { ChunkSource } from './chunks.ts';
import type { AttributeValue } from './object-header.ts';
import type { NumericArray, NumericType } from './types.ts';

export interface NetcdfVariable {
  readonly name: string;
  /** Names of dimensions, none for a scalar; a variable named like its one dimension is its coordinate. */
  readonly dimensions: readonly string[];
  /** Values in C order; or, with `chunks` and `type`, a function that delivers one chunk at a time. */
  readonly data: NumericArray | Exclude<ChunkSource, NumericArray>;
  readonly type?: NumericType;
  /** Shape of a chunk; chunked variables are shuffled (single bytes are not) and deflated, others stored as they are. */
  readonly chunks?: readonly number[];
  readonly deflateLevel?: number;
  readonly fillValue?: number;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

export interface NetcdfFile {
  /** Name → length, in the order in which readers list them. */
  readonly dimensions: Readonly<Record<string, number>>;
  readonly variables: readonly NetcdfVariable[];
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}
