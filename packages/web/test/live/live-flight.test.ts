import type { LiveFlightDetail } from '@contrails/client';
import { expect, test } from 'vitest';
import { aheadBody, inputOf, levelsText, pointsOf, wayAhead } from '../../src/live/live-flight.ts';
import { Sky } from '../../src/live/sky.ts';
import { contrail, flight, NOW_MS } from './support/features.ts';

function aircraftOf(facts: Parameters<typeof flight>[1] = {}) {
  const sky = new Sky();
  sky.apply({ type: 'update', flights: [flight('A1', facts)], contrails: [] });
  const aircraft = sky.aircraft.get('A1');
  if (aircraft === undefined) throw new Error('it is there');
  return aircraft;
}

const DETAIL = {
  flight: { ...flight('A1', { truncated: true, aircraft_type_assumed: true }), id: 'A1' },
  time: ['2026-01-15T11:58:00Z', '2026-01-15T11:59:00Z'],
  longitude: [9, 9.2],
  latitude: [50, 50],
  altitude: [35_000, null],
  columns: { energy_forcing: [1e9, null], contrail_age: [120, null], sac: [1, 0] },
  contrails: { type: 'FeatureCollection', features: [contrail('A1/1')] },
} as LiveFlightDetail;

test('minutes of a flight have what is known of them, and null for the rest', () => {
  const [first, second] = pointsOf(DETAIL);
  expect(first).toMatchObject({ energyForcing: 1e9, contrailAgeMin: 120, sac: 1, rhi: null });
  expect(first?.segmentKm).toBeCloseTo(14.3, 0);
  expect(second).toMatchObject({ energyForcing: null, altitudeFt: 0, segmentKm: 0 });
});

test('a flight is handed to the flight view with what one should know of it', () => {
  const { name, aircraftType, notes } = inputOf(DETAIL);
  expect(name).toBe('DLHA1 EDDF–?');
  expect(aircraftType).toBe('A320');
  expect(notes).toEqual([
    'This flight is in the air: it ends with its newest minute.',
    'It began before the hours that are kept.',
    'Its type is not known; it is computed as type A320.',
  ]);
});

test('the way ahead is half an hour along the great circle', () => {
  const way = wayAhead(aircraftOf());
  expect(way).toHaveLength(31);
  expect(way[30]?.timeMs).toBe(NOW_MS + 1_800_000);
  // 225 nautical miles to the east, at 50° north.
  expect(way[30]?.longitude).toBeCloseTo(10 + 225 / 60 / Math.cos((50 * Math.PI) / 180), 1);
  expect(wayAhead(aircraftOf({ ahead: null }))).toEqual([]);
  expect(aheadBody(aircraftOf({ aircraft_type_icao: null }))).toBeUndefined();
  expect(aheadBody(aircraftOf())).toMatchObject({ aircraft_type: 'A320', altitude: Array(31).fill(35_000) });
});

test('the nearest level without a contrail is named, with its fuel', () => {
  const row = (
    kind: string,
    flight_level: number | null,
    persistent_km: number | null,
    fuel_kg = 1000,
    status = 'ok',
  ) => ({ kind, flight_level, persistent_km, fuel_kg, status }) as never;
  const own = row('baseline', null, 120);
  const text = (...rows: never[]) => levelsText({ rows: [own, ...rows] }, 35_000);
  expect(text(row('level', 310, 0), row('level', 370, 0, 1012))).toBe(
    'At FL 370 it would leave none in the next 30 minutes (+1.2 % fuel); at its own level 120 km.',
  );
  expect(text(row('level', 370, 0, 1000, 'infeasible'), row('level', 330, 40))).toMatch(
    /^No level leaves none .* FL 330 leaves least, 40 km of 120 km\.$/,
  );
  expect(text(row('level', 330, 200))).toBe('No level that it can fly leaves less in the next 30 minutes.');
  expect(levelsText({ rows: [row('baseline', null, 0)] }, 35_000)).toMatch(
    /^At its own level it leaves none/,
  );
  expect(levelsText({ rows: [row('baseline', null, null)] }, 35_000)).toMatch(/not known/);
});
