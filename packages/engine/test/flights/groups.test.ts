import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupFlights } from '../../src/flights/run.ts';

/** A fleet of flights with so many waypoints each, in any order of departure. */
const anyFleet = fc.array(fc.tuple(fc.integer({ min: 1, max: 4000 }), fc.integer({ min: 0, max: 1e6 })), {
  minLength: 1,
  maxLength: 150,
});

function fleetOf(flights: readonly (readonly [waypoints: number, departureMs: number])[]) {
  const offsets = new Uint32Array(new SharedArrayBuffer(4 * (flights.length + 1)));
  flights.forEach(([waypoints], f) => {
    offsets[f + 1] = (offsets[f] as number) + waypoints;
  });
  const timeMs = new Float64Array(new SharedArrayBuffer(8 * (offsets[flights.length] as number)));
  flights.forEach(([, departureMs], f) => {
    timeMs[offsets[f] as number] = departureMs;
  });
  return { offsets, columns: { timeMs } };
}

function groupsOf(
  flights: readonly (readonly [number, number])[],
  threads: number,
  isOneOfMany = false,
): number[][] {
  const all = [...flights.keys()];
  const { flights: order, groupEnds } = groupFlights(fleetOf(flights), all, threads, isOneOfMany);
  return Array.from(groupEnds, (end, g) => [...order.subarray(g === 0 ? 0 : groupEnds[g - 1], end)]);
}

test('every flight is in one group', () => {
  fc.assert(
    fc.property(anyFleet, fc.integer({ min: 1, max: 8 }), fc.boolean(), (flights, threads, isOneOfMany) => {
      const grouped = groupsOf(flights, threads, isOneOfMany).flat();
      expect(grouped.sort((a, b) => a - b)).toEqual([...flights.keys()]);
    }),
  );
});

test('groups hold what memory allows for, or one flight', () => {
  fc.assert(
    fc.property(anyFleet, fc.integer({ min: 1, max: 8 }), fc.boolean(), (flights, threads, isOneOfMany) => {
      for (const group of groupsOf(flights, threads, isOneOfMany)) {
        const waypoints = group.reduce((sum, f) => sum + (flights[f] as [number, number])[0], 0);
        expect(group.length === 1 || (waypoints <= 16_384 && group.length <= 64)).toBe(true);
      }
    }),
  );
});

test('flights of a group depart one after the other, and the last group is small when threads share the work', () => {
  const flights = Array.from({ length: 100 }, (_, f) => [100, (f * 7919) % 1000] as const);
  const groups = groupsOf(flights, 2);
  const departures = groups.flat().map((f) => flights[f]?.[1] as number);
  expect(departures).toEqual([...departures].sort((a, b) => a - b));
  expect(groups[0]?.length).toBe(25);
  expect(groups.at(-1)?.length).toBe(1);
});

test('flights that are a part of more work are in one group for each thread, of about one size', () => {
  const flights = Array.from({ length: 100 }, (_, f) => [180, f] as const);
  expect(groupsOf(flights, 2, true).map(({ length }) => length)).toEqual([50, 50]);
  expect(groupsOf(flights, 8, true).map(({ length }) => length)).toEqual([13, 13, 13, 13, 13, 13, 13, 9]);
  // Few enough to be followed together for little more than one of them.
  expect(groupsOf(flights.slice(0, 15), 8, true)).toHaveLength(1);
});
