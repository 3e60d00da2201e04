import type { MetField } from '../../field.ts';
import type { FileStamp } from '../file-stamp.ts';
import type { ModelLevels } from '../model-levels.ts';
import type { BoxRead } from './box-read.ts';

/** A piece of a field to be filled. */
export interface FillJob {
  /** Shares its memory with the field. */
  readonly part: MetField;
  readonly reads: readonly BoxRead[];
  /** Set when the files hold model levels. */
  readonly model?: ModelLevels<BoxRead>;
}

export type ReaderRequest =
  | { readonly kind: 'inspect'; readonly file: FileStamp }
  | { readonly kind: 'fill'; readonly job: FillJob };
