import type { ForecastRuns, FrameList, ServiceStatus } from '@contrails/client';
import { expect, test } from 'vitest';
import {
  durationText,
  failuresOf,
  forecastSentence,
  framesSentence,
  inventorySentence,
  telemetrySentence,
} from '../../src/status/work-sentences.ts';

const PLANNED_MS = Date.parse('2026-01-01T13:00:00Z');

function forecast(states: readonly string[][]): ForecastRuns {
  return {
    runs: [
      {
        forecast_reference_time: '2026-01-01T12:00:00Z',
        planned: new Date(PLANNED_MS).toISOString(),
        aircraft_classes: states.map((some) => ({
          hours: some.map((state, k) => ({ time: `2026-01-01T${12 + k}:00:00Z`, state, flight_levels: [] })),
        })),
      },
    ],
  } as unknown as ForecastRuns;
}

test('a forecast says how many hours are ready in all classes, and how long the rest takes', () => {
  const runs = forecast([
    ['published', 'published', 'running', 'planned'],
    ['published', 'published', 'published', 'planned'],
  ]);
  expect(forecastSentence(runs, PLANNED_MS + 10 * 60_000)).toEqual({
    family: 'Forecast',
    text: 'of 12 UTC on 1 Jan 2026: 2 of 4 hours ready, about 10 minutes left',
    state: 'working',
  });
});

test('a forecast whose hours failed says so, and one that is done has nothing left', () => {
  expect(forecastSentence(forecast([['published', 'failed']]), PLANNED_MS + 1).text).toBe(
    'of 12 UTC on 1 Jan 2026: 1 of 2 hours ready, 1 failed',
  );
  expect(forecastSentence(forecast([['published']]), PLANNED_MS + 1)).toMatchObject({ state: 'ready' });
  expect(forecastSentence({ runs: [] }, 0)).toMatchObject({
    text: 'begins with the next weather run',
    state: 'none',
  });
});

test('durations are rounded as people say them', () => {
  expect([30_000, 9 * 60_000, 21 * 60_000, 3 * 3_600_000].map(durationText)).toEqual([
    'about a minute',
    'about 9 minutes',
    'about 20 minutes',
    'about 3 hours',
  ]);
});

test('an inventory says which days are ready and what the next one waits for', () => {
  const dates = [
    { date: '2025-12-31', state: 'published', message: '', served: true },
    { date: '2026-01-01', state: 'waiting', message: 'telemetry of 5 hours is missing', served: false },
  ];
  expect(inventorySentence({ dates }).text).toBe(
    '1 day ready, the newest 31 Dec 2025. 1 Jan 2026 is waiting: telemetry of 5 hours is missing',
  );
});

test('what has nothing yet says what comes next, and is not marked as ready', () => {
  const none = [
    inventorySentence({ dates: [] }),
    telemetrySentence({ telemetry: null }),
    framesSentence({ satellite: 'goes-east', frames: [] } as unknown as FrameList),
  ];
  expect(none.map(({ state }) => state)).toEqual(['none', 'none', 'none']);
  expect(none.map(({ text }) => text)).toEqual([
    'No day is ready yet; a day is computed when its telemetry is complete',
    'No hour is ready yet; the manual shows how to connect a receiver',
    'No image of goes-east of the last day yet',
  ]);
});

test('telemetry names its hours', () => {
  const telemetry = { first: '2026-01-01T00:00:00Z', last: '2026-01-01T05:00:00Z' };
  expect(telemetrySentence({ telemetry })).toMatchObject({
    text: 'Hours from 1 Jan 2026, 00:00 UTC to 1 Jan 2026, 05:00 UTC are ready',
    state: 'ready',
  });
});

test('images that cannot be used are counted with their reasons', () => {
  const frame = (state: string, levels: string[], reason: string | null = null) => ({
    time: '2026-01-01T12:10:00Z',
    state,
    levels,
    reason,
  });
  const frames = [frame('done', ['L1', 'L2']), frame('quarantined', [], 'mixed-times'), frame('queued', [])];
  expect(framesSentence({ satellite: 'goes-east', frames } as unknown as FrameList)).toEqual({
    family: 'Satellites',
    text: 'Images of goes-east: 1 of the last day ready, the newest of 1 Jan 2026, 12:10 UTC, 1 waiting, 1 cannot be used (mixed times)',
    state: 'failed',
  });
});

test('failures of one kind and reason are one entry with a remedy that can be copied', () => {
  const job = (id: string, error: string) => ({ id, kind: 'observations.frame', error, ended: null });
  const failed = [job('b2', 'no weather'), job('a1', 'no weather'), job('c3', 'disk full')];
  const found = failuresOf({ jobs: { failed } } as unknown as ServiceStatus);
  expect(found.map(({ error, count }) => [error, count])).toEqual([
    ['no weather', 2],
    ['disk full', 1],
  ]);
  expect(found[0]?.remedy).toContain('contrails jobs retry b2');
});
