import fc from 'fast-check';
import { expect, test } from 'vitest';
import { altitudeOf, type RegionFeature } from '../src/feature.ts';
import { encodeGeojson } from '../src/geojson.ts';
import { exampleFeatures, textOf } from './support/features.ts';
import { coordinatesOf } from './support/geometry.ts';

test('a collection without features is still a collection', async () => {
  expect(JSON.parse(await textOf(encodeGeojson([])))).toEqual({ type: 'FeatureCollection', features: [] });
});

test('every feature comes with its properties and positions of three numbers', async () => {
  const features = exampleFeatures();
  expect(JSON.parse(await textOf(encodeGeojson(features)))).toEqual({
    type: 'FeatureCollection',
    features: features.map(({ flightLevel, polygons, properties }) => ({
      type: 'Feature',
      properties,
      geometry: {
        type: 'MultiPolygon',
        coordinates: coordinatesOf(polygons).map((polygon) =>
          polygon.map((ring) => ring.map((position) => [...position, altitudeOf(flightLevel)])),
        ),
      },
    })),
  });
});

test('coordinates survive to the last bit', async () => {
  const coordinate = fc.double({ min: -180, max: 180, noNaN: true });
  await fc.assert(
    fc.asyncProperty(fc.array(coordinate, { minLength: 8, maxLength: 40 }), async (values) => {
      const ring = Float64Array.from(values.slice(0, values.length & ~1), (value) => value + 0);
      const feature: RegionFeature = { flightLevel: 300, polygons: [[ring]], properties: {} };
      const parsed = JSON.parse(await textOf(encodeGeojson([feature])));
      const positions: number[][] = parsed.features[0].geometry.coordinates[0][0];
      expect(Float64Array.from(positions.flatMap(([x, y]) => [x as number, y as number]))).toEqual(ring);
    }),
    { numRuns: 100 },
  );
});

test('a feature is not asked for before those ahead of it are on their way', async () => {
  let asked = 0;
  const ring = new Float64Array(20_000).fill(1.5);
  async function* features(): AsyncGenerator<RegionFeature> {
    for (asked = 1; asked <= 3; asked++)
      yield { flightLevel: 300, polygons: [[ring], [ring]], properties: { asked } };
  }
  const chunks = encodeGeojson(features());
  await chunks.next();
  expect(asked).toBe(1);
  await textOf(chunks);
  expect(asked).toBe(4);
});

test.each([
  [270, 8230],
  [310, 9449],
  [350, 10668],
  [410, 12497],
  [440, 13411],
])('flight level %i is %i m high', (flightLevel, altitude) => {
  expect(altitudeOf(flightLevel)).toBe(altitude);
});
