import { expect, test } from 'vitest';
import type { FlightRow } from '../../src/inventory/day-table.ts';
import { savingOf } from '../../src/inventory/savings.ts';
import { DEFAULT_METRIC } from '../../src/shell/metric.ts';

const row = { id: '1', callsign: 'XAB1' } as FlightRow;
type Plan = Exclude<Parameters<typeof savingOf>[1], undefined | { problem: unknown }>;

const level = (flightLevel: number, co2eKg: number, fuelKg: number) => ({
  kind: 'level',
  flight_level: flightLevel,
  delta: { total_co2e_gwp100_kg: co2eKg, fuel_kg: fuelKg },
});

test('a saving is that of the chosen level', () => {
  const plan = {
    chosen: { kind: 'level', flight_level: 330, changes: null, cost: 1 },
    alternatives: [],
    rows: [level(310, -50, 20), level(330, -800, 35)],
  } as unknown as Plan;
  expect(savingOf(row, plan, DEFAULT_METRIC)).toEqual({ row, co2eKg: 800, fuelKg: 35, text: 'FL330' });
});

test('a profile with a change of level names both levels', () => {
  const plan = {
    chosen: { kind: 'profile', flight_level: null, changes: 1, cost: 1 },
    alternatives: [
      { changes: 1, levels: [{ flight_level: 350 }, { flight_level: 310 }], verified: level(350, -900, 10) },
    ],
    rows: [],
  } as unknown as Plan;
  expect(savingOf(row, plan, DEFAULT_METRIC)).toEqual({
    row,
    co2eKg: 900,
    fuelKg: 10,
    text: 'FL350, then FL310',
  });
});

test('a flight that is best as flown saves nothing, and a refused one says why', () => {
  const plan = { chosen: { kind: 'baseline' }, alternatives: [], rows: [] } as unknown as Plan;
  expect(savingOf(row, plan, DEFAULT_METRIC)).toMatchObject({ co2eKg: 0, text: 'No other level is better.' });
  const refused = { flight_id: '1', problem: { detail: 'the flight has no cruise' } } as Parameters<
    typeof savingOf
  >[1];
  expect(savingOf(row, refused, DEFAULT_METRIC)).toMatchObject({
    co2eKg: undefined,
    text: 'the flight has no cruise',
  });
});
