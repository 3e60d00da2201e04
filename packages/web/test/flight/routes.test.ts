import type { PlannedRoute } from '@contrails/client';
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/flight/plan-settings.ts';
import { foundRoutes } from '../../src/flight/routes.ts';

const candidate = (route: string, fuel: number, paid: number) => ({
  ...{ route, kind: 'searched', flight_level: null, changes: null },
  ...{ cost: fuel, fuel_kg: fuel, flight_time_s: 3600, energy_forcing_j: paid, paid_j: paid },
  waypoints: {
    ...{ longitude: [179, -179], latitude: [50, 51], altitude: [33_000, 33_000] },
    time: ['2027-02-03T06:00:00Z', '2027-02-03T07:00:00Z'],
  },
});
const point = (weight: number, fuel: number, paid: number) => ({
  ...{ weight, dominated: false, verified: candidate('front', fuel, paid) },
});
const answer = {
  baseline: candidate('flight', 10_000, 4e13),
  chosen: candidate('optimum', 10_200, 1e13),
  routes: [
    {
      ...{ name: 'great_circle', closed: false, verified: candidate('great_circle', 10_050, 3e13) },
      path: { longitude: [179, -179], latitude: [50, 51], flight_level: [330, 330], time: ['', ''] },
    },
  ],
  front: [point(0, 9_900, 5e13), point(1, 10_200, 1e13), point(2, 10_200, 1e13), point(64, 10_900, 0)],
  recommendation: { change: true, reason: 'better' },
  ...{ notes: [], warnings: [] },
} as unknown as PlannedRoute;

test('weights that give the same route are one point, beside the flight, the great circle and the cheapest', () => {
  const { options, chosen, sentence } = foundRoutes(answer, DEFAULT_SETTINGS);
  expect(options.map(({ name }) => name)).toEqual([
    'As flown',
    'Great circle',
    'Contrails do not count',
    'Contrails count × 1 to 2',
    'Contrails count × 64',
    'Cheapest',
  ]);
  expect(new Set(options.map(({ id }) => id)).size).toBe(options.length);
  expect(chosen?.name).toBe('Cheapest');
  expect(sentence).toBe('Another way is worth it: +2.0 % fuel, 75 % less warming by contrails.');
});

test('a flight that does not warm is not said to warm less on another way', () => {
  const still = { ...answer, baseline: candidate('flight', 10_400, 0) } as PlannedRoute;
  expect(foundRoutes(still, DEFAULT_SETTINGS).sentence).toBe('Another way is worth it: −1.9 % fuel.');
});

test('a closed great circle is drawn, but cannot be selected', () => {
  const [direct] = answer.routes;
  const closed = { ...answer, routes: [{ ...direct, closed: true }] } as PlannedRoute;
  const { options, greatCircle } = foundRoutes(closed, DEFAULT_SETTINGS);
  expect(options.some(({ kind }) => kind === 'direct')).toBe(false);
  expect(greatCircle.length).toBe(2);
});
