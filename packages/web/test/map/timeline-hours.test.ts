import { expect, test } from 'vitest';
import { nextPlayed, timelineHours } from '../../src/map/timeline-hours.ts';

const at = (hour: number) => Date.UTC(2026, 0, 1, hour);
const iso = (hour: number) => new Date(at(hour)).toISOString();

test('hours of a run have no gaps, and the current hour is among them', () => {
  const hours = timelineHours(
    [
      { time: iso(3), state: 'published', flight_levels: [350] },
      { time: iso(6), state: 'running', flight_levels: [350] },
    ],
    at(8) + 1000,
  );
  expect(hours.map(({ timeMs, state }) => [timeMs, state])).toEqual([
    [at(3), 'published'],
    [at(4), 'missing'],
    [at(5), 'missing'],
    [at(6), 'running'],
    [at(7), 'missing'],
    [at(8), 'missing'],
  ]);
});

test('playing skips what is not computed and begins again after the last hour', () => {
  const hours = timelineHours(
    [
      { time: iso(0), state: 'published', flight_levels: [350] },
      { time: iso(1), state: 'planned', flight_levels: [350] },
      { time: iso(2), state: 'published', flight_levels: [350] },
    ],
    at(1),
  );
  expect(nextPlayed(hours, 0)).toBe(at(2));
  expect(nextPlayed(hours, 2)).toBe(at(0));
});

test('playing stops where nothing else is computed', () => {
  expect(
    nextPlayed(timelineHours([{ time: iso(0), state: 'published', flight_levels: [350] }], at(0)), 0),
  ).toBeUndefined();
});
