import { closeSync, openSync, readSync } from 'node:fs';

const FIRST_BYTES = 8;
const HDF5_SIGNATURE = '\x89HDF\r\n\x1a\n';

/** The start of a file, one character per byte, which identifies the format. */
export function startOf(path: string): string {
  const bytes = Buffer.alloc(FIRST_BYTES);
  const file = openSync(path, 'r');
  try {
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, FIRST_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

export function isHdf5(start: string): boolean {
  return start.startsWith(HDF5_SIGNATURE);
}
