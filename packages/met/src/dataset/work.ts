import type { FieldAxes } from '../field/field.ts';
import type { Assignment } from './assignment.ts';
import type { EntryDimension } from './layout.ts';
import { BYTES_OF_TYPE } from './stored-values.ts';

/** A piece of reading that one thread does at once: some times, a range of parallels, some of the variables. */
export interface Work {
  /** Indices of times of the field. */
  readonly times: readonly number[];
  readonly rows: readonly [first: number, end: number];
  readonly assignments: readonly Assignment[];
}

export interface WorkLimits {
  /** Bytes of stored values a thread may hold at once. */
  readonly bytes: number;
  /** Model levels are interpolated column by column, so their pieces keep all levels. */
  readonly keepLevels: boolean;
}

/**
 * Cuts the reading of a field into pieces: along the compressed blocks where that is enough, so each block is
 * unpacked once, and across them only where one block holds more than a piece may.
 */
export function cutWork(
  times: number,
  rows: number,
  assignments: readonly Assignment[],
  limits: WorkLimits,
): Work[] {
  return timeGroups(times, assignments).flatMap((group) =>
    split({ times: group, rows: [0, rows], assignments: during(assignments, group) }, limits),
  );
}

function split(work: Work, limits: WorkLimits): Work[] {
  if (work.assignments.length === 0) return [];
  if (workBytes(work) <= limits.bytes) return [work];
  const halves =
    splitRows(work, true) ??
    (limits.keepLevels ? undefined : splitLevels(work)) ??
    splitColumns(work) ??
    splitVariables(work) ??
    splitRows(work, false) ??
    splitTimes(work);
  return halves === undefined ? [work] : halves.flatMap((half) => split(half, limits));
}

/** Bytes of the stored values that a piece reads. */
export function workBytes(work: Work): number {
  return work.assignments.reduce((sum, { entry, positions }) => {
    const rows = count(positions.latitude.subarray(...work.rows));
    const times = work.times.filter((l) => (positions.time[l] as number) >= 0).length;
    const layers = entry.dimensions.find(({ axis }) => axis === 'layers')?.indices?.length ?? 1;
    const plane = rows * count(positions.longitude) * BYTES_OF_TYPE[entry.type];
    return sum + plane * times * count(positions.level) * layers;
  }, 0);
}

/** Times that share a compressed block in any entry are read together. */
function timeGroups(times: number, assignments: readonly Assignment[]): number[][] {
  const groupOf = Array.from({ length: times }, (_, l) => l);
  for (const { entry, positions } of assignments) {
    const chunk = dimensionAlong(entry.dimensions, 'time')?.chunk ?? 1;
    const firstOfBlock = new Map<number, number>();
    for (let l = 0; l < times; l++) {
      const position = positions.time[l] as number;
      if (position < 0) continue;
      const block = Math.floor(position / chunk);
      const first = firstOfBlock.get(block);
      if (first === undefined) firstOfBlock.set(block, l);
      else {
        const [from, to] = [groupOf[l] as number, groupOf[first] as number];
        groupOf.forEach((group, i) => {
          if (group === from) groupOf[i] = to;
        });
      }
    }
  }
  return [...Map.groupBy(groupOf.keys(), (l) => groupOf[l]).values()];
}

function splitRows(work: Work, alongBlocks: boolean): Work[] | undefined {
  const [first, end] = work.rows;
  const border = borderNearMiddle(first, end, (row) => !alongBlocks || startsBlock(work, 'latitude', row));
  if (border === undefined) return undefined;
  return [
    { ...work, rows: [first, border] },
    { ...work, rows: [border, end] },
  ];
}

/** Levels and meridians are cut before variables, because a field keeps the variables of a point together. */
function splitLevels(work: Work): Work[] | undefined {
  const levels = work.assignments[0]?.positions.level ?? new Int32Array(0);
  const held = [...levels.keys()].filter((k) =>
    work.assignments.some(({ positions }) => (positions.level[k] as number) >= 0),
  );
  const first = held[0] ?? 0;
  const end = (held.at(-1) ?? -1) + 1;
  const border = borderNearMiddle(first, end, (k) => startsBlock(work, 'level', k));
  if (border === undefined) return undefined;
  return [
    { ...work, assignments: keep(work.assignments, 'level', (k) => k < border) },
    { ...work, assignments: keep(work.assignments, 'level', (k) => k >= border) },
  ];
}

