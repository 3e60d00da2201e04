import { HOUR_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Assignment, assignEntries } from '../../src/dataset/assignment.ts';
import { boxReads } from '../../src/dataset/box-read.ts';
import type { FileEntry } from '../../src/dataset/layout.ts';
import { cutWork, workBytes } from '../../src/dataset/work.ts';
import type { FieldAxes } from '../../src/field/field.ts';

const stamp = { path: '/weather.nc', size: 0, modifiedMs: 0, inode: 0 };
const AXES = ['time', 'level', 'latitude', 'longitude'] as const;
const range = (length: number, first = 0) => Array.from({ length }, (_, i) => first + i);

interface Shape {
  readonly axes: Readonly<Record<keyof FieldAxes, readonly number[]>>;
  readonly chunks?: readonly number[];
  readonly path?: string;
}

/** A part stored [time][level][latitude][longitude], float32. */
function entryOf({ axes, chunks, path = stamp.path }: Shape): FileEntry {
  const shape = AXES.map((axis) => axes[axis].length);
  const stored = { name: 't', type: 'float32', dimensions: AXES, shape, attributes: {} } as const;
  return {
    file: { ...stamp, path },
    format: 'hdf5',
    stored: chunks === undefined ? stored : { ...stored, chunks },
    variable: 'air_temperature',
    type: 'float32',
    packing: { scale: 1, offset: 0, missing: [] },
    dimensions: AXES.map((axis, d) => ({ axis, length: shape[d] as number, chunk: chunks?.[d] ?? 1 })),
    axes: {
      time: Float64Array.from(axes.time),
      level: Float64Array.from(axes.level),
      latitude: Float64Array.from(axes.latitude),
      longitude: Float64Array.from(axes.longitude),
    },
    levelType: 'pressure',
  };
}

const fieldAxes = (axes: Shape['axes']) => ({
  time: Float64Array.from(axes.time),
  level: Float64Array.from(axes.level),
  latitude: Float64Array.from(axes.latitude),
  longitude: Float64Array.from(axes.longitude),
});

const hours = (length: number, first = 0) => range(length, first).map((hour) => hour * HOUR_MS);
const grid = { time: hours(6), level: range(5, 100), latitude: range(7), longitude: range(40) };

