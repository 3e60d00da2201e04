import { flightName, isNamed, parseFlightKey } from '@contrails/engine/attribution/flight-key';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const REPORTED = {
  airlineIata: 'LX',
  flightNumber: 'LX1234',
  departureIcao: 'LSZH',
  departureScheduledMs: Date.parse('2024-03-07T22:30:00Z'),
  firstMs: Date.parse('2024-03-07T22:45:00Z'),
};

describe('a flight key', () => {
  test('is trimmed, in upper case and without leading zeros', () => {
    expect(parseFlightKey(' lx~0012a~2024-02-29~zrh ')).toEqual({
      text: 'LX~0012A~2024-02-29~ZRH',
      carrier: 'LX',
      number: '12A',
      date: '2024-02-29',
      airportIata: 'ZRH',
    });
  });

  test.each([
    ['LX', 'it has 1 part '],
    ['LX~1~2024-03-07', 'the departure date "1"'],
    ['1LX~2024-03-07', 'the callsign "1LX"'],
    ['SWR~1~2024-03-07~ZRH', 'the carrier "SWR"'],
    ['12~1~2024-03-07~ZRH', 'the carrier "12"'],
    ['LX~0~2024-03-07~ZRH', 'the flight number "0"'],
    ['LX~12345~2024-03-07~ZRH', 'the flight number "12345"'],
    ['LX~1~2023-02-29~ZRH', 'the departure date "2023-02-29"'],
    ['LX~1~2024-3-7~ZRH', 'the departure date "2024-3-7"'],
    ['LX~1~2024-03-07~ZURICH', 'the departure airport "ZURICH"'],
  ])('%s is refused with the part that is wrong', (text, message) => {
    const parsed = parseFlightKey(text);
    expect('wrong' in parsed && parsed.wrong).toContain(message);
  });

  test('has the airport also by its ICAO code', () => {
    expect(parseFlightKey('LX~1~2024-03-07~LSZH')).toMatchObject({ airportIata: 'ZRH' });
  });

  test('may have a callsign instead of carrier and number, with or without an airport', () => {
    const key = { carrier: '', number: 'SWR12A', date: '2024-03-07' };
    expect(parseFlightKey('swr12a~2024-03-07~LSZH')).toMatchObject({ ...key, airportIata: 'ZRH' });
    expect(parseFlightKey('SWR12A~2024-03-07')).toMatchObject({ ...key, airportIata: '' });
  });

  test('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const parsed = parseFlightKey(text);
        return 'wrong' in parsed || parsed.text === text.trim().toUpperCase();
      }),
    );
  });
});

describe('the name of a reported flight', () => {
  test('has the local date of departure', () => {
    expect(flightName(REPORTED)).toEqual({
      carrier: 'LX',
      number: '1234',
      airportIata: 'ZRH',
      date: '2024-03-07',
      isLocalDate: true,
    });
    const late = { ...REPORTED, departureScheduledMs: Date.parse('2024-03-07T23:30:00Z') };
    expect(flightName(late)?.date).toBe('2024-03-08');
    const west = {
      ...REPORTED,
      departureIcao: 'KSFO',
      departureScheduledMs: Date.parse('2024-03-08T03:00:00Z'),
    };
    expect(flightName(west)).toMatchObject({ airportIata: 'SFO', date: '2024-03-07' });
  });

  test('takes the digits behind any code of an operator', () => {
    const numbers = ['1234', 'LX1234', 'SWR1234', ' lx01234 ', 'LX 1234'].map(
      (flightNumber) => flightName({ ...REPORTED, flightNumber })?.number,
    );
    expect(new Set(numbers)).toEqual(new Set(['1234']));
    expect(flightName({ ...REPORTED, flightNumber: 'TEST' })).toBeNull();
    expect(flightName({ ...REPORTED, departureIcao: 'XXXX' })).toBeNull();
    expect(flightName({ ...REPORTED, airlineIata: null })).toBeNull();
  });

  test('is found on neighbouring dates only where the zone of the airport is not known', () => {
    const key = parseFlightKey('LX~1234~2024-03-08~ZRH');
    if ('wrong' in key) throw new Error(key.wrong);
    const name = flightName(REPORTED);
    if (name === null) throw new Error('the flight has a name');
    const isFound = (found: typeof name) =>
      isNamed(key, { name: found, callsign: null, firstMs: REPORTED.firstMs });
    expect(isFound(name)).toBe(false);
    expect(isFound({ ...name, isLocalDate: false })).toBe(true);
    expect(isFound({ ...name, isLocalDate: false, date: '2024-03-05' })).toBe(false);
  });

  test('is not needed to find a flight by its callsign', () => {
    const key = parseFlightKey('SWR12A~2024-03-07~LSZH');
    if ('wrong' in key) throw new Error(key.wrong);
    const { firstMs } = REPORTED;
    const name = flightName(REPORTED);
    expect(isNamed(key, { name, callsign: 'SWR12A ', firstMs })).toBe(true);
    expect(isNamed(key, { name: null, callsign: 'SWR12A', firstMs })).toBe(true);
    expect(isNamed(key, { name, callsign: 'SWR12B', firstMs })).toBe(false);
    expect(isNamed(key, { name: null, callsign: null, firstMs })).toBe(false);
    expect(isNamed({ ...key, airportIata: 'GVA' }, { name, callsign: 'SWR12A', firstMs })).toBe(false);
  });
});