/**
 * Meridians are cut by the blocks they are stored in, which need not be neighbours in the field: an axis from 0 to 360
 * begins in its middle.
 */
function splitColumns(work: Work): Work[] | undefined {
  const [blocks, ...others] = work.assignments.map(columnBlocks);
  if (blocks === undefined || others.some((other) => other.join() !== blocks.join())) return undefined;
  const numbers = [...new Set(blocks)].filter((block) => block >= 0).sort((a, b) => a - b);
  if (numbers.length < 2) return undefined;
  const middle = numbers[numbers.length >> 1] as number;
  return [
    { ...work, assignments: keep(work.assignments, 'longitude', (i) => (blocks[i] as number) < middle) },
    { ...work, assignments: keep(work.assignments, 'longitude', (i) => (blocks[i] as number) >= middle) },
  ];
}

/** For each column of the field the block that holds it, −1 where there is none. */
function columnBlocks({ entry, positions }: Assignment): Int32Array {
  const chunk = dimensionAlong(entry.dimensions, 'longitude')?.chunk ?? 1;
  const length = entry.stored.chunks === undefined ? PLAIN_COLUMNS : chunk;
  return positions.longitude.map((position) => (position < 0 ? -1 : Math.floor(position / length)));
}

/** Columns that are kept together where nothing is compressed. */
const PLAIN_COLUMNS = 256;

function keep(
  assignments: readonly Assignment[],
  axis: 'level' | 'longitude',
  wanted: (index: number) => boolean,
): Assignment[] {
  return assignments
    .map((assignment) => ({
      ...assignment,
      positions: {
        ...assignment.positions,
        [axis]: assignment.positions[axis].map((position, index) => (wanted(index) ? position : -1)),
      },
    }))
    .filter(({ positions }) => positions[axis].some((position) => position >= 0));
}

/** The index between first and end nearest to their middle at which a piece may be cut. */
function borderNearMiddle(
  first: number,
  end: number,
  mayCut: (index: number) => boolean,
): number | undefined {
  const middle = (first + end) / 2;
  let best: number | undefined;
  for (let index = first + 1; index < end; index++) {
    if (best !== undefined && Math.abs(index - middle) >= Math.abs(best - middle)) continue;
    if (mayCut(index)) best = index;
  }
  return best;
}

/** True when no compressed block of any entry spans the border before an index. */
function startsBlock(work: Work, axis: 'latitude' | 'level', index: number): boolean {
  return work.assignments.every(({ entry, positions }) => {
    const dimension = dimensionAlong(entry.dimensions, axis);
    if (dimension === undefined || entry.stored.chunks === undefined) return true;
    const block = (at: number) => Math.floor((positions[axis][at] as number) / dimension.chunk);
    return block(index - 1) !== block(index);
  });
}

function splitVariables(work: Work): Work[] | undefined {
  const { assignments } = work;
  if (assignments.length < 2) return undefined;
  const half = Math.ceil(assignments.length / 2);
  return [
    { ...work, assignments: assignments.slice(0, half) },
    { ...work, assignments: assignments.slice(half) },
  ];
}

function splitTimes(work: Work): Work[] | undefined {
  if (work.times.length < 2) return undefined;
  const half = Math.ceil(work.times.length / 2);
  return [work.times.slice(0, half), work.times.slice(half)].map((times) => ({
    ...work,
    times,
    assignments: during(work.assignments, times),
  }));
}

function during(assignments: readonly Assignment[], times: readonly number[]): Assignment[] {
  return assignments.filter(({ positions }) => times.some((l) => (positions.time[l] as number) >= 0));
}

function dimensionAlong(
  dimensions: readonly EntryDimension[],
  axis: keyof FieldAxes,
): EntryDimension | undefined {
  return dimensions.find((dimension) => dimension.axis === axis);
}

function count(positions: Int32Array): number {
  let held = 0;
  for (const position of positions) if (position >= 0) held++;
  return held;
}
