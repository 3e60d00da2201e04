import { isHdf5, startOf } from '@contrails/met/hdf5';
import { type Frame, FrameError } from '../frame/index.ts';
import { readAbi } from './abi.ts';
import { readAhi } from './ahi.ts';
import type { ReadSettings } from './assemble.ts';
import { isFci, readFci } from './fci.ts';
import { openImageFile } from './hdf5.ts';

/**
 * Reads the files of one frame: ABI (CMIP, MCMIP, L1b), AHI (standard data, plain or bzip2) or FCI (L1c chunks), whichever
 * they hold. Imagery that cannot be used is a `FrameError`.
 */
export function readFrame(paths: readonly string[], settings: ReadSettings = {}): Frame {
  const formats = new Set(paths.map(formatOf));
  if (formats.size > 1) {
    throw new FrameError(
      'mixed-satellites',
      `${paths.join(', ')} have different formats; give the files of one frame`,
      { paths },
    );
  }
  const [format] = formats;
  if (format === undefined)
    throw new FrameError('missing-band', 'a frame needs at least one file; give some');
  return READERS[format](paths, settings);
}

type Format = 'abi' | 'ahi' | 'fci';

const READERS: Record<Format, (paths: readonly string[], settings: ReadSettings) => Frame> = {
  abi: readAbi,
  ahi: readAhi,
  fci: readFci,
};

/** First bytes of Himawari standard data: block 1 with its length, 282. */
const HSD = '\x01\x1a\x01';

function formatOf(path: string): Format {
  const start = readStart(path);
  if (start.startsWith('BZh') || start.startsWith(HSD)) return 'ahi';
  if (!isHdf5(start)) {
    const found = start === '' ? 'it is empty' : 'it begins with other bytes';
    throw new FrameError(
      'unreadable',
      `${path} is neither netCDF-4 nor Himawari standard data (${found}); fetch it again`,
      { path },
    );
  }
  const file = openImageFile(path);
  try {
    return isFci(file) ? 'fci' : 'abi';
  } finally {
    file.close();
  }
}

function readStart(path: string): string {
  try {
    return startOf(path);
  } catch (cause) {
    throw new FrameError(
      'unreadable',
      `${path} cannot be read: ${(cause as Error).message}`,
      { path },
      { cause },
    );
  }
}
