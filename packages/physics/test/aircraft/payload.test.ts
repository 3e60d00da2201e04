import { expect, test } from 'vitest';
import { cargoLoadFactor, estimatePayload } from '../../src/aircraft/index.ts';

const [MAX_PAYLOAD_KG, FLOWN_KM] = [50_000, 6000];
const factorOf = (known: object) =>
  estimatePayload({ aircraftType: 'B77W', ...known }, MAX_PAYLOAD_KG, Date.UTC(2024, 0, 1), FLOWN_KM)
    .cargoLoadFactor;

test('cargo load factors follow the distance between the airports, as they were collected', () => {
  const airports = { originAirportIcao: 'EGLL', destinationAirportIcao: 'KJFK' };
  const factor = factorOf({ ...airports, airportDistanceKm: 5540 });
  expect(factor).toBeCloseTo(0.406713086598, 11);
  expect(factorOf({ ...airports, airportDistanceKm: 5540, aircraftRole: 'Cargo' })).not.toBe(factor);
});

test('cargo load factors follow the flown distance where an airport is not given', () => {
  expect(factorOf({ originAirportIcao: 'EGLL' })).toBe(cargoLoadFactor('EGLL', undefined, FLOWN_KM, true));
});

test('cargo load factors are those of all distances where the place of an airport is unknown', () => {
  const airports = { originAirportIcao: 'EGLL', destinationAirportIcao: 'KZZZ' };
  expect(factorOf({ ...airports, airportDistanceKm: null })).toBe(
    cargoLoadFactor('EGLL', 'KZZZ', undefined, true),
  );
});
