import { PLUME_COLUMNS, type PlumeTable } from '@contrails/physics/cocip';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ContrailLines } from '../../src/flights/contrail-lines.ts';

interface Feature {
  readonly geometry: { readonly type: string; readonly coordinates: [number, number, number][] };
  readonly properties: Record<string, number[]> & { readonly time: string; readonly flight_id?: unknown };
}

const TO_MS = Date.parse('2024-02-29T06:10:00Z');

/** Points of one flight; what is not told is 0. */
function features(points: readonly Partial<Record<string, number>>[], id?: string): Feature[] {
  const plumes = Object.fromEntries(
    PLUME_COLUMNS.map((name) => [name, Float64Array.from(points, (point) => point[name] ?? 0)]),
  ) as unknown as PlumeTable;
  const lines = new ContrailLines(id, (waypoint) => waypoint + 100);
  lines.add(plumes, 0, points.length, TO_MS);
  return JSON.parse(`[${new TextDecoder().decode(lines.finish())}]`) as Feature[];
}

const point = (waypoint: number, longitude: number, more: Partial<Record<string, number>> = {}) => ({
  waypoint,
  longitude,
  latitude: 50,
  altitude: 10_000,
  formationTimeMs: TO_MS - 300_000,
  ...more,
});

describe('a contrail at a step', () => {
  test('is a line with what is known at its points', () => {
    const [feature] = features(
      [
        point(3, 10, {
          width: 123.46,
          depth: 50,
          opticalDepth: 0.1234567,
          rfNet: -1.5,
          energyForcing: 2 / 3,
        }),
        point(4, 10.5, { width: 100, depth: 60, opticalDepth: 0.2, rfNet: Number.NaN }),
      ],
      'x',
    );
    expect(feature).toEqual({
      type: 'Feature',
      geometry: {
        type: 'LineString',
        coordinates: [
          [10, 50, 10_000],
          [10.5, 50, 10_000],
        ],
      },
      properties: {
        flight_id: 'x',
        time: '2024-02-29T06:10:00Z',
        waypoint: [103, 104],
        age: [5, 5],
        width: [123.5, 100],
        depth: [50, 60],
        tau: [0.12346, 0.2],
        rf_net: [-1.5, null],
        rf_lw: [0, 0],
        rf_sw: [0, 0],
        iwc: [0, 0],
        n_ice_per_m: [0, 0],
        segment_length: [0, 0],
        energy_forcing: [0.66667, 0],
      },
    });
  });

  test('has a line for each unbroken chain and none for a point alone', () => {
    const found = features([0, 1, 5, 7, 8, 9].map((waypoint) => point(waypoint, waypoint)));
    expect(found.map(({ properties }) => properties.waypoint)).toEqual([
      [100, 101],
      [107, 108, 109],
    ]);
  });

  test('is cut at the antimeridian, where both parts meet', () => {
    const found = features([point(0, 179, { width: 10 }), point(1, -179, { width: 20, latitude: 52 })]);
    expect(found.map(({ geometry }) => geometry.coordinates)).toEqual([
      [
        [179, 50, 10_000],
        [180, 51, 10_000],
      ],
      [
        [-180, 51, 10_000],
        [-179, 52, 10_000],
      ],
    ]);
    expect(found.map(({ properties }) => properties.width)).toEqual([
      [10, 15],
      [15, 20],
    ]);
  });

  test('has the values of each waypoint once, also where it is cut', () => {
    const found = features([point(0, 178), point(1, 179), point(2, -179), point(3, -178)]);
    expect(found.map(({ properties }) => properties.waypoint)).toEqual([
      [100, 101, null],
      [null, 102, 103],
    ]);
  });

  test('never jumps around the globe, and every list has one value for each position', () => {
    const longitudes = fc.array(fc.double({ min: -180, max: 180, noNaN: true }), {
      minLength: 2,
      maxLength: 20,
    });
    fc.assert(
      fc.property(longitudes, (values) => {
        for (const { geometry, properties } of features(values.map((longitude, i) => point(i, longitude)))) {
          const { coordinates } = geometry;
          expect(coordinates.length).toBeGreaterThanOrEqual(2);
          for (const name of ['waypoint', 'age', 'width', 'depth', 'tau', 'rf_net']) {
            expect(properties[name]).toHaveLength(coordinates.length);
          }
          for (const [i, [longitude]] of coordinates.entries()) {
            if (i > 0) expect(Math.abs(longitude - (coordinates[i - 1]?.[0] ?? 0))).toBeLessThanOrEqual(180);
          }
        }
      }),
    );
  });
});
