import type { Box, BoxAxis, Packing, StoredValues } from '../field/assemble.ts';
import type { FieldAxes } from '../field/field.ts';
import type { Assignment } from './assignment.ts';
import type { FileStamp } from './file-stamp.ts';
import type { FileFormat, StoredVariable } from './header.ts';
import type { EntryDimension } from './layout.ts';
import type { Work } from './work.ts';

const AXES = ['longitude', 'latitude', 'level', 'time'] as const;

/** One box of one variable of one file, and where its values belong; plain data for a thread. */
export interface BoxRead {
  readonly file: FileStamp;
  readonly format: FileFormat;
  readonly stored: StoredVariable;
  /** Per dimension of storage. */
  readonly first: readonly number[];
  readonly count: readonly number[];
  readonly variable: number;
  readonly packing: Packing;
  /** Per axis of the field: the dimension it lies along (−1: none) and the positions of its knots in the box. */
  readonly axes: Readonly<Record<keyof FieldAxes, { dimension: number; positions: Int32Array }>>;
}

/** The boxes a piece of work reads; positions count within the piece's times and rows. */
export function boxReads(work: Work): BoxRead[] {
  return work.assignments.flatMap((assignment) => {
    const positions = {
      ...assignment.positions,
      time: Int32Array.from(work.times, (l) => assignment.positions.time[l] as number),
      latitude: assignment.positions.latitude.subarray(...work.rows),
    };
    const { dimensions } = assignment.entry;
    const layers = dimensions.find(({ axis }) => axis === 'layers')?.indices ?? [0];
    const meridians = dimensions.find(({ axis }) => axis === 'longitude');
    return layers.flatMap((layer) =>
      runs(positions.longitude, meridians?.chunk ?? 1).map((longitude) =>
        boxRead(assignment, { ...positions, longitude }, layer),
      ),
    );
  });
}

/** The box with its values, as it is placed into a field. */
export function boxOf(read: BoxRead, values: StoredValues): Box {
  const strides: number[] = [];
  let stride = 1;
  for (let d = read.count.length - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= read.count[d] as number;
  }
  const axis = (name: keyof FieldAxes): BoxAxis => {
    const { dimension, positions } = read.axes[name];
    return { stride: strides[dimension] ?? 0, positions };
  };
  return {
    values,
    start: 0,
    variable: read.variable,
    packing: read.packing,
    longitude: axis('longitude'),
    latitude: axis('latitude'),
    level: axis('level'),
    time: axis('time'),
  };
}

function boxRead(
  { entry, variable }: Assignment,
  positions: Readonly<Record<keyof FieldAxes, Int32Array>>,
  layer: number,
): BoxRead {
  const ranges = entry.dimensions.map((dimension) => rangeAlong(dimension, positions, layer));
  const axis = (name: keyof FieldAxes) => {
    const dimension = entry.dimensions.findIndex((one) => one.axis === name);
    const start = (ranges[dimension]?.first ?? 0) - (entry.dimensions[dimension]?.offset ?? 0);
    return {
      dimension,
      positions: positions[name].map((position) => (position < 0 ? -1 : position - start)),
    };
  };
  return {
    file: entry.file,
    format: entry.format,
    stored: entry.stored,
    first: ranges.map(({ first }) => first),
    count: ranges.map(({ count }) => count),
    variable,
    packing: entry.packing,
    axes: Object.fromEntries(AXES.map((name) => [name, axis(name)])) as BoxRead['axes'],
  };
}

function rangeAlong(
  dimension: EntryDimension,
  positions: Readonly<Record<keyof FieldAxes, Int32Array>>,
  layer: number,
): { first: number; count: number } {
  if (dimension.axis === 'layers') return { first: layer, count: 1 };
  if (dimension.axis === 'fixed') return { first: dimension.indices?.[0] ?? 0, count: 1 };
  const held = positions[dimension.axis].filter((position) => position >= 0);
  const first = held.reduce((low, position) => Math.min(low, position), Number.POSITIVE_INFINITY);
  const last = held.reduce((high, position) => Math.max(high, position), 0);
  return { first: first + (dimension.offset ?? 0), count: last - first + 1 };
}

/**
 * Positions along a dimension in groups without long gaps: meridians on both sides of Greenwich lie at the two ends of
 * an axis that counts from 0 to 360. A gap shorter than a compressed block is read too.
 */
function runs(positions: Int32Array, chunk: number): Int32Array[] {
  const held = [...new Set(positions)].filter((position) => position >= 0).sort((a, b) => a - b);
  const groups: [first: number, last: number][] = [];
  for (const position of held) {
    const group = groups.at(-1);
    if (group === undefined || position - group[1] > Math.max(chunk, 16)) groups.push([position, position]);
    else group[1] = position;
  }
  return groups.map(([first, last]) =>
    positions.map((position) => (position >= first && position <= last ? position : -1)),
  );
}
