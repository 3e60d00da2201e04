import { expect, test } from 'vitest';
import { HOUR_MS, neighbours } from '../../src/map/map-state.ts';

const T = Date.UTC(2026, 0, 1, 12);
const HOURS = [T - HOUR_MS, T, T + HOUR_MS];

test('the neighbour in the direction of the last step comes first', () => {
  const here = { timeMs: T, flightLevel: 350 } as const;
  const firstAfter = (before: Parameters<typeof neighbours>[2]) => neighbours(here, HOURS, before)[0];
  expect(firstAfter({ timeMs: T, flightLevel: 340 })).toEqual({ timeMs: T, flightLevel: 360 });
  expect(firstAfter({ timeMs: T, flightLevel: 360 })).toEqual({ timeMs: T, flightLevel: 340 });
  expect(firstAfter({ timeMs: T - HOUR_MS, flightLevel: 350 })).toEqual({
    timeMs: T + HOUR_MS,
    flightLevel: 350,
  });
  expect(firstAfter({ timeMs: T + HOUR_MS, flightLevel: 350 })).toEqual({
    timeMs: T - HOUR_MS,
    flightLevel: 350,
  });
});

test('only levels and hours that exist are neighbours', () => {
  expect(neighbours({ timeMs: T + HOUR_MS, flightLevel: 440 }, HOURS)).toEqual([
    { timeMs: T, flightLevel: 440 },
    { timeMs: T + HOUR_MS, flightLevel: 430 },
  ]);
  expect(neighbours({ timeMs: T, flightLevel: 270 }, [])).toEqual([{ timeMs: T, flightLevel: 280 }]);
});