describe('cutting the reading into pieces', () => {
  const chunkOf = (axis: (typeof AXES)[number]) => fc.integer({ min: 1, max: grid[axis].length });
  const chunks = fc.tuple(...AXES.map(chunkOf));
  const variables = fc.array(fc.option(chunks, { nil: undefined }), { minLength: 1, maxLength: 4 });
  const assignmentsOf = (all: readonly (readonly number[] | undefined)[]): Assignment[] =>
    all.flatMap((one, v) =>
      assignEntries(
        [entryOf(one === undefined ? { axes: grid } : { axes: grid, chunks: one })],
        v,
        fieldAxes(grid),
      ),
    );

  test('every time, level, parallel and meridian of every variable is read once', () => {
    fc.assert(
      fc.property(variables, fc.integer({ min: 1, max: 40_000 }), (all, bytes) => {
        const pieces = cutWork(6, 7, assignmentsOf(all), { bytes, keepLevels: false });
        const seen = new Uint8Array(all.length * 6 * 5 * 7 * 40);
        for (const { times, rows, assignments } of pieces) {
          for (const { variable, positions } of assignments) {
            for (const l of times.filter((time) => (positions.time[time] as number) >= 0)) {
              for (const k of positions.level.keys()) {
                if ((positions.level[k] as number) < 0) continue;
                for (const j of range(rows[1] - rows[0], rows[0])) {
                  for (const i of positions.longitude.keys()) {
                    if ((positions.longitude[i] as number) < 0) continue;
                    const place = (((variable * 6 + l) * 5 + k) * 7 + j) * 40 + i;
                    seen[place] = (seen[place] as number) + 1;
                  }
                }
              }
            }
          }
        }
        expect(seen.every((times) => times === 1)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test('a piece holds no more than it may, unless it is a single row', () => {
    fc.assert(
      fc.property(variables, fc.integer({ min: 1, max: 40_000 }), (all, bytes) => {
        for (const work of cutWork(6, 7, assignmentsOf(all), { bytes, keepLevels: false })) {
          const single =
            work.rows[1] - work.rows[0] === 1 && work.times.length === 1 && work.assignments.length === 1;
          expect(single || workBytes(work) <= bytes).toBe(true);
        }
      }),
    );
  });

  test('blocks are not cut where there is another way', () => {
    const plane = 4 * 7 * 40;
    const pieces = cutWork(6, 7, assignmentsOf([[2, 5, 7, 40]]), { bytes: 10 * plane, keepLevels: false });
    expect(pieces.map(({ times }) => times)).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    expect(pieces.every(({ rows }) => rows[0] === 0 && rows[1] === 7)).toBe(true);
  });

  test('pieces of model levels keep all levels', () => {
    const pieces = cutWork(6, 7, assignmentsOf([[1, 1, 7, 40]]), { bytes: 1, keepLevels: true });
    for (const { assignments } of pieces) {
      expect([...(assignments[0] as Assignment).positions.level]).toEqual([0, 1, 2, 3, 4]);
    }
  });
});

describe('which file gives what', () => {
  test('of two files that hold the same hours the first counts', () => {
    const first = entryOf({ axes: { ...grid, time: hours(4) }, path: '/first.nc' });
    const second = entryOf({ axes: grid, path: '/second.nc' });
    const assignments = assignEntries([first, second], 0, fieldAxes(grid));
    expect(assignments.map(({ entry, positions }) => [entry.file.path, [...positions.time]])).toEqual([
      ['/first.nc', [0, 1, 2, 3, -1, -1]],
      ['/second.nc', [-1, -1, -1, -1, 4, 5]],
    ]);
  });

  test('files that hold different levels complement each other', () => {
    const upper = entryOf({ axes: { ...grid, level: [100, 101] } });
    const lower = entryOf({ axes: { ...grid, level: [101, 102, 103, 104] } });
    const assignments = assignEntries([upper, lower], 0, fieldAxes(grid));
    expect(assignments.map(({ positions }) => [...positions.level])).toEqual([
      [0, 1, -1, -1, -1],
      [-1, -1, 1, 2, 3],
    ]);
  });

  test('an hour that no file holds is an error that names it', () => {
    const upper = entryOf({ axes: { ...grid, level: [100, 101] } });
    const lower = entryOf({ axes: { ...grid, level: [102, 103, 104], time: hours(5) } });
    expect(() => assignEntries([upper, lower], 0, fieldAxes(grid))).toThrow(
      /air_temperature of 1970-01-01T05:00:00.000Z on level 102/,
    );
  });
});

describe('boxes of a piece', () => {
  const wide = { ...grid, longitude: range(360) };
  const readsOf = (entry: FileEntry, axes: Shape['axes']) => {
    const assignments = assignEntries([entry], 0, fieldAxes(axes));
    return boxReads({ times: [...axes.time.keys()], rows: [0, axes.latitude.length], assignments });
  };
  const acrossGreenwich = { ...grid, longitude: [-2, -1, 0, 1] };

  test('meridians at both ends of the file are two boxes', () => {
    const boxes = readsOf(entryOf({ axes: wide }), acrossGreenwich);
    expect(boxes.map(({ first, count }) => [first[3], count[3]])).toEqual([
      [0, 2],
      [358, 2],
    ]);
  });

  test('one box where both ends lie in one compressed block', () => {
    expect(readsOf(entryOf({ axes: wide, chunks: [1, 1, 7, 360] }), acrossGreenwich)).toHaveLength(1);
  });

  test('only the wanted part of each dimension is read', () => {
    const axes = { time: hours(2, 2), level: [101], latitude: [3, 4, 5], longitude: range(10, 5) };
    const [read] = readsOf(entryOf({ axes: grid }), axes);
    expect([read?.first, read?.count]).toEqual([
      [2, 1, 3, 5],
      [2, 1, 3, 10],
    ]);
  });
});
