import { haversineM } from '@contrails/physics/geodesy';
import { expect, test } from 'vitest';
import { bridgeFlight } from '../../src/inventory/bridge.ts';
import type { FlightAirport, InventoryFlight } from '../../src/inventory/inventory-flight.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2024, 1, 29, 12);
const airport = (longitude: number, latitude: number): FlightAirport => ({
  longitude,
  latitude,
  elevationFt: 500,
  country: null,
  continent: null,
});

/** Along the equator at 0.125° a minute (232 m/s), in cruise from 20° to 35° east. */
function cruise(about: Partial<InventoryFlight>): InventoryFlight {
  const count = 121;
  const column = (of: (i: number) => number) => Float64Array.from({ length: count }, (_, i) => of(i));
  return {
    flightId: 'a',
    icaoAddress: '4B1800',
    callsign: null,
    tailNumber: null,
    flightNumber: null,
    airlineIata: null,
    aircraftType: 'A320',
    departureIcao: null,
    arrivalIcao: null,
    departure: airport(10, 0),
    arrival: airport(40, 0),
    departureScheduledMs: null,
    arrivalScheduledMs: null,
    isPartial: true,
    unseen: [],
    grade: 'D',
    quality: 0,
    reportCount: count,
    usedCount: count,
    satelliteShare: 0,
    maxGapS: 60,
    firstReportMs: START_MS,
    lastReportMs: START_MS + (count - 1) * MINUTE_MS,
    columns: {
      timeMs: column((i) => START_MS + i * MINUTE_MS),
      longitude: column((i) => 20 + 0.125 * i),
      latitude: column(() => 0),
      altitudeFt: column(() => 35_000),
      gapS: column(() => 0),
      imputed: new Uint8Array(count),
    },
    ...about,
  };
}

test('bridges the way from an airport that was not seen, at the speed of the first minutes', () => {
  const flight = cruise({ unseen: ['departure'] });
  const bridged = bridgeFlight(flight);
  if (bridged === undefined) throw new Error('the flight was not bridged');
  const { columns, first } = bridged;
  // 10° at 0.125° a minute, without the minute of the airport itself where it is no whole one.
  expect(first).toBeGreaterThanOrEqual(79);
  expect(first).toBeLessThanOrEqual(80);
  expect(columns.timeMs).toHaveLength(first + 121);
  for (const name of ['timeMs', 'longitude', 'latitude', 'altitudeFt'] as const)
    expect(columns[name].slice(first), name).toEqual(
      name === 'altitudeFt' ? expect.anything() : flight.columns[name],
    );
  columns.altitudeFt.slice(first).forEach((feet) => void expect(feet).toBeCloseTo(35_000, 6));
  const metres = haversineM(
    columns.longitude[0] as number,
    columns.latitude[0] as number,
    columns.longitude[1] as number,
    columns.latitude[1] as number,
  );
  expect(metres / 60).toBeCloseTo(231.7, 0);
  // It climbs early: 34,500 ft at 2,500 ft/min.
  expect(columns.altitudeFt[0]).toBeLessThan(5_000);
  expect(columns.altitudeFt[20]).toBeCloseTo(35_000, 6);
});

test('bridges the way to an airport that was not seen', () => {
  const bridged = bridgeFlight(cruise({ unseen: ['arrival'] }));
  expect(bridged?.first).toBe(0);
  expect(bridged?.columns.timeMs.length).toBeGreaterThan(121 + 38);
  expect(bridged?.columns.altitudeFt.at(-1)).toBeLessThan(5_000);
});

test.each([
  ['that was seen as a whole', {}],
  ['whose airport is unknown', { unseen: ['departure'], departure: null }],
  ['whose airport is too far for any flight', { unseen: ['arrival'], arrival: airport(-160, 0) }],
] as const)('leaves a flight alone %s', (_, about) => {
  expect(bridgeFlight(cruise(about))).toBeUndefined();
});
