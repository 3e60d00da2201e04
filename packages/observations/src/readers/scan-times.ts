/** When pixels were scanned, where imagery has it for each of them. */
import { isoTime } from '@contrails/runtime';
import { FrameError } from '../frame/index.ts';
import type { Placement } from './assemble.ts';
import type { ImageFile, Strip } from './hdf5.ts';

/** Pixels of a row that differ by no more have the time of the row: a line at 25 m/s moves by a sixteenth of a pixel [s]. */
const MAX_SPREAD_S = 10;

/** Offsets from the nominal time [s] that are being collected; `pixels` only when rows are not enough. */
export interface ScanTimes {
  rows?: Float32Array;
  pixels?: Float32Array;
}

export interface IndexedTimes {
  /** Strips of indices into the offsets. */
  readonly strips: () => Iterable<Strip>;
  readonly offsets: Float32Array;
}

/** Times that pixels refer to by index; undefined if the file has none. */
export function readIndexedTimes(
  file: ImageFile,
  indexMap: string,
  nominalMs: number,
): IndexedTimes | undefined {
  if (!(file.has(indexMap) && file.has('time') && file.has('index'))) return undefined;
  const first = file.numbers('index')[0] ?? 0;
  const times = file.numbers('time');
  const offsets = new Float32Array(0x1_0000).fill(Number.NaN);
  times.forEach((time, i) => {
    const offset = (secondsSince(file, 'time', time) - nominalMs) / 1000;
    if (first + i < offsets.length) offsets[first + i] = offset;
  });
  return { strips: () => file.strips(indexMap), offsets };
}

/** The instant of a value of a time variable [ms since 1970], by its units. */
export function secondsSince(file: ImageFile, variable: string, value: number): number {
  const units = file.attribute(variable, 'units');
  const [, epoch] = /^seconds since (.+)$/.exec(typeof units === 'string' ? units.trim() : '') ?? [];
  const epochMs = Date.parse(`${(epoch ?? '').replace(' ', 'T').replace(/(\.\d+)?Z?$/, '')}Z`);
  if (Number.isNaN(epochMs)) {
    throw new FrameError(
      'unreadable',
      `${variable} of ${file.path} has the units ${String(units)} instead of "seconds since …"; fetch it again`,
      { path: file.path, variable, units },
    );
  }
  const ms = epochMs + value * 1000;
  if (Math.abs(ms) > 8.64e15) {
    throw new FrameError(
      'unreadable',
      `${variable} of ${file.path} is not a time: ${value}; fetch it again`,
      {
        path: file.path,
        after: isoTime(epochMs),
      },
    );
  }
  return ms;
}

/** Adds the times of a file; pixels without one leave the row to the others. */
export function placeScanTimes(
  times: ScanTimes,
  indexed: IndexedTimes | undefined,
  placement: Placement & { readonly rows: number },
): void {
  if (indexed === undefined) return;
  const { rows, columns, rowOf } = placement;
  times.rows ??= new Float32Array(rows).fill(Number.NaN);
  for (const { values, firstRow, rows: count } of indexed.strips()) {
    for (let r = 0; r < count; r++) {
      const row = rowOf(firstRow + r);
      let [sum, n, min, max] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let c = 0; c < columns; c++) {
        const offset = indexed.offsets[(values[r * columns + c] as number) & 0xffff] as number;
        if (Number.isNaN(offset)) continue;
        sum += offset;
        n++;
        min = Math.min(min, offset);
        max = Math.max(max, offset);
      }
      if (n > 0) times.rows[row] = sum / n;
      if (max - min > MAX_SPREAD_S) times.pixels ??= spread(times.rows, rows, columns);
      if (times.pixels === undefined) continue;
      const pixels = times.pixels.subarray(row * columns, (row + 1) * columns);
      for (let c = 0; c < columns; c++) {
        const offset = indexed.offsets[(values[r * columns + c] as number) & 0xffff] as number;
        pixels[c] = Number.isNaN(offset) ? (times.rows[row] as number) : offset;
      }
      if (placement.reversesColumns) pixels.reverse();
    }
  }
}

function spread(ofRows: Float32Array, rows: number, columns: number): Float32Array {
  const pixels = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    pixels.fill(ofRows[row] as number, row * columns, (row + 1) * columns);
  }
  return pixels;
}

/** The offsets of all rows, or of all pixels, once all files have been read; rows in space take those of their neighbours. */
export function settleScanTimes({ rows, pixels }: ScanTimes): Float32Array | undefined {
  if (rows === undefined || rows.every(Number.isNaN)) return undefined;
  if (pixels !== undefined) {
    fillGaps(rows);
    const columns = pixels.length / rows.length;
    for (let i = 0; i < pixels.length; i++) {
      if (Number.isNaN(pixels[i])) pixels[i] = rows[Math.floor(i / columns)] as number;
    }
    return pixels;
  }
  fillGaps(rows);
  return rows;
}

function fillGaps(values: Float32Array): void {
  let last = values.find((value) => !Number.isNaN(value)) ?? 0;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) values[i] = last;
    else last = values[i] as number;
  }
}
