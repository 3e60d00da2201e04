import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  hydrogenMassFactor,
  hydrogenNumberFactor,
  JET_A1,
  safBlend,
  withFuelProperties,
} from '../../src/emissions/index.ts';

interface FuelCase {
  readonly hydrogen_content: number;
  readonly sulphur_ppm: number;
  readonly ei_h2o: number;
  readonly ei_so2: number;
  readonly ei_sulphates: number;
  readonly nvpm: Readonly<Record<string, { readonly mass: number; readonly number: number }>>;
}

const cases: FuelCase[] = JSON.parse(
  readFileSync(new URL('../reference/climate/fuel.json', import.meta.url), 'utf8'),
);

test('hydrogen and sulphur change emissions as in the reference', () => {
  expect(cases).toHaveLength(7);
  for (const { hydrogen_content, sulphur_ppm, ei_h2o, ei_so2, ei_sulphates, nvpm } of cases) {
    const fuel = withFuelProperties(JET_A1, {
      hydrogenContentPercent: hydrogen_content,
      sulphurPpm: sulphur_ppm,
    });
    expectClose(fuel.eiH2o, ei_h2o);
    expectClose(fuel.eiSo2, ei_so2);
    expectClose(fuel.eiSulphates, ei_sulphates);
    for (const [thrust, { mass, number }] of Object.entries(nvpm)) {
      expectClose(hydrogenMassFactor(hydrogen_content, Number(thrust)), mass);
      expectClose(hydrogenNumberFactor(hydrogen_content, Number(thrust)), number);
    }
  }
});

test('a hydrogen content of 13.8 % changes no digit', () => {
  expect(withFuelProperties(JET_A1, { hydrogenContentPercent: 13.8 })).toEqual(JET_A1);
  expect(withFuelProperties(safBlend(30), {})).toEqual(safBlend(30));
});

test('given properties replace those of a blend', () => {
  const fuel = withFuelProperties(safBlend(50), { hydrogenContentPercent: 14, sulphurPpm: 100 });
  expect(fuel.hydrogenContentPercent).toBe(14);
  expect(fuel.eiSo2).toBeCloseTo(0.0002, 12);
  expect(fuel.qFuelJKg).toBe(safBlend(50).qFuelJKg);
});

function expectClose(actual: number, expected: number): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * expected);
}
