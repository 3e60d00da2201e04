import type { FileStamp } from '../file-stamp.ts';
import type { FillJob } from '../held/plan.ts';

export type ReaderRequest =
  | { readonly kind: 'inspect'; readonly file: FileStamp }
  | { readonly kind: 'fill'; readonly job: FillJob };
