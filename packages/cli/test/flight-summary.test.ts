import { expect, test } from 'vitest';
import { chartOf, type SummarisedFlight, summaryOf } from '../src/flight-summary.ts';

const START = Date.UTC(2024, 1, 29, 6);
const FIELDS: Readonly<Record<string, readonly number[]>> = {
  sac: [0, 1, 1, 1, 0],
  energy_forcing: [0, 0, 2e12, 0, Number.NaN],
  contrail_age: [0, 0, 240, 0, Number.NaN],
};
const flight: SummarisedFlight = {
  name: 'EX1',
  timeMs: [0, 1, 2, 3, 4].map((k) => START + k * 600_000),
  longitude: [0, 1, 2, 3, 4],
  latitude: [0, 0, 0, 0, 0],
  altitudeFt: [29_000, 35_000, 35_000, 35_000, 29_000],
  values: (field) => FIELDS[field],
};

test('a summary adds up where contrails form, persist and warm', () => {
  expect(summaryOf(flight)).toEqual([
    'EX1: 2024-02-29 06:00 to 2024-02-29 06:40, 445 km, 5 waypoints up to FL 350',
    '  contrails form on      334 km',
    '  they persist on        111 km, up to 240 min',
    '  energy forcing         2.00e+12 J, which warms',
  ]);
});

test('a chart has the profile with its levels and times, as wide as it was asked for', () => {
  const lines = chartOf(flight, 50);
  expect(lines[0]).toBe('  FL 350 |          ~~~~~~~~~~##########~~~~~~~~~~');
  expect(lines[6]).toBe('  FL 290 |----------');
  expect(lines.at(-2)).toBe(`          06:00${' '.repeat(30)}06:40 UTC`);
  expect(lines.at(-1)).toContain('# lasting contrail');
  expect(Math.max(...lines.slice(0, -2).map((line) => line.length))).toBeLessThanOrEqual(50);
});

test('a model without contrails draws the path alone, and waypoints outside the weather are counted', () => {
  const outside = {
    ...flight,
    values: (field: string) => (field === 'issr' ? [Number.NaN, 1, 0, 0, 0] : undefined),
  };
  expect(summaryOf(outside)).toContain('  unknown                1 of 5 waypoints, outside the weather');
  expect(chartOf(outside, 60).at(-1)).toContain('~ supersaturated air');
});
