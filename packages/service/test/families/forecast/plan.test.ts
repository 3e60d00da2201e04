import { aircraftName, COCIP_AIRCRAFT_TYPES, plannedAircraft } from '@contrails/engine/grid/aircraft';
import { levelRange } from '@contrails/engine/grid/cocip-model';
import { FLIGHT_LEVELS } from '@contrails/engine/grid/layout';
import { tilesOf } from '@contrails/engine/grid/tiles';
import { openMet } from '@contrails/met';
import { openSynthetic } from '@contrails/testbed/weather';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/configuration.ts';
import { demoJobs, withDemoWeather } from '../../../src/demo.ts';
import { makePlan, type PlanRequest } from '../../../src/families/forecast/plan/plan.ts';
import {
  hoursOfRun,
  levelGroups,
  type PlanSettings,
  planTasks,
} from '../../../src/families/forecast/plan/tasks-of-run.ts';
import { productKey, taskName } from '../../../src/forecast-products/task.ts';

const HOUR = 3_600_000;
const RUN = Date.UTC(2026, 0, 1, 6);
const hourly = (hours: number) => Array.from({ length: hours + 1 }, (_, hour) => RUN + hour * HOUR);
const leads = (hours: readonly number[]) => hours.map((hour) => (hour - RUN) / HOUR);

const settings: PlanSettings = {
  source: 'ifs',
  weatherOf: (hourMs) => `weather of ${hourMs}`,
  aircraft: plannedAircraft(['default', 'low_e'], ['A320', 'B738']),
  levelsPerTask: 6,
  cellsPerDegree: 4,
  humidityScaling: 'none',
  evenIfOld: false,
};

test('a run of 72 hours is forecast from its first to its 59th hour', () => {
  const hours = leads(hoursOfRun({ referenceTimeMs: RUN, times: hourly(72) }, [0, 100]));
  expect([hours[0], hours.at(-1), hours.length]).toEqual([1, 59, 59]);
});

test('of a run that is still arriving only hours whose contrails end within it are planned', () => {
  expect(leads(hoursOfRun({ referenceTimeMs: RUN, times: hourly(14) }, [0, 59]))).toEqual([1]);
  expect(hoursOfRun({ referenceTimeMs: RUN, times: hourly(13) }, [0, 59])).toEqual([]);
  expect(hoursOfRun({ referenceTimeMs: RUN, times: [] }, [0, 59])).toEqual([]);
});

test('at any time of the day the demo plans the last three hours too, from a run before them', async () => {
  const config = withDemoWeather(loadConfig({ environment: {}, directory: '/' }));
  for (let minutes = 0; minutes < 24 * 60; minutes += 20) {
    const nowMs = RUN + minutes * 60_000;
    const source = openSynthetic({ name: 'demo', resolutionDeg: 10, now: () => nowMs });
    const met = openMet({ sources: [source], memoryBytes: 2 ** 20 });
    const [request, ...others] = await demoJobs(config, nowMs);
    expect(others).toEqual([]);
    const plan = await makePlan(met, config, request?.payload as PlanRequest, nowMs);
    await met.close();
    const hours = new Set(plan?.tasks.map(({ task }) => task.validTimeMs));
    const hour = Math.floor(nowMs / HOUR) * HOUR;
    expect([...hours].sort()).toEqual([3, 2, 1].map((ago) => hour - ago * HOUR));
    expect(new Set(plan?.tasks.map(({ task }) => task.aircraftClass))).toEqual(new Set(['default']));
  }
});

test('a demo that computes no forecast, or scores none, does not plan them', async () => {
  for (const name of ['CONTRAILS_FORECAST__SCHEDULE', 'CONTRAILS_FORECAST__SCORE__SCHEDULE']) {
    const config = withDemoWeather(loadConfig({ environment: { [name]: 'off' }, directory: '/' }));
    expect(await demoJobs(config, RUN)).toEqual([]);
  }
});

test('only the hours that are asked for are planned', () => {
  expect(leads(hoursOfRun({ referenceTimeMs: RUN, times: hourly(72) }, [3, 5]))).toEqual([3, 4, 5]);
});

