import { expect, test } from 'vitest';
import { cruiseFuelFlowKgS } from '../../src/aircraft/cruise-point.ts';
import { findPerformanceType } from '../../src/aircraft/types.ts';
import { levelFromAltitudeFt } from '../../src/atmosphere/isa.ts';
import { levelFlightMargins } from '../../src/planning/limits.ts';
import { aircraftChoices } from '../../src/routing/choices.ts';

const Q_FUEL = 43.13e6;
const type = findPerformanceType('B77W');

/** Value of a table between its knots, as the search reads it. */
function between(
  choices: ReturnType<typeof aircraftChoices>,
  choice: number,
  temperature: number,
  mass: number,
): number {
  const { temperatureK: kelvins, massKg: masses, fuelFlowKgS: table } = choices;
  const [x, y] = [(temperature - kelvins.first) / kelvins.step, (mass - masses.first) / masses.step];
  const [i, j] = [Math.floor(x), Math.floor(y)];
  const at = (di: number, dj: number) =>
    table[(choice * kelvins.count + i + di) * masses.count + j + dj] as number;
  const row = (di: number) => at(di, 0) + (y - j) * (at(di, 1) - at(di, 0));
  return row(0) + (x - i) * (row(1) - row(0));
}

test('the fuel flow of the tables is that of the performance model within 0.01 %', () => {
  const levels = [290, 350, 390];
  const choices = aircraftChoices({ type, qFuelJKg: Q_FUEL, massKg: 300_000 }, levels, [0.82, 0.84]);
  let worst = 0;
  choices.flightLevels.forEach((flightLevel, choice) => {
    const pressurePa = 100 * levelFromAltitudeFt(100 * flightLevel);
    for (let temperature = 205.3; temperature < 235; temperature += 3.7) {
      for (let mass = 200_000; mass < 300_000; mass += 7300) {
        const mach = choices.mach[choice] as number;
        if (levelFlightMargins(type, pressurePa, temperature, mach, 1.02 * mass).excessThrust < 0) continue;
        const exact = cruiseFuelFlowKgS(type, mass, pressurePa, temperature, mach, Q_FUEL);
        worst = Math.max(worst, Math.abs(between(choices, choice, temperature, mass) / exact - 1));
      }
    }
  });
  expect(worst).toBeLessThan(1e-4);
});

test('the largest mass is where lift or thrust ends', () => {
  const choices = aircraftChoices({ type, qFuelJKg: Q_FUEL, massKg: 340_000 }, [390], [0.84]);
  const pressurePa = 100 * levelFromAltitudeFt(39_000);
  const { temperatureK, maxMassKg } = choices;
  for (let i = 0; i < temperatureK.count; i++) {
    const temperature = temperatureK.first + i * temperatureK.step;
    const limit = maxMassKg[i] as number;
    const margins = (mass: number) => levelFlightMargins(type, pressurePa, temperature, 0.84, mass);
    const isAllowed = (mass: number) => margins(mass).excessThrust >= 0 && mass <= margins(mass).liftLimitKg;
    expect(isAllowed(0.9999 * limit)).toBe(true);
    expect(isAllowed(1.0001 * limit)).toBe(false);
  }
});

test('every level is offered at every Mach number, at most the largest of the type', () => {
  const choices = aircraftChoices({ type, qFuelJKg: Q_FUEL, massKg: 300_000 }, [200, 350], [0.8, 0.84]);
  expect([...choices.flightLevels]).toEqual([200, 200, 350, 350]);
  expect([...choices.level]).toEqual([0, 0, 1, 1]);
  expect(choices.mach[3]).toBe(0.84);
  expect(choices.mach[1]).toBeLessThan(0.84);
});
