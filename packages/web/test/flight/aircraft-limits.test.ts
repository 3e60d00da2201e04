import { expect, test } from 'vitest';
import { rangeWarning, tankWarning } from '../../src/flight/aircraft-limits.ts';
import { parseRoute } from '../../src/flight/flight-link.ts';

test('a route beyond the range of its aircraft is warned of', () => {
  expect(rangeWarning('A320', 6185)).toBe(
    '6,185 km is beyond the range of the A320 (about 6,100 km). Choose another aircraft.',
  );
  expect(rangeWarning('A320', 2000)).toBeUndefined();
  expect(rangeWarning('E190', 9000)).toBeUndefined();
});

test('fuel that the tanks do not hold is warned of', () => {
  expect(tankWarning('A320', 19_000)).toMatch(/burns 19 t.*about 19\.4 t/);
  expect(tankWarning('A320', 9_000)).toBeUndefined();
  expect(tankWarning(undefined, null)).toBeUndefined();
});

test('the flight that the form begins with is possible', () => {
  const { from, to, aircraftType } = parseRoute(new URLSearchParams(), Date.now());
  expect([from, to]).toEqual(['EDDF', 'KJFK']);
  expect(rangeWarning(aircraftType, 6185)).toBeUndefined();
});

test('a link restores the form, and what it has that is not valid is left at the beginning', () => {
  const link = new URLSearchParams('from=EGLL&to=LEMD&type=A20N&fl=330&departure=2026-11-17T06:30');
  expect(parseRoute(link, 0)).toEqual({
    from: 'EGLL',
    to: 'LEMD',
    aircraftType: 'A20N',
    flightLevel: 330,
    departure: '2026-11-17T06:30',
  });
  expect(parseRoute(new URLSearchParams('fl=12&type=U2&departure=now'), 0)).toMatchObject({
    aircraftType: 'A333',
    flightLevel: 350,
    departure: '1970-01-01T01:00',
  });
});
