import { expect, test } from 'vitest';
import { loadSubjects } from '../../src/families/index.ts';

const subjectOf = await loadSubjects();

test.each([
  [
    'a part of a forecast',
    'forecast.part',
    { validTimeMs: Date.UTC(2026, 0, 2, 9), type: 'B789', flightLevels: [330, 340, 350] },
    '2026-01-02T09Z B789 FL330-350',
  ],
  [
    'a part that stands for a class',
    'forecast.part',
    { validTimeMs: 0, type: 'B738', aircraftClass: 'default', flightLevels: [270] },
    '1970-01-01T00Z default FL270-270',
  ],
  [
    'a grid that a client asked for',
    'grid.cocip',
    { url: '/v0/grid/cocip?time=2024-06-12T03', parts: [] },
    '/v0/grid/cocip?time=2024-06-12T03',
  ],
  ['flights', 'trajectory', { model: 'cocip' }, 'cocip'],
  ['a plan', 'planning', { kind: 'levels' }, 'levels'],
  ['routes', 'route', { request: 'key', routes: 3 }, '3 routes'],
  ['an hour of telemetry', 'telemetry.build', { hourMs: 0 }, '1970-01-01T00Z'],
  ['an image', 'observations.frame', { satellite: 'goes-east', timeMs: 0 }, 'goes-east 1970-01-01T00:00:00Z'],
  [
    'a flight that is searched',
    'observations.search',
    { flight: 'LX8-2026-01-02-ZRH' },
    'LX8-2026-01-02-ZRH',
  ],
  ['a day of the inventory', 'inventory.publish', { date: '2026-01-02' }, '2026-01-02'],
  ['another kind', 'maintenance', {}, ''],
  ['a payload of another version', 'forecast.part', null, ''],
])('%s has its subject', (_, kind, payload, subject) => {
  expect(subjectOf({ kind, payload })).toBe(subject);
});
