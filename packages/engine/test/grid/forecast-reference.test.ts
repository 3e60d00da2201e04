import { readFileSync } from 'node:fs';
import { geojsonFeature, polygonsOf, simplificationOf, thresholdTest } from '@contrails/formats';
import { FORECAST_THRESHOLDS, forcingIndex, thresholdEfPerM } from '@contrails/physics/cocip';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { regionFeatures } from '../../src/grid/regions.ts';

interface Case {
  readonly longitude: readonly number[];
  readonly latitude: readonly number[];
  readonly flightLevels: readonly number[];
  /** Base64 of the cells with a contrail, their energy forcing and their index. */
  readonly cells: string;
  readonly efPerM: string;
  readonly index: string;
  readonly indexElsewhere: number;
  readonly regions: Readonly<Record<string, readonly Feature[]>>;
}

interface Feature {
  readonly properties: { readonly flight_level: number };
  readonly geometry: { readonly coordinates: number[][][][] };
}

const cases: Record<string, Case> = JSON.parse(
  readFileSync(new URL('./reference/forecast-cases.json', import.meta.url), 'utf8'),
);

describe.each(Object.entries(cases))('class %s', (aircraftClass, one) => {
  test('the index of every cell is that of the reference to the last bit of single precision', () => {
    const [efPerM, index] = [new Float64Array(bytes(one.efPerM)), new Float32Array(bytes(one.index))];
    expect(Array.from(efPerM, (ef) => Math.fround(forcingIndex(ef)))).toEqual([...index]);
    expect(forcingIndex(0)).toBe(one.indexElsewhere);
  });

  test.each(Object.entries(one.regions))(
    'regions of threshold %s are those of the reference before they are nested',
    (threshold, wanted) => {
      const made = one.flightLevels.map((flightLevel, level) => {
        const { longitude, latitude } = one;
        const polygons = polygonsOf(planeOf(one, level), longitude, latitude, {
          ...simplificationOf(10),
          interiors: false,
          test: thresholdTest(Number(threshold)),
        });
        const { properties } = wanted[level] as Feature;
        return parsed(Buffer.concat(geojsonFeature({ flightLevel, polygons, properties })));
      });
      expect(made.map(comparable)).toEqual(wanted.map(comparable));
    },
  );

  if (Object.keys(one.regions).length === 0) return;
  test('delivered regions have properties and area of the reference', () => {
    one.flightLevels.forEach((flightLevel, level) => {
      const features = regionFeatures(planeOf(one, level), one.longitude, one.latitude, flightLevel, {
        aircraftClass,
        timeMs: Date.UTC(2024, 5, 12, 3),
        referenceTimeMs: Date.UTC(2024, 5, 12),
      }).map(parsed);
      for (const [threshold, wanted] of Object.entries(one.regions)) {
        const [made, reference] = [features[Number(threshold) - 1] as Feature, wanted[level] as Feature];
        expect(made.properties).toEqual(reference.properties);
        // Cells that were cut off come back, and what reached beyond the lower threshold goes.
        expect(areaOf(made)).toBeGreaterThanOrEqual(0.75 * areaOf(reference) - 1);
        expect(areaOf(made)).toBeLessThan(1.25 * areaOf(reference) + 2);
      }
    });
  });
});

test('an index is reached at its threshold of energy forcing', () => {
  expect(FORECAST_THRESHOLDS.map(thresholdEfPerM)).toEqual([5.075e8, 1.005e9, 1.5025e9, 2e9]);
  for (const threshold of FORECAST_THRESHOLDS)
    expect(forcingIndex(thresholdEfPerM(threshold))).toBe(threshold);
});

test('the index never falls with the forcing and stays within 0 and 4', () => {
  const forcing = fc.double({ min: -1e12, max: 1e12, noNaN: true });
  fc.assert(
    fc.property(forcing, forcing, (a, b) => {
      const [low, high] = [forcingIndex(Math.min(a, b)), forcingIndex(Math.max(a, b))];
      expect(low).toBeLessThanOrEqual(high);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(4);
    }),
  );
});

function parsed(feature: Uint8Array): Feature {
  return JSON.parse(Buffer.from(feature).toString());
}

/** [deg²] */
function areaOf({ geometry }: Feature): number {
  const twice = (ring: readonly number[][]) =>
    ring.reduce((sum, [x = 0, y = 0], k) => {
      const [nextX = 0, nextY = 0] = ring[(k + 1) % ring.length] ?? [];
      return sum + x * nextY - nextX * y;
    }, 0);
  return geometry.coordinates.flat().reduce((sum, ring) => sum + twice(ring) / 2, 0);
}

function planeOf({ longitude, latitude, cells, index }: Case, level: number): Float32Array {
  const size = longitude.length * latitude.length;
  const plane = new Float32Array(size);
  const values = new Float32Array(bytes(index));
  new Uint32Array(bytes(cells)).forEach((cell, k) => {
    if (Math.floor(cell / size) === level) plane[cell % size] = values[k] as number;
  });
  return plane;
}

function bytes(base64: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(base64, 'base64')).buffer;
}

/** Polygons and rings may begin anywhere. */
function comparable({ properties, geometry }: Feature) {
  const polygons = geometry.coordinates.map((rings) => rings.map(rotated));
  return { properties, polygons: polygons.map((rings) => JSON.stringify(rings)).sort() };
}

function rotated(ring: readonly number[][]): number[][] {
  const open = ring.slice(0, -1);
  const least = open.reduce((best, point, at) => (compare(point, open[best] as number[]) < 0 ? at : best), 0);
  return [...open.slice(least), ...open.slice(0, least)];
}

function compare(a: readonly number[], b: readonly number[]): number {
  return (a[0] as number) - (b[0] as number) || (a[1] as number) - (b[1] as number);
}
