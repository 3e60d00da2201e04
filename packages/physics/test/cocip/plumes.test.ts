import fc from 'fast-check';
import { expect, test as plainTest } from 'vitest';
import {
  keepMarked,
  keepMarkedUnordered,
  makePlumes,
  mergeRows,
  PLUME_COLUMNS,
  type Plumes,
} from '../../src/cocip/plumes.ts';
import { scoped } from '../../src/vector/wasm/memory.ts';

/** Gives the memory of the sets back. */
const test = (name: string, body: () => void) => plainTest(name, () => scoped(body));

const anyMarks = fc
  .array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 60 })), { maxLength: 12 })
  .map((runs) => Uint8Array.from(runs.flatMap(([kept, length]) => Array(length).fill(kept ? 1 : 0))));

function numbered(count: number): Plumes {
  const plumes = makePlumes(count);
  plumes.count = count;
  for (let i = 0; i < count; i++) {
    plumes.columns.waypoint[i] = i;
    plumes.columns.age[i] = 1000 + i;
  }
  return plumes;
}

const kept = (marks: Uint8Array) => [...marks.keys()].filter((i) => marks[i] === 1);
const rows = ({ count, columns }: Plumes) => [...columns.waypoint.subarray(0, count)];

test('marked rows stay in order', () => {
  fc.assert(
    fc.property(anyMarks, (marks) => {
      const plumes = numbered(marks.length);
      keepMarked(plumes, marks, PLUME_COLUMNS);
      expect(rows(plumes)).toEqual(kept(marks));
    }),
  );
});

test('marked rows stay whole when others take their place', () => {
  fc.assert(
    fc.property(anyMarks, (marks) => {
      const plumes = numbered(marks.length);
      keepMarkedUnordered(plumes, marks, PLUME_COLUMNS);
      const found = rows(plumes);
      expect([...found].sort((a, b) => a - b)).toEqual(kept(marks));
      expect([...plumes.columns.age.subarray(0, plumes.count)]).toEqual(found.map((i) => 1000 + i));
    }),
  );
});

test('rows join in the order of flight and waypoint', () => {
  const anyKeys = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 90 })), {
    selector: ([flight, waypoint]) => 100 * flight + waypoint,
    maxLength: 200,
  });
  fc.assert(
    fc.property(anyKeys, fc.func(fc.boolean()), (keys, isYoung) => {
      const sorted = [...keys].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      const fill = (chosen: typeof sorted): Plumes => {
        const plumes = makePlumes(sorted.length);
        plumes.count = chosen.length;
        chosen.forEach(([flight, waypoint], i) => {
          plumes.columns.flight[i] = flight;
          plumes.columns.waypoint[i] = waypoint;
        });
        return plumes;
      };
      const active = fill(sorted.filter(([f, w]) => !isYoung(f, w)));
      // The other set holds more than what joins.
      const young = fill(sorted);
      const joining = [...sorted.keys()].filter((i) => isYoung(...(sorted[i] as [number, number])));
      mergeRows(active, young.columns, Uint32Array.from(joining), PLUME_COLUMNS);
      expect(rows(active)).toEqual(sorted.map(([, waypoint]) => waypoint));
      expect([...active.columns.flight.subarray(0, active.count)]).toEqual(sorted.map(([flight]) => flight));
    }),
  );
});
