import { expect, test } from 'vitest';
import * as physics from '../support/physics.ts';
import { contrailsInUniformAir } from '../support/uniform-flight.ts';

test('contrails whose vertical velocity is missing have unknown energy and age, not none', () => {
  const known = contrailsInUniformAir(physics);
  const withContrail = known.energy.filter((energy) => energy !== 0).length;
  expect(withContrail).toBeGreaterThan(20);
  expect(known.adrift).not.toContain(1);

  const unknown = contrailsInUniformAir(physics, -180);
  expect(unknown.energy.filter(Number.isNaN).length).toBeGreaterThanOrEqual(withContrail);
  expect(unknown.ageS.filter(Number.isNaN)).toHaveLength(unknown.energy.filter(Number.isNaN).length);
});

test('a contrail that drifts to where the vertical velocity is missing is unknown too, others are not', () => {
  // Winds of 30 m/s carry a contrail by about a degree in an hour.
  const { energy } = contrailsInUniformAir(physics, -22);
  const known = contrailsInUniformAir(physics, -22 + 100).energy;
  expect(energy.some(Number.isNaN)).toBe(true);
  for (const [i, value] of energy.entries()) {
    if (!Number.isNaN(value)) expect(value).toBe(known[i]);
  }
});
