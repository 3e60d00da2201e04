import type { FileFormat, FileHeader, StoredVariable } from '../../dataset/header.ts';
import { MetError } from '../../errors.ts';
import type { StoredValues } from '../../field/assemble.ts';
import { isHdf5, startOf } from './file-start.ts';

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
  const start = readStart(path);
  if (isHdf5(start)) return 'hdf5';
  if (start.startsWith('CDF')) return 'classic';
  throw new MetError('unreadable', `${path} is not a netCDF file${hint(start)}`, { path });
}

function hint(start: string): string {
  if (start === '') return '; it is empty';
  if (start.startsWith('GRIB')) return ' but GRIB; give it to a source of kind grib';
  if (start.startsWith('PK')) return ' but a zip archive; unpack it first';
  if (start.startsWith('\x1f\x8b')) return ' but compressed with gzip; unpack it first';
  return '';
}

function readStart(path: string): string {
  try {
    return startOf(path);
  } catch (cause) {
    throw new MetError(
      'unavailable',
      `${path} cannot be read: ${(cause as Error).message}`,
      { path },
      { cause },
    );
  }
}