test('classes come before types, and of each the hour under way, those ahead, then those that are past', () => {
  const hours = [1, 2, 3, 4, 5].map((lead) => RUN + lead * HOUR);
  const planned = planTasks(RUN, hours, settings, RUN + 3.5 * HOUR);
  const order = [...new Set(planned.map(({ task }) => (task.validTimeMs - RUN) / HOUR))];
  expect(order).toEqual([3, 4, 5, 2, 1]);
  const isClass = planned.map(({ task }) => task.aircraftClass !== undefined);
  expect(isClass).toEqual([...new Array(5 * 2 * 3).fill(true), ...new Array(5 * 3).fill(false)]);
  const priorities = planned.map(({ priority }) => priority);
  expect(priorities).toEqual([...priorities].sort((a, b) => b - a));
  expect(priorities.every((priority) => Number.isInteger(priority) && Math.abs(priority) <= 1000)).toBe(true);
});

test('no hour of a class, however far or long past, waits for a type', () => {
  const hours = [-400, 0, 400].map((lead) => RUN + lead * HOUR);
  const planned = planTasks(RUN, hours, settings, RUN);
  const priorities = (ofClass: boolean) =>
    planned
      .filter(({ task }) => (task.aircraftClass !== undefined) === ofClass)
      .map(({ priority }) => priority);
  expect(Math.min(...priorities(true))).toBeGreaterThan(Math.max(...priorities(false)));
  expect(planned.every(({ priority }) => Math.abs(priority) <= 1000)).toBe(true);
});

test.each([
  ['the weather source', { source: 'gfs' }],
  ['the weather', { weather: 'another generation' }],
  ['the grid', { cellsPerDegree: 2 }],
  ['the humidity scaling', { humidityScaling: 'constant_scale' as const }],
])('%s is part of the name of a task and of its products', (_, change) => {
  const [planned] = planTasks(RUN, [RUN + HOUR], settings, RUN);
  if (planned === undefined) throw new Error('nothing was planned');
  const other = { ...planned.task, ...change };
  expect(taskName(other)).not.toBe(taskName(planned.task));
  expect(productKey(other, 'cocip.B738', 'nc')).not.toBe(productKey(planned.task, 'cocip.B738', 'nc'));
});

test('every task of a plan has its own name', () => {
  const hours = hoursOfRun({ referenceTimeMs: RUN, times: hourly(72) }, [1, 59]);
  const names = planTasks(RUN, hours, settings, RUN).map(({ task }) => taskName(task));
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBe(59 * 3 * 3);
});

test('a class whose aircraft is among the types is computed once', () => {
  expect(plannedAircraft(['default', 'low_e', 'high_e'], COCIP_AIRCRAFT_TYPES).map(aircraftName)).toEqual([
    'B738',
    'B789-01P17GE211',
    'A320-01P10IA021',
    ...COCIP_AIRCRAFT_TYPES.filter((type) => type !== 'B738'),
  ]);
});

test('the demo forecasts every class', () => {
  const { forecast } = withDemoWeather(loadConfig({ environment: {}, directory: '/' }));
  expect(forecast.aircraft_classes).toEqual(['default', 'low_e', 'high_e']);
});

test('groups of any size hold every level once, those of cruise first', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 18 }), (size) => {
      const groups = levelGroups(size);
      expect(groups.flat().sort((a, b) => a - b)).toEqual([...FLIGHT_LEVELS]);
      expect(groups.every((group) => group.length <= size)).toBe(true);
    }),
  );
  expect(levelGroups(6)[0]).toEqual([330, 340, 350, 360, 370, 380]);
});

test('tiles cover every cell once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 150 }),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 18 }),
      (columns, rows, levels) => {
        const seen = new Uint8Array(columns * rows);
        for (const tile of tilesOf(columns, rows, levels)) {
          for (let i = 0; i < tile.columns; i++) {
            for (let j = 0; j < tile.rows; j++) {
              const at = (tile.firstColumn + i) * rows + tile.firstRow + j;
              seen[at] = (seen[at] as number) + 1;
            }
          }
        }
        expect(seen.every((times) => times === 1)).toBe(true);
      },
    ),
  );
});

test('weather is looked at within 20 hPa of the grid, widened to the next levels', () => {
  const knots = [100, 125, 150, 175, 200, 225, 250, 300, 350, 400, 450];
  expect(levelRange(knots, 154.7, 344.3)).toEqual([125, 400]);
  expect(levelRange([150, 200, 300, 350], 154.7, 344.3)).toEqual([150, 350]);
});
