import { expect, test } from 'vitest';
import { MAX_HOURS_APART, MAX_PRIORITY, PRIORITY, priorityOfHour } from '../../src/jobs/priorities.ts';

/** Each line runs before the next one, whatever is queued first. */
const LINES = [
  ['plans', PRIORITY.plan],
  ['new images of satellites', PRIORITY.observationFrame.recent],
  ['what clients wait for and hours of telemetry', PRIORITY.clientFleet, PRIORITY.telemetryHour],
  [
    'days of the inventory that are ready and attributions',
    PRIORITY.inventoryPublication,
    PRIORITY.attribution,
  ],
  ['units of the inventory', PRIORITY.inventoryUnit],
  ['images of the past', PRIORITY.observationFrame.past],
  ['classes for the current hour', priorityOfHour(PRIORITY.forecastClass, 0)],
  [
    'classes for the next hours',
    ...[1, 60, 1e4].map((hours) => priorityOfHour(PRIORITY.forecastClass, hours)),
  ],
  [
    'classes for past hours',
    ...[-1, -60, -1e4].map((hours) => priorityOfHour(PRIORITY.forecastClass, hours)),
  ],
  ['unspecified', PRIORITY.unspecified],
  ['grids of the past for clients', PRIORITY.clientGrid],
  ['types for the next hours', ...[0, 60, 1e4].map((hours) => priorityOfHour(PRIORITY.forecastType, hours))],
  ['types for past hours', ...[-1, -60, -1e4].map((hours) => priorityOfHour(PRIORITY.forecastType, hours))],
  ['archives', PRIORITY.archive],
] as const;

test.each(LINES.slice(1).map((line, i) => [LINES[i]?.[0], line[0]] as const))(
  '%s run before %s',
  (first, then) => {
    const numbers = (name: string | undefined) =>
      (LINES.find(([line]) => line === name) ?? []).filter((one) => typeof one === 'number');
    expect(Math.min(...numbers(first))).toBeGreaterThan(Math.max(...numbers(then)));
  },
);

test('hours run in their order, the ones near the current hour first', () => {
  const hours = [0, 1, 2, MAX_HOURS_APART, -1, -2, -MAX_HOURS_APART];
  for (const band of [PRIORITY.forecastClass, PRIORITY.forecastType]) {
    const priorities = hours.map((ahead) => priorityOfHour(band, ahead));
    expect(priorities).toEqual([...priorities].sort((a, b) => b - a));
    expect(new Set(priorities).size).toBe(hours.length);
  }
});

test('the satellite of the demo waits for the first hours of the forecast', () => {
  const hours = [0, 1, 2, 3].map((ahead) => priorityOfHour(PRIORITY.forecastClass, ahead));
  expect(Math.min(...hours)).toBeGreaterThan(PRIORITY.syntheticFrame);
});

test('the queue accepts every priority of the table', () => {
  const numbers = LINES.flatMap((line) => line.filter((one) => typeof one === 'number'));
  for (const one of numbers) {
    expect(Number.isInteger(one)).toBe(true);
    expect(Math.abs(one)).toBeLessThanOrEqual(MAX_PRIORITY);
  }
});
