import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  byMetric,
  concentrationOf,
  type FlightRow,
  filtered,
  groupsOf,
  lorenzCurve,
  sorted,
  sumsOf,
} from '../../src/inventory/day-table.ts';

const row = (id: string, forcingMj: number, more: Partial<FlightRow> = {}): FlightRow => ({
  id,
  callsign: `XAB${id}`,
  airline: 'XA',
  type: 'A320',
  from: 'EDDF',
  to: 'EGLL',
  startMs: 0,
  distanceKm: 1,
  contrailKm: 0,
  country: 'DE',
  fuelKg: 2,
  co2Kg: 1,
  gwpKg: { 20: 4 * forcingMj, 50: 2 * forcingMj, 100: forcingMj },
  co2eKg: forcingMj,
  forcingMj,
  grade: 'A',
  maxGapMin: 0,
  path: [0, 0, 1, 1],
  ...more,
});

test('the flights that cause 80 % of the warming or more are counted without those that cool', () => {
  const rows = [row('1', 70), row('2', 20), row('3', 10), row('4', -500), row('5', 0)];
  expect(concentrationOf(rows)).toEqual({ flights: 2, share: 0.4, warming: 0.9 });
  expect(concentrationOf([row('1', 0), row('2', -1)])).toBeUndefined();
});

test('CO2e of flights follows the metric, and efficacy divides by 0.42', () => {
  const co2eOf = (metric: Parameters<typeof byMetric>[1]) => byMetric([row('1', 1e6)], metric)[0]?.co2eKg;
  expect(co2eOf({ metric: 'gwp', horizon: 20, efficacy: true })).toBe(4e6);
  expect(co2eOf({ metric: 'gwp', horizon: 100, efficacy: false })).toBeCloseTo(1e6 / 0.42, 3);
  expect(co2eOf({ metric: 'gtp', horizon: 50, efficacy: true })).toBeCloseTo(48.96858, 4);
  expect(co2eOf({ metric: 'atr', horizon: 20, efficacy: false })).toBeCloseTo(3622.924, 2);
});

test('totals by day come in the order of days', () => {
  const rows = [
    row('1', 1, { startMs: Date.UTC(2024, 0, 2) }),
    row('2', 5),
    row('3', 7, { startMs: Date.UTC(2024, 0, 1) }),
  ];
  expect(groupsOf(rows, 'day').map(({ key, flights }) => [key, flights])).toEqual([
    ['1970-01-01', 1],
    ['2024-01-01', 1],
    ['2024-01-02', 1],
  ]);
});

test('no smaller number of flights causes 80 %', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -50, max: 100 }), { minLength: 1, maxLength: 30 }), (forcings) => {
      const found = concentrationOf(forcings.map((forcing, k) => row(String(k), forcing)));
      const warming = forcings.filter((forcing) => forcing > 0).sort((a, b) => b - a);
      const total = warming.reduce((sum, forcing) => sum + forcing, 0);
      const sumOf = (count: number) => warming.slice(0, count).reduce((sum, forcing) => sum + forcing, 0);
      expect(found === undefined).toBe(total === 0);
      if (found === undefined) return;
      expect(sumOf(found.flights)).toBeGreaterThanOrEqual(0.8 * total);
      expect(sumOf(found.flights - 1)).toBeLessThan(0.8 * total);
    }),
  );
});

test('every word of a filter has to fit', () => {
  const rows = [row('1', 0), row('2', 0, { type: 'B738' }), row('3', 0, { to: 'KJFK', type: 'B738' })];
  expect(filtered(rows, 'b738 kjfk').map(({ id }) => id)).toEqual(['3']);
  expect(filtered(rows, ' ')).toBe(rows);
});

test('sorting is by number or by text and keeps the rows', () => {
  const rows = [row('1', 5), row('2', -3), row('3', 20)];
  expect(sorted(rows, { column: 'co2eKg', isDescending: true }).map(({ id }) => id)).toEqual(['3', '1', '2']);
  expect(sorted(rows, { column: 'callsign', isDescending: false }).map(({ id }) => id)).toEqual([
    '1',
    '2',
    '3',
  ]);
});

test('groups add up to the sums of all flights, the ones that warm most first', () => {
  const rows = [
    row('1', 5, { airline: 'LX' }),
    row('2', 20),
    row('3', -1, { airline: '' }),
    row('4', 2, { airline: 'LX' }),
  ];
  const groups = groupsOf(rows, 'airline');
  expect(groups.map(({ key, flights, co2eKg }) => [key, flights, co2eKg])).toEqual([
    ['XA', 1, 20],
    ['LX', 2, 7],
    ['', 1, -1],
  ]);
  expect(groups.reduce((sum, { fuelKg }) => sum + fuelKg, 0)).toBe(sumsOf(rows).fuelKg);
});

test('hours are in their order, and a route needs both airports', () => {
  const rows = [row('1', 1, { startMs: 13 * 3_600_000 }), row('2', 5, { startMs: 2 * 3_600_000, to: '' })];
  expect(groupsOf(rows, 'hour').map(({ key }) => key)).toEqual(['02', '13']);
  expect(groupsOf(rows, 'route').map(({ key }) => key)).toEqual(['', 'EDDF–EGLL']);
});

test('the curve rises from nothing to everything and passes the share of 80 %', () => {
  const rows = [row('1', 70), row('2', 20), row('3', 10), row('4', -500), row('5', 0)];
  expect(lorenzCurve(rows)).toEqual([
    [0, 0],
    [0.2, 0.7],
    [0.4, 0.9],
    [0.6, 1],
    [1, 1],
  ]);
  expect(lorenzCurve([row('1', -1)])).toEqual([]);
});
