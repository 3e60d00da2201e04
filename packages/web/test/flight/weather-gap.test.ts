import { expect, test } from 'vitest';
import { isOutside, weatherGap } from '../../src/flight/weather-gap.ts';

const status = {
  weather: [
    {
      name: 'w',
      kind: 'netcdf',
      synthetic: false,
      runs: [{ type: 'forecast', first: '2026-11-17T12:00:00Z', last: '2026-11-20T12:00:00Z' }],
    },
  ],
};
const flight = (first: string, last: string) => ({
  name: 'F',
  aircraftType: 'A320',
  points: [first, last].map((time) => ({
    timeMs: Date.parse(time),
    longitude: 0,
    latitude: 0,
    altitudeFt: 35_000,
  })),
});

test('a flight outside the weather is told when it is and when there is weather', () => {
  const early = flight('2026-03-03T06:00Z', '2026-03-03T08:00Z');
  expect(isOutside(early, status)).toBe(true);
  expect(weatherGap(early, status)).toBe(
    'This flight begins on 3 Mar 2026, 06:00 UTC; weather is available from 17 Nov 2026, 12:00 UTC to 20 Nov 2026, 12:00 UTC.',
  );
});

test('a flight that weather covers in part is sent, and one that it covers needs no words', () => {
  const late = flight('2026-11-20T11:00Z', '2026-11-20T14:00Z');
  expect([isOutside(late, status), weatherGap(late, status) !== undefined]).toEqual([false, true]);
  const covered = flight('2026-11-18T11:00Z', '2026-11-18T14:00Z');
  expect([isOutside(covered, status), weatherGap(covered, status)]).toEqual([false, undefined]);
  expect(weatherGap(covered, undefined)).toBeUndefined();
});

test('a service without weather says how to fetch it', () => {
  const any = flight('2026-11-18T11:00Z', '2026-11-18T14:00Z');
  expect([isOutside(any, { weather: [] }), weatherGap(any, { weather: [] })]).toEqual([
    false,
    expect.stringContaining('contrails met sync ecmwf'),
  ]);
});
