import { MINUTE_MS } from '@contrails/runtime';
import { expect, test } from 'vitest';
import { type FinishedStates, STATE_FIELDS } from '../../src/flights/contrail-states.ts';
import { contrailRuns } from '../../src/live/contrail-runs.ts';

const NOW_MS = Date.parse('2026-01-15T12:00Z');

/** The lines of points at given positions, one waypoint a minute; `null` is a waypoint without a contrail. */
function linesOf(positions: readonly (readonly [longitude: number, latitude: number] | null)[]) {
  const living = positions.flatMap((position, waypoint) =>
    position === null ? [] : [{ waypoint, position }],
  );
  const values = living.flatMap(({ position: [longitude, latitude] }) =>
    STATE_FIELDS.map((name) => ({ longitude, latitude, width: 1000, length: 14_000 })[name as 'width'] ?? 1),
  );
  const energy = new Float64Array(positions.length).fill(1);
  const states: FinishedStates = {
    offsets: Uint32Array.of(0, living.length),
    waypoint: Uint32Array.from(living, ({ waypoint }) => waypoint),
    values: Float64Array.from(values),
    soFar: energy,
    totals: Float64Array.of(positions.length),
    energyBefore: 0,
    endMs: NOW_MS,
  };
  const timeMs = energy.map((_, k) => NOW_MS - (positions.length - k) * MINUTE_MS);
  const sums = { lengthM: 0, coverM2: 0, netForcingW: 0 };
  const leg = { flightId: 'a', timeMs, energyForcing: energy, states, at: 0, atMs: NOW_MS };
  return { features: contrailRuns(leg, sums), sums };
}

function coordinatesOf(positions: Parameters<typeof linesOf>[0]) {
  return linesOf(positions).features.map(({ geometry }) =>
    geometry.coordinates.map(([longitude, latitude]) => [longitude, latitude]),
  );
}

test('each run of neighbouring waypoints is a line, and a point alone is none', () => {
  const { features, sums } = linesOf([[0, 50], [1, 50], null, [3, 50], null, [5, 50], [6, 50], [7, 50]]);
  expect(features.map(({ geometry }) => geometry.coordinates.length)).toEqual([2, 3]);
  expect(features.map(({ properties }) => properties.energy_forcing_so_far_j)).toEqual([2, 3]);
  expect(sums.lengthM).toBe(3 * 14_000);
});

test('a line is cut where it crosses the antimeridian, in both directions', () => {
  expect(
    coordinatesOf([
      [178, 50],
      [179, 51],
      [-179, 53],
      [-178, 54],
    ]),
  ).toEqual([
    [
      [178, 50],
      [179, 51],
      [180, 52],
    ],
    [
      [-180, 52],
      [-179, 53],
      [-178, 54],
    ],
  ]);
  expect(
    coordinatesOf([
      [-179.5, 10],
      [179.5, 10],
    ]),
  ).toEqual([
    [
      [-179.5, 10],
      [-180, 10],
    ],
    [
      [180, 10],
      [179.5, 10],
    ],
  ]);
});

test('points on the antimeridian itself keep their latitude', () => {
  for (const [first, second] of [
    [180, -180],
    [-180, 180],
  ] as const) {
    const lines = coordinatesOf([
      [first, 50],
      [second, 51],
      [second + Math.sign(first), 52],
    ]);
    expect(lines.flat(2).every(Number.isFinite)).toBe(true);
  }
});

test('no line over a pole or along the antimeridian leaves the map or spans half of it', () => {
  const overPole = [
    [20, 89.7],
    [10, 89.9],
    [-160, 89.9],
    [-165, 89.7],
    [-166, 89.5],
  ] as const;
  const nearPole = Array.from({ length: 20 }, (_, k) => [((k * 50 + 180) % 360) - 180, 89.8] as const);
  const along = [
    [179.9, 10],
    [-179.9, 11],
    [179.9, 12],
    [-179.9, 13],
    [179.9, 14],
  ] as const;
  for (const positions of [overPole, nearPole, along]) {
    const lines = coordinatesOf(positions);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      for (const [k, [longitude = Number.NaN, latitude = Number.NaN]] of line.entries()) {
        expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
        expect(Math.abs(latitude)).toBeLessThanOrEqual(90);
        if (k > 0) expect(Math.abs(longitude - (line[k - 1]?.[0] ?? 0))).toBeLessThanOrEqual(180);
      }
    }
  }
});
