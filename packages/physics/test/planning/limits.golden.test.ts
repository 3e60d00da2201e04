import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findAircraftType } from '../../src/aircraft/types.ts';
import { levelFromAltitudeFt } from '../../src/atmosphere/isa.ts';
import { levelFlightMargins } from '../../src/planning/limits.ts';

interface Row {
  readonly aircraft_type: string;
  readonly flight_level: number;
  readonly air_temperature: number;
  readonly mach: number;
  readonly mass: number;
  readonly lift_limit_kg: number;
  readonly excess_thrust_coefficient: number;
  readonly lift: boolean;
  readonly thrust: boolean;
  readonly fl_max: number;
}

const FILE = new URL('../reference/planning/limits.json', import.meta.url);
const { rows } = JSON.parse(readFileSync(FILE, 'utf8')) as { rows: readonly Row[] };

test.each(rows)('$aircraft_type at FL $flight_level, Mach $mach, $mass kg', (row) => {
  const aircraft = findAircraftType(row.aircraft_type);
  const pressurePa = 100 * levelFromAltitudeFt(100 * row.flight_level);
  const { liftLimitKg, excessThrust } = levelFlightMargins(
    aircraft,
    pressurePa,
    row.air_temperature,
    row.mach,
    row.mass,
  );
  expect(Math.abs(liftLimitKg / row.lift_limit_kg - 1)).toBeLessThan(1e-6);
  expect(Math.abs(excessThrust - row.excess_thrust_coefficient)).toBeLessThan(1e-6);
  expect(row.mass > liftLimitKg).toBe(row.lift);
  expect(excessThrust < 0).toBe(row.thrust);
  expect(aircraft.maxFlightLevel).toBe(row.fl_max);
});
