import { decompress } from 'fzstd';
import type { Compressors } from 'hyparquet';

/** Compression codecs of the service's files that hyparquet lacks. */
export const compressors: Compressors = { ZSTD: (input) => decompress(input) };
