import { Rejected } from '@contrails/runtime/options/rejected';
import { finish, inTurns, VALUES_PER_TURN } from '@contrails/runtime/turns';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { needsOf } from '../../src/flights/needs.ts';
import { readBody } from '../../src/flights/read-body.ts';

const work = (body: unknown) => readBody(body, 'cocip', needsOf('cocip', []));

/** Flights of as many waypoints together, one after the other or interleaved. */
function fleet(waypoints: number, flights: number, isInterleaved: boolean): Record<string, unknown[]> {
  const each = <T>(at: (i: number) => T): T[] => Array.from({ length: waypoints }, (_, i) => at(i));
  const perFlight = Math.ceil(waypoints / flights);
  return {
    flight_id: each((i) => `flight-${isInterleaved ? i % flights : Math.floor(i / perFlight)}`),
    longitude: each((i) => (i % 360) - 180),
    latitude: each((i) => (i % 180) - 90),
    altitude: each(() => 35_000),
    time: each((i) => 1_700_000_000 + i),
    aircraft_mass: each((i) => (i % 7 === 0 ? null : 60_000)),
    aircraft_type: each(() => 'A320'),
  };
}

const LARGE = VALUES_PER_TURN + 1000;

describe('a large body is read in turns, with the result of reading it at once', () => {
  test.each<[string, unknown, boolean]>([
    ['flights one after the other', fleet(LARGE, 10, false), true],
    ['interleaved flights', fleet(LARGE, 10, true), true],
    ['a list of flights', Array.from({ length: 5 }, () => withoutId(fleet(LARGE / 4, 1, false))), true],
    [
      'errors at both ends of columns',
      {
        ...fleet(LARGE, 10, true),
        latitude: [91, ...(fleet(LARGE - 2, 10, true).latitude as number[]), 'x'],
        time: ['never', ...(fleet(LARGE - 2, 10, true).time as number[]), null],
        aircraft_type: fleet(LARGE, 10, true).aircraft_type?.with(-1, 'B738'),
      },
      false,
    ],
    [
      'more errors than are listed',
      { ...fleet(LARGE, 10, true), longitude: new Array(LARGE).fill(null) },
      false,
    ],
  ])('%s', async (_, body, isAccepted) => {
    const inParts = inTurns(work(body));
    expect(inParts).toBeInstanceOf(Promise);
    let turnsOfOthers = 0;
    const other = () => {
      turnsOfOthers++;
      pending = setImmediate(other);
    };
    let pending = setImmediate(other);
    const read = await inParts;
    clearImmediate(pending);
    expect(turnsOfOthers).toBeGreaterThan(0);
    expect(read).toEqual(finish(work(body)));
    expect(read instanceof Rejected).toBe(!isAccepted);
  });
});

test('a small body, right or wrong, is read without waiting', () => {
  const value = fc.oneof(fc.double(), fc.constant(null), fc.string({ maxLength: 3 }));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(value, { maxLength: 20 }), (waypoints, values) => {
      const body = { ...fleet(waypoints, 2, true), latitude: values };
      const read = inTurns(work(body));
      expect(read).not.toBeInstanceOf(Promise);
      expect(read).toEqual(finish(work(body)));
    }),
    { numRuns: 50 },
  );
});

function withoutId({ flight_id: _, ...flight }: Record<string, unknown[]>): Record<string, unknown[]> {
  return flight;
}

test('as many flights as waypoints are refused without looking for each of them', () => {
  const read = finish(work(fleet(20_000, 20_000, false)));
  expect(read).toBeInstanceOf(Rejected);
  const { errors, more } = read as Rejected;
  expect(errors[0]?.msg).toMatch(/^the fleet has 20000 flights; a request may have 1000/);
  expect(errors.length + more).toBe(20_001);
});
