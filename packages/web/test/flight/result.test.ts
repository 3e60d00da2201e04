import type { CocipResult } from '@contrails/client';
import { expect, test } from 'vitest';
import { sectionBody } from '../../src/flight/cross-section.ts';
import { csvOf } from '../../src/flight/exports.ts';
import { requestBody } from '../../src/flight/flight.ts';
import { contrailShapes, flightResult, meaningOf, trackShapes } from '../../src/flight/result.ts';
import { routeFlight } from '../../src/flight/route-flight.ts';
import { DEFAULT_METRIC } from '../../src/shell/metric.ts';
import { boundsOf, onGreatCircle } from '../../src/track.ts';

const FRANKFURT = {
  icao: 'EDDF',
  iata: 'FRA',
  name: 'Frankfurt',
  town: 'Frankfurt',
  latitude: 50.03,
  longitude: 8.57,
};
const NEW_YORK = {
  icao: 'KJFK',
  iata: 'JFK',
  name: 'Kennedy',
  town: 'New York',
  latitude: 40.64,
  longitude: -73.78,
};
const TOKYO = {
  icao: 'RJTT',
  iata: 'HND',
  name: 'Haneda',
  town: 'Tokyo',
  latitude: 35.55,
  longitude: 139.78,
};

const ANSWER = {
  time: ['2026-01-01T06:00:00Z', '2026-01-01T06:01:00Z', '2026-01-01T06:02:00Z'],
  longitude: [179.8, 179.95, -179.9],
  latitude: [50, 50, 50],
  altitude: [35_000, 35_000, 35_000],
  sac: [1, 1, null],
  rhi: [1.1, 0.9, null],
  energy_forcing: [2e12, 0, 0],
  contrail_age: [120, 0, 0],
  totals: {
    fuel_burn: 100,
    co2: 316,
    energy_forcing: 2e12,
    co2e_gwp20: 3000,
    co2e_gwp50: 1400,
    co2e_gwp100: 632,
  },
  contrail: {
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        geometry: {
          type: 'LineString',
          coordinates: [
            [1, 2, 3],
            [2, 2, 3],
            [3, 2, 3],
          ],
        },
        properties: { time: '2026-01-01T06:10:00Z', rf_net: [10, -5, 0], tau: [0.1, 0.2, 0.3] },
      },
    ],
  },
} as unknown as CocipResult;

const result = flightResult({ name: 'x', aircraftType: 'A320', points: [] }, ANSWER);

test('totals have the length of lasting contrails, and the sentence compares them with the fuel', () => {
  expect(result.totals.contrailKm).toBeGreaterThan(10);
  expect(result.totals.contrailKm).toBeLessThan(result.totals.distanceKm);
  expect(meaningOf(result.totals, DEFAULT_METRIC)).toBe(
    'The contrails of this flight warm: over 100 years as much as 2.0 times the CO₂ of its fuel (GWP100).',
  );
});

test('a flight without a lasting contrail is said to have none, and one that cools to cool', () => {
  expect(meaningOf({ ...result.totals, contrailKm: 0 }, DEFAULT_METRIC)).toContain('no lasting contrail');
  const cooling = { ...result.totals, gwpKg: { 20: -1, 50: -1, 100: -100 } };
  expect(meaningOf(cooling, DEFAULT_METRIC)).toBe(
    'The contrails of this flight cool: over 100 years they offset 32 % of the CO₂ of its fuel (GWP100).',
  );
});

test('no line of the track crosses the map at the antimeridian', () => {
  expect(trackShapes(result.points).features.length).toBe(1);
  expect(boundsOf(result.points)).toEqual([179.8, 50, 180.1, 50]);
});

test('contrail lines are cut into pieces with a colour each', () => {
  const { features } = contrailShapes(ANSWER);
  expect(features.length).toBe(2);
  expect(new Set(features.map(({ properties }) => properties?.color)).size).toBe(2);
  expect(result.frames).toEqual([{ timeMs: Date.parse('2026-01-01T06:10:00Z') }]);
});

test('the table has a line for each waypoint and leaves unknown values empty', () => {
  expect(csvOf(result).trim().split('\n')).toEqual([
    'time,longitude,latitude,altitude_ft,sac,rhi,contrail_age_min,energy_forcing_j',
    '2026-01-01T06:00:00.000Z,179.8,50,35000,1,1.1,120,2000000000000',
    '2026-01-01T06:01:00.000Z,179.95,50,35000,1,0.9,0,0',
    '2026-01-01T06:02:00.000Z,-179.9,50,35000,,,0,0',
  ]);
});

test('the cross-section asks for the path on every level', () => {
  const body = sectionBody(result.points);
  expect(new Set(body.flight_id as string[]).size).toBe(18);
  expect(body.longitude.length).toBe(18 * 3);
});

test('a route climbs, cruises at its level, descends, and takes the time that a jet takes', () => {
  const flight = routeFlight({
    from: FRANKFURT,
    to: NEW_YORK,
    aircraftType: 'A333',
    flightLevel: 370,
    departureMs: 0,
  });
  const altitudes = flight.points.map(({ altitudeFt }) => altitudeFt);
  expect(Math.max(...altitudes)).toBe(37_000);
  expect([altitudes[0], altitudes.at(-1)]).toEqual([1_500, 1_500]);
  const hours = (flight.points.at(-1)?.timeMs ?? 0) / 3_600_000;
  expect(hours).toBeGreaterThan(7);
  expect(hours).toBeLessThan(8);
  expect(requestBody(flight).aircraft_type).toBe('A333');
});

test('a route over the Pacific follows the great circle across the antimeridian', () => {
  const { points } = routeFlight({
    from: TOKYO,
    to: NEW_YORK,
    aircraftType: 'B77W',
    flightLevel: 350,
    departureMs: 0,
  });
  expect(Math.max(...points.map(({ latitude }) => latitude))).toBeGreaterThan(65);
  expect(onGreatCircle(TOKYO, NEW_YORK, 1).longitude).toBeCloseTo(NEW_YORK.longitude, 6);
});
