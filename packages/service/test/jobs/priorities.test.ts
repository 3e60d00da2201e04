import { MAX_PRIORITY } from '@contrails/platform/jobs';
import { expect, test } from 'vitest';
import {
  CLASS_PRIORITY,
  MAX_HOURS_APART,
  priorityOfHour,
  TYPE_PRIORITY,
} from '../../src/families/forecast/plan/tasks-of-run.ts';
import { families } from '../../src/families/index.ts';
import { FRAME_PRIORITY } from '../../src/families/observations/frames/jobs.ts';

const kinds = (await Promise.all(families.map((family) => family.jobKinds?.() ?? []))).flat();
const of = (name: string) => kinds.find((kind) => kind.name === name)?.priority ?? Number.NaN;

/** Each line runs before the next one, whatever is queued first. */
const LINES = [
  [
    'plans',
    ...['met.sync', 'forecast.plan', 'telemetry.plan', 'inventory.look', 'observations.plan'].map(of),
  ],
  ['new images of satellites', FRAME_PRIORITY.recent],
  [
    'what clients wait for and hours of telemetry',
    ...['trajectory', 'planning', 'route', 'telemetry.build'].map(of),
  ],
  [
    'days of the inventory that are ready and attributions',
    of('inventory.publish'),
    of('observations.attribute'),
  ],
  ['units of the inventory', of('inventory.flights'), of('inventory.model')],
  ['images of the past', FRAME_PRIORITY.past],
  ['classes for the current hour', priorityOfHour(CLASS_PRIORITY, 0)],
  ['classes for the next hours', ...[1, 60, 1e4].map((hours) => priorityOfHour(CLASS_PRIORITY, hours))],
  ['classes for past hours', ...[-1, -60, -1e4].map((hours) => priorityOfHour(CLASS_PRIORITY, hours))],
  ['unspecified', 0],
  ['grids of the past for clients', of('grid.cocip')],
  ['scores of the forecast', of('forecast.score')],
  ['types for the next hours', ...[0, 60, 1e4].map((hours) => priorityOfHour(TYPE_PRIORITY, hours))],
  ['types for past hours', ...[-1, -60, -1e4].map((hours) => priorityOfHour(TYPE_PRIORITY, hours))],
  ['archives', -MAX_PRIORITY],
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
  for (const band of [CLASS_PRIORITY, TYPE_PRIORITY]) {
    const priorities = hours.map((ahead) => priorityOfHour(band, ahead));
    expect(priorities).toEqual([...priorities].sort((a, b) => b - a));
    expect(new Set(priorities).size).toBe(hours.length);
  }
});

test('the satellite of the demo waits for the first hours of the forecast', () => {
  const hours = [0, 1, 2, 3].map((ahead) => priorityOfHour(CLASS_PRIORITY, ahead));
  expect(Math.min(...hours)).toBeGreaterThan(FRAME_PRIORITY.synthetic);
});

test('the queue accepts every priority', () => {
  const numbers = LINES.flatMap((line) => line.filter((one) => typeof one === 'number'));
  for (const one of numbers) {
    expect(Number.isInteger(one)).toBe(true);
    expect(Math.abs(one)).toBeLessThanOrEqual(MAX_PRIORITY);
  }
});
