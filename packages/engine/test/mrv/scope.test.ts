import { expect, test } from 'vitest';
import type { OperatorFlight } from '../../src/mrv/operator-tables.ts';
import { exclusionOf } from '../../src/mrv/scope.ts';
import { DEFAULT_MRV } from '../../src/mrv/settings.ts';

const NAMELESS = { operator: null, callsign: null, flightNumber: null };

test.each([
  ['LX', { operator: 'LX' }, true],
  ['lx', { operator: 'LX' }, true],
  ['Swiss', { operator: 'Swiss', callsign: 'SWR1AB' }, true],
  ['SWR', { operator: 'Swiss', callsign: 'SWR1AB' }, true],
  ['LX', { operator: 'Swiss', flightNumber: 'LX 38' }, true],
  ['LX', { operator: 'BA', flightNumber: 'BA38', callsign: 'BAW38' }, false],
  ['SWR', { callsign: 'SWR1AB' }, true],
  ['SWR', { callsign: 'BAW1AB' }, false],
  ['LX', { flightNumber: 'BA1' }, false],
  ['LX', { callsign: 'SWR1AB' }, true],
  ['SWR', { callsign: 'HBJVA' }, true],
])('a report of %s has the flight %o: %s', (operator, names, isReported) => {
  const departureMs = Date.UTC(2025, 0, 14, 6);
  const flight = { ...NAMELESS, ...names, departureMs, exempt: 'test' } as OperatorFlight;
  const request = { operator, from: '2025-01-01', to: '2025-01-31' };
  const { reason } =
    exclusionOf(flight, { departure: undefined, arrival: undefined }, request, DEFAULT_MRV) ?? {};
  expect(reason).toBe(isReported ? 'exempt:test' : 'other_operator');
});
