import type { FieldAxes } from '../../field.ts';
import type { Assignment } from './assignment.ts';
import { BYTES_OF_TYPE } from './classic-header.ts';
import type { PartDimension } from './layout.ts';

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
  /** Model levels are brought to pressure column by column, so that their pieces keep all levels. */
  readonly keepLevels: boolean;
}

/**
 * Cuts the reading of a field into pieces: along the compressed blocks where that is enough, so that each block is
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
    splitVariables(work) ??
    (limits.keepLevels ? undefined : splitLevels(work)) ??
    splitRows(work, false) ??
    splitTimes(work);
  return halves === undefined ? [work] : halves.flatMap((half) => split(half, limits));
}

/** Bytes of the stored values that a piece reads. */
export function workBytes(work: Work): number {
  return work.assignments.reduce((sum, { part, positions }) => {
    const rows = count(positions.latitude.subarray(...work.rows));
    const times = work.times.filter((l) => (positions.time[l] as number) >= 0).length;
    const layers = part.dimensions.find(({ axis }) => axis === 'layers')?.indices?.length ?? 1;
    const plane = rows * count(positions.longitude) * BYTES_OF_TYPE[part.type];
    return sum + plane * times * count(positions.level) * layers;
  }, 0);
}

/** Times that share a compressed block in any part are read together. */
function timeGroups(times: number, assignments: readonly Assignment[]): number[][] {
  const groupOf = Array.from({ length: times }, (_, l) => l);
  for (const { part, positions } of assignments) {
    const chunk = dimensionAlong(part.dimensions, 'time')?.chunk ?? 1;
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
  const middle = (first + end) / 2;
  let best: number | undefined;
  for (let j = first + 1; j < end; j++) {
    if (alongBlocks && !startsBlock(work, j)) continue;
    if (best === undefined || Math.abs(j - middle) < Math.abs(best - middle)) best = j;
  }
  if (best === undefined) return undefined;
  return [
    { ...work, rows: [first, best] },
    { ...work, rows: [best, end] },
  ];
}

/** True when no compressed block of any part lies on both sides of the border before row j. */
function startsBlock(work: Work, j: number): boolean {
  return work.assignments.every(({ part, positions }) => {
    const dimension = dimensionAlong(part.dimensions, 'latitude');
    if (dimension === undefined || part.stored.chunks === undefined) return true;
    const block = (row: number) => Math.floor((positions.latitude[row] as number) / dimension.chunk);
    return block(j - 1) !== block(j);
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

function splitLevels(work: Work): Work[] | undefined {
  const [assignment] = work.assignments;
  if (assignment === undefined) return undefined;
  const held = [...assignment.positions.level.keys()].filter(
    (k) => (assignment.positions.level[k] as number) >= 0,
  );
  if (held.length < 2) return undefined;
  const chunk = dimensionAlong(assignment.part.dimensions, 'level')?.chunk ?? 1;
  const block = (k: number) => Math.floor((assignment.positions.level[k] as number) / chunk);
  const blocks = [...new Set(held.map(block))];
  const earlier = new Set(blocks.slice(0, Math.ceil(blocks.length / 2)));
  if (blocks.length < 2) return undefined;
  const keep = (wanted: boolean): Assignment => ({
    ...assignment,
    positions: {
      ...assignment.positions,
      level: assignment.positions.level.map((position, k) =>
        position >= 0 && earlier.has(block(k)) === wanted ? position : -1,
      ),
    },
  });
  return [
    { ...work, assignments: [keep(true)] },
    { ...work, assignments: [keep(false)] },
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

export function dimensionAlong(
  dimensions: readonly PartDimension[],
  axis: keyof FieldAxes,
): PartDimension | undefined {
  return dimensions.find((dimension) => dimension.axis === axis);
}

function count(positions: Int32Array): number {
  let held = 0;
  for (const position of positions) if (position >= 0) held++;
  return held;
}
