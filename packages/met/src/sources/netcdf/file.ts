import { closeSync, openSync, readSync } from 'node:fs';
import type { FileFormat, FileHeader, StoredVariable } from '../../dataset/header.ts';
import { MetError } from '../../errors.ts';
import type { StoredValues } from '../../field/assemble.ts';

/** An open netCDF file of either format. */
export interface NetcdfFile {
  readonly header: FileHeader;
  /** A box of a variable's stored values: per dimension the first index and how many. */
  read(variable: StoredVariable, first: readonly number[], count: readonly number[]): Loan;
  close(): void;
}

/** Values in borrowed memory, which the reader returns. */
export interface Loan {
  /** Use them once everything needed has been read: further reading may move them. */
  values(): StoredValues;
  release(): void;
}

/** Which of the two netCDF formats a file has, from its first bytes. */
export function formatOf(path: string): FileFormat {
  const start = firstBytes(path);
  if (start.toString('latin1').startsWith('\x89HDF\r\n\x1a\n')) return 'hdf5';
  if (start.toString('latin1', 0, 3) === 'CDF') return 'classic';
  throw new MetError('unreadable', `${path} is not a netCDF file${hint(start)}`, { path });
}

function hint(start: Buffer): string {
  const text = start.toString('latin1', 0, 4);
  if (start.length === 0) return '; it is empty';
  if (text === 'GRIB') return ' but GRIB; give it to a source of kind grib';
  if (text.startsWith('PK')) return ' but a zip archive; unpack it first';
  if (text.startsWith('\x1f\x8b')) return ' but compressed with gzip; unpack it first';
  return '';
}

function firstBytes(path: string): Buffer {
  const bytes = Buffer.alloc(8);
  try {
    const file = openSync(path, 'r');
    try {
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw new MetError(
      'unavailable',
      `${path} cannot be read: ${(cause as Error).message}`,
      { path },
      { cause },
    );
  }
}
