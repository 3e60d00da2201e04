import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { MultiPoint } from 'geojson';
import { expect, test } from 'vitest';
import { countryNamesOf } from '../../build/country-names.ts';

const require = createRequire(import.meta.url);
const { features } = countryNamesOf(
  JSON.parse(readFileSync(require.resolve('world-atlas/countries-50m.json'), 'utf8')),
);

/** Names within some degrees of a place at a zoom. */
function namesNear(longitude: number, latitude: number, zoom: number, degrees: number): Set<string> {
  const near = features.filter(({ properties, geometry }) => {
    if (properties?.zoom > zoom) return false;
    return (geometry as MultiPoint).coordinates.some(
      ([x = 0, y = 0]) => Math.abs(x - longitude) <= degrees && Math.abs(y - latitude) <= degrees / 2,
    );
  });
  return new Set(near.map(({ properties }) => String(properties?.name)));
}

test.each([
  ['Germany', 10, 51],
  ['United States of America', -98, 39],
  ['Brazil', -52, -10],
  ['Russia', 100, 62],
  ['Australia', 134, -25],
])('%s is named on every screen inside it', (name, longitude, latitude) => {
  for (let zoom = 5; zoom <= 9; zoom++) {
    const degrees = 11.2 / 2 ** (Math.min(zoom, 8) - 5);
    expect(namesNear(longitude, latitude, zoom, degrees)).toContain(name);
  }
});

test.each([
  ['Canada', -75, 50],
  ['United States of America', -80, 40],
  ['Russia', 60, 60],
])('%s is named on a screen that shows a part of it', (name, longitude, latitude) => {
  for (const zoom of [3, 4]) {
    expect(namesNear(longitude, latitude, zoom, 44.8 / 2 ** (zoom - 3))).toContain(name);
  }
});

test('countries that fit on a screen are named once there', () => {
  expect(namesNear(10, 51, 4, 5)).toEqual(new Set());
});

test('no country is named in the middle of an ocean', () => {
  expect(namesNear(-35, 40, 9, 3)).toEqual(new Set());
});

test('no place has two names', () => {
  const seen = new Map<string, string>();
  for (const { properties, geometry } of features) {
    for (const position of (geometry as MultiPoint).coordinates) {
      const key = position.join(' ');
      expect(seen.get(key) ?? properties?.name).toBe(properties?.name);
      seen.set(key, properties?.name);
    }
  }
  expect(seen.size).toBeGreaterThan(5000);
});
