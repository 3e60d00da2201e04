import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readGivenRoute, solveGivenRoute } from '../../src/routing/given-route.ts';

interface Figures {
  readonly cost: number;
  readonly fuel_kg: number;
  readonly flight_time_s: number;
  readonly energy_forcing_j: number;
  readonly paid_j: number;
  readonly flight_level?: number;
  readonly path?: readonly (readonly [number, number])[];
  readonly longitude?: readonly number[];
  readonly latitude?: readonly number[];
}
interface Answer {
  readonly length_km: number;
  readonly stages: number;
  readonly optimum: Figures | null;
  readonly wind_optimal: Figures | null;
  readonly great_circle: Figures | null;
}

const FOLDER = new URL('../reference/routing/', import.meta.url);

function expectFigures(found: Figures | null, wanted: Figures | null | undefined): void {
  if (!wanted || !found) {
    expect(found).toBe(wanted ?? null);
    return;
  }
  for (const name of ['cost', 'fuel_kg', 'flight_time_s', 'paid_j'] as const)
    expect(Math.abs(found[name] / wanted[name] - 1), name).toBeLessThan(1e-9);
  expect(Math.abs(found.energy_forcing_j - wanted.energy_forcing_j)).toBeLessThan(
    1e-9 * (wanted.paid_j + 1e9),
  );
  expect(found.flight_level).toBe(wanted.flight_level);
  expect(found.path).toEqual(wanted.path);
  for (const axis of ['longitude', 'latitude'] as const)
    wanted[axis]?.forEach((value, i) => {
      expect(Math.abs((found[axis]?.[i] as number) - value)).toBeLessThan(1e-6);
    });
}

describe('reference cases of routes', () => {
  test.each(readdirSync(FOLDER))('%s gives the expected routes', (file) => {
    const { fields, expect: wanted } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as {
      fields: unknown;
      expect: Answer;
    };
    const found = solveGivenRoute(readGivenRoute(fields)) as unknown as Answer;
    expect(found.stages).toBe(wanted.stages);
    expect(Math.abs(found.length_km / wanted.length_km - 1)).toBeLessThan(1e-12);
    expectFigures(found.optimum, wanted.optimum);
    expectFigures(found.wind_optimal, wanted.wind_optimal);
    expectFigures(found.great_circle, wanted.great_circle);
  });
});
