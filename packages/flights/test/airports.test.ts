import fc from 'fast-check';
import { expect, test } from 'vitest';
import { airportDistanceM } from '../src/airports/airports.ts';
import { type Airport, indexAirports, worldAirports } from '../src/index.ts';

test('the airports of the world are found by code', () => {
  const airports = worldAirports();
  expect(airports.all).toHaveLength(18_672);
  expect(airports.find('EGLL')).toMatchObject({
    elevationFt: 83,
    size: 'large',
    country: 'GB',
    continent: 'EU',
  });
  expect(airports.find('EDBM')?.name).toBe('Magdeburg "City" Airport');
  expect(airports.find('AAXX')?.elevationFt).toBe(0);
  expect([airports.find('XXXX'), airports.find(null)]).toEqual([undefined, undefined]);
  const isSound = ({ icao, latitude, longitude, elevationFt, size }: Airport) =>
    /^[A-Z0-9]{4}$/.test(icao) &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180 &&
    Number.isFinite(elevationFt) &&
    ['large', 'medium', 'small'].includes(size);
  expect(airports.all.filter((airport) => !isSound(airport))).toEqual([]);
});

const at = (icao: string, longitude: number, latitude: number, size: Airport['size'] = 'large'): Airport => ({
  icao,
  longitude,
  latitude,
  elevationFt: 0,
  size,
});

test('a large airport is preferred to a nearer small one', () => {
  const airports = indexAirports([
    at('LARG', 9.5, 50),
    at('SMAL', 8.01, 50, 'small'),
    at('MEDI', 8.2, 50, 'medium'),
  ]);
  expect(airports.nearest(8, 50, 3000)?.icao).toBe('LARG');
  expect(airports.nearest(7, 50, 3000)?.icao).toBe('MEDI');
  expect(airports.nearest(6.1, 50, 3000)?.icao).toBe('SMAL');
  expect(airports.nearest(5, 50, 3000)).toBeUndefined();
});

test('an airport beyond the antimeridian is near', () => {
  const airports = indexAirports([at('EAST', 179.5, 0), at('WEST', -178.9, 0)]);
  expect(airports.nearest(-179.5, 0, 0)?.icao).toBe('WEST');
  expect(airports.nearest(-179.9, 0, 0)?.icao).toBe('EAST');
});

test('the index finds what a search of the whole table finds', () => {
  const { all, nearest } = worldAirports();
  const slow = (longitude: number, latitude: number, altitudeFt: number) => {
    const near = all.filter((airport) => {
      const away = Math.abs(airport.longitude - longitude);
      return Math.abs(airport.latitude - latitude) <= 2 && Math.min(away, 360 - away) <= 2;
    });
    for (const size of ['large', 'medium', 'small']) {
      const [first] = near
        .filter((airport) => airport.size === size)
        .map((airport) => ({
          icao: airport.icao,
          distanceM: airportDistanceM(airport, 0, longitude, latitude, altitudeFt),
        }))
        .sort((a, b) => a.distanceM - b.distanceM || (a.icao < b.icao ? -1 : 1));
      if (first !== undefined) return first.icao;
    }
    return undefined;
  };
  fc.assert(
    fc.property(
      fc.double({ min: -180, max: 179.99, noNaN: true }),
      fc.double({ min: -90, max: 90, noNaN: true }),
      fc.double({ min: 0, max: 10_000, noNaN: true }),
      (longitude, latitude, altitudeFt) => {
        expect(nearest(longitude, latitude, altitudeFt)?.icao).toBe(slow(longitude, latitude, altitudeFt));
      },
    ),
    // A place so little west of a meridian that adding a degree rounds it away.
    { numRuns: 200, examples: [[-5e-324, 19.074653126413303, 0]] },
  );
});
