import type { MetField } from '../../field.ts';
import type { FileStamp } from '../file-stamp.ts';
import type { BoxRead } from './box-read.ts';

/** A piece of a field to be filled. */
export interface FillJob {
  /** Shares its memory with the field. */
  readonly part: MetField;
  readonly reads: readonly BoxRead[];
  /** Set when the files hold model levels. */
  readonly model?: {
    /** Numbers of the model levels to read. */
    readonly levels: Float64Array;
    readonly surface: readonly BoxRead[];
    /** The files hold the logarithm of surface pressure. */
    readonly logarithmic: boolean;
  };
}

export type ReaderRequest =
  | { readonly kind: 'inspect'; readonly file: FileStamp }
  | { readonly kind: 'fill'; readonly job: FillJob };

/** A reader does one thing at a time, so that an answer belongs to the last request. */
