/** What scripts have written, and noted beside it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the real library wrote, and reads back. */
export interface WrittenCase {
  readonly files: readonly string[];
  readonly variables: readonly string[];
  readonly time: readonly number[];
  readonly level: readonly number[];
  readonly latitude: readonly number[];
  readonly longitude: readonly number[];
  /** [variable][time][level][latitude][longitude] */
  readonly values: Float32Array;
}

/** What a script has noted of a case beside its files. */
export function readWritten(directory: string, name: string): WrittenCase {
  const bytes = readFileSync(join(directory, `${name}.bin`));
  const values = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return { ...JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8')), values };
}

/** A window that holds everything. */
export function wholeWindow(written: Pick<WrittenCase, 'variables' | 'time'>) {
  return {
    variables: written.variables,
    time: [written.time[0] as number, written.time.at(-1) as number] as const,
    level: [1, 1100] as const,
    latitude: [-90, 90] as const,
    longitude: [-180, 180] as const,
  };
}
