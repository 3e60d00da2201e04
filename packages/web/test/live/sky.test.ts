import { expect, test } from 'vitest';
import { placeAt, Sky } from '../../src/live/sky.ts';
import { latitudeOf } from '../../src/stage/mercator.ts';
import { contrail, flight, NOW_MS, summary } from './support/features.ts';

const SUMMARY = { type: 'summary', ...summary() } as const;

test('updates change features, and removals take them away', () => {
  const sky = new Sky();
  sky.apply({ type: 'snapshot', flights: [flight('A1'), flight('B2')], contrails: [contrail('A1/1')] });
  sky.apply(SUMMARY);
  sky.apply({ type: 'update', flights: [flight('A1', { altitude_ft: 36_000 })], contrails: [] });
  expect(sky.aircraft.get('A1')?.facts.altitude_ft).toBe(36_000);
  sky.apply({ type: 'remove', flights: ['B2'], contrails: ['A1/1'] });
  expect([...sky.aircraft.keys()]).toEqual(['A1']);
  expect(sky.contrails.size).toBe(0);
});

test('a snapshot in pieces replaces the sky when it is complete, so nothing disappears in between', () => {
  const sky = new Sky();
  sky.apply({ type: 'snapshot', flights: [flight('A1'), flight('B2')], contrails: [] });
  sky.apply(SUMMARY);
  sky.apply({ type: 'snapshot', flights: [flight('B2')], contrails: [] });
  expect(sky.aircraft.size).toBe(2);
  sky.apply({ type: 'update', flights: [flight('C3')], contrails: [] });
  sky.apply(SUMMARY);
  expect([...sky.aircraft.keys()].sort()).toEqual(['B2', 'C3']);
});

test('the newest report is known between cycles', () => {
  const sky = new Sky();
  expect(sky.newestMs).toBeUndefined();
  sky.apply({ type: 'update', flights: [flight('A1')], contrails: [] });
  sky.apply({
    type: 'update',
    flights: [flight('B2', { last_seen: '2026-01-15T11:00:00Z' })],
    contrails: [],
  });
  expect(sky.newestMs).toBe(NOW_MS);
});

test('changes are counted apart for aircraft and contrails', () => {
  const sky = new Sky();
  sky.apply({ type: 'snapshot', flights: [flight('A1')], contrails: [contrail('A1/1')] });
  const before = { ...sky.changes };
  sky.apply({ type: 'update', flights: [flight('A1')], contrails: [] });
  expect(sky.changes).toEqual({ ...before, aircraft: before.aircraft + 1 });
});

test('an aircraft moves along its track between reports, and stops when it is not heard of for long', () => {
  const sky = new Sky();
  sky.apply({ type: 'update', flights: [flight('A1', { track: 0 })], contrails: [] });
  const aircraft = sky.aircraft.get('A1');
  if (aircraft === undefined) throw new Error('it is there');
  const [x, y] = placeAt(aircraft, NOW_MS + 60_000);
  expect(x).toBeCloseTo(aircraft.x, 12);
  // 450 knots are 7.5 minutes of arc in a minute.
  expect(latitudeOf(y)).toBeCloseTo(50 + 7.5 / 60, 2);
  expect(placeAt(aircraft, NOW_MS + 3_600_000)).toEqual(placeAt(aircraft, NOW_MS + 90_000));
  expect(placeAt(aircraft, NOW_MS - 5000)).toEqual([aircraft.x, aircraft.y]);
});

test('an aircraft that is not heard of or on the ground does not move', () => {
  const sky = new Sky();
  const flights = [flight('A1', { state: 'stale' }), flight('B2', { state: 'ground', track: null })];
  sky.apply({ type: 'update', flights, contrails: [] });
  for (const { moveX, moveY } of sky.aircraft.values()) expect([moveX, moveY].map(Math.abs)).toEqual([0, 0]);
});

test('a contrail has its length and its true width', () => {
  const sky = new Sky();
  sky.apply({ type: 'update', flights: [], contrails: [contrail('A1/1')] });
  const [one] = [...sky.contrails.values()];
  expect(one?.lengthM).toBeCloseTo(143_000, -3);
  // Two kilometres of 40,075 km, stretched by the projection at 50° north.
  expect(one?.halfWidth).toBeCloseTo(2 / 40_075 / Math.cos((50 * Math.PI) / 180), 7);
});

test('a contrail drifts with its wind', () => {
  const sky = new Sky();
  sky.apply({ type: 'update', flights: [], contrails: [contrail('A1/1', { drift_m_per_s: [40, -10] })] });
  const [one] = [...sky.contrails.values()];
  // Forty metres of 40,075 km, stretched by the projection at 50° north; south is down.
  expect(one?.moveX).toBeCloseTo(0.04 / 40_075 / Math.cos((50 * Math.PI) / 180), 9);
  expect(one?.moveY).toBeCloseTo((one?.moveX ?? 0) / 4, 9);
  expect(one?.seenMs).toBe(NOW_MS);
  sky.apply({ type: 'update', flights: [], contrails: [contrail('A1/1', { drift_m_per_s: null })] });
  const [still] = [...sky.contrails.values()];
  expect([still?.moveX, still?.moveY].map((move) => Math.abs(move ?? 1))).toEqual([0, 0]);
});

test('a feed that begins in the past is said to catch up, and how long that takes', () => {
  const sky = new Sky();
  const at = (minute: number, newest: string) =>
    sky.apply({
      type: 'summary',
      ...summary({
        time: new Date(NOW_MS + 60_000 * minute).toISOString(),
        feeds: [{ name: 'roof', kind: 'synthetic', newest_report: newest, stalled: false }],
      }),
    });
  at(0, '2026-01-15T00:00:00Z');
  expect(sky.catchingUp()).toEqual([
    { name: 'roof', newestMs: Date.parse('2026-01-15T00:00:00Z'), leftMs: undefined },
  ]);
  // Two hours in a minute: ten hours and a minute behind, it gains 119 minutes in each.
  at(1, '2026-01-15T02:00:00Z');
  expect(sky.catchingUp()[0]?.leftMs).toBeCloseTo((601 / 119) * 60_000, 0);
  at(6, '2026-01-15T12:05:50Z');
  expect(sky.catchingUp()).toEqual([]);
});
