import { decompress } from 'fzstd';
import type { Compressors } from 'hyparquet';

/** What the files of the service are compressed with, besides what hyparquet knows itself. */
export const compressors: Compressors = { ZSTD: (input) => decompress(input) };
