import { expect, test } from 'vitest';
import type { OperatorFlight } from '../../src/mrv/operator-tables.ts';
import { flightOfLeg, matchLegs, type TelemetryLeg } from '../../src/mrv/telemetry.ts';

const MINUTE_MS = 60_000;

function leg(flightId: string, given: Partial<TelemetryLeg> = {}): TelemetryLeg {
  return {
    flightId,
    icaoAddress: '3c0001',
    callsign: 'XZA100',
    registration: null,
    aircraftType: 'A320',
    engineUid: null,
    departureAirport: 'LEMD',
    arrivalAirport: 'EDDF',
    firstMs: 0,
    lastMs: 90 * MINUTE_MS,
    outcome: 'ok',
    ...given,
  };
}

function flight(key: string, minutes: number, given: Partial<OperatorFlight> = {}) {
  const row = {
    ...flightOfLeg(leg(key), 'XZ'),
    icaoAddress: null,
    departureMs: minutes * MINUTE_MS,
    ...given,
  };
  return { ...row, departureIcao: 'LEMD' };
}

const matched = (flights: ReturnType<typeof flight>[], legs: TelemetryLeg[]) => {
  const { legOf, ambiguous, unmatched } = matchLegs(flights, legs, 30);
  return {
    pairs: [...legOf].map(([key, { flightId }]) => `${key}=${flightId}`).sort(),
    ambiguous: [...ambiguous].sort(),
    unmatched: unmatched.map(({ flightId }) => flightId),
  };
};

test('a flight is matched with the nearest leg in time', () => {
  const legs = [leg('late', { firstMs: 20 * MINUTE_MS }), leg('near', { firstMs: 5 * MINUTE_MS })];
  expect(matched([flight('a', 0)], legs)).toEqual({ pairs: ['a=near'], ambiguous: [], unmatched: ['late'] });
});

test('a leg is matched once, and the other flight takes the next', () => {
  const legs = [leg('first', { firstMs: 2 * MINUTE_MS }), leg('second', { firstMs: 25 * MINUTE_MS })];
  expect(matched([flight('a', 0), flight('b', 3)], legs).pairs).toEqual(['a=second', 'b=first']);
});

test.each([
  ['too late', { firstMs: 31 * MINUTE_MS }],
  ['from another airport', { departureAirport: 'LEBL' }],
  ['of another callsign', { callsign: 'XZA101' }],
])('a leg %s is not matched', (_, given) => {
  expect(matched([flight('a', 0)], [leg('other', given)]).unmatched).toEqual(['other']);
});

test('a leg whose airport is unknown is matched', () => {
  expect(matched([flight('a', 0)], [leg('open', { departureAirport: null })]).pairs).toEqual(['a=open']);
});

test('an airframe decides before the callsign', () => {
  const flights = [flight('a', 0, { registration: 'EC-ABC', callsign: 'OLD1' })];
  const legs = [
    leg('same', { registration: 'ECABC', callsign: 'NEW1' }),
    leg('call', { registration: 'ECXYZ', callsign: 'OLD1' }),
  ];
  expect(matched(flights, legs)).toEqual({ pairs: ['a=same'], ambiguous: [], unmatched: ['call'] });
});

test('ties are ambiguous and stay unmatched', () => {
  const legs = [leg('one', { firstMs: 5 * MINUTE_MS }), leg('two', { firstMs: -5 * MINUTE_MS })];
  expect(matched([flight('a', 0)], legs)).toEqual({
    pairs: [],
    ambiguous: ['a'],
    unmatched: ['one', 'two'],
  });
});
