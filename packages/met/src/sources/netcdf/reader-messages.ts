import type { FileStamp } from '../../dataset/file-stamp.ts';
import type { FillJob } from '../../dataset/plan.ts';

export type ReaderRequest =
  | { readonly kind: 'inspect'; readonly file: FileStamp }
  | { readonly kind: 'fill'; readonly job: FillJob };
