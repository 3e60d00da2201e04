import type { BoxRead } from '../../dataset/box-read.ts';
import type { Box, BoxAxis, StoredValues } from '../../field/assemble.ts';
import type { FieldAxes } from '../../field/field.ts';
import type { Band } from './bands.ts';

/** What is needed of a chunk, counted from its first value: per dimension, from `low` to before `high`. */
export function neededOf(
  { first, count }: BoxRead,
  chunks: readonly number[],
  coordinates: readonly number[],
): { low: number[]; high: number[] } {
  const inside = (value: number, d: number) => {
    const size = chunks[d] as number;
    return Math.min(Math.max(value - (coordinates[d] as number) * size, 0), size);
  };
  return {
    low: first.map((start, d) => inside(start, d)),
    high: first.map((start, d) => inside(start + (count[d] as number), d)),
  };
}

/** Coordinates of the chunks that hold something of a box. */
export function chunksIn({ first, count }: BoxRead, chunks: readonly number[]): number[][] {
  let found: number[][] = [[]];
  for (const [d, size] of chunks.entries()) {
    const from = Math.floor((first[d] as number) / size);
    const to = Math.floor(((first[d] as number) + (count[d] as number) - 1) / size);
    const along = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    found = found.flatMap((before) => along.map((c) => [...before, c]));
  }
  return found;
}

/** The values of a band of a chunk as a box of the field: values outside it have no position. */
export function bandBox(
  read: BoxRead,
  chunks: readonly number[],
  coordinates: readonly number[],
  band: Pick<Band, 'low' | 'high'>,
  values: StoredValues,
  strides: readonly number[],
): Box {
  const starts = coordinates.map((c, d) => c * (chunks[d] as number) + (band.low[d] as number));
  const axis = (name: keyof FieldAxes): BoxAxis => {
    const { dimension, positions } = read.axes[name];
    if (dimension < 0) return { stride: 0, positions };
    const shift = (read.first[dimension] as number) - (starts[dimension] as number);
    const size = (band.high[dimension] as number) - (band.low[dimension] as number);
    return {
      stride: strides[dimension] as number,
      positions: positions.map((position) => {
        const inside = position + shift;
        return position >= 0 && inside >= 0 && inside < size ? inside : -1;
      }),
    };
  };
  const start = starts.reduce((offset, first, d) => {
    const isAxis = Object.values(read.axes).some(({ dimension }) => dimension === d);
    return isAxis ? offset : offset + ((read.first[d] as number) - first) * (strides[d] as number);
  }, 0);
  return {
    values,
    start,
    variable: read.variable,
    packing: read.packing,
    longitude: axis('longitude'),
    latitude: axis('latitude'),
    level: axis('level'),
    time: axis('time'),
  };
}
