import { computeTrajectories } from '@contrails/engine/flights/compute';
import type { RequestFleet } from '@contrails/engine/flights/fleet';
import { needsOf } from '@contrails/engine/flights/needs';
import { readFleet } from '@contrails/engine/flights/read-fleet';
import { NO_AIRFRAMES } from '@contrails/engine/inventory/aircraft';
import { fleetOf } from '@contrails/engine/inventory/fleet';
import { modelColumnsOf, modelFlights } from '@contrails/engine/inventory/model-flights';
import type { Rejection } from '@contrails/engine/inventory/rejection';
import { inventoryOptions } from '@contrails/engine/inventory/settings';
import { MODEL_COLUMNS, type ModelColumns, type ModelFacts } from '@contrails/flights/inventory';
import { type Met, openMet } from '@contrails/met';
import { HOUR_MS } from '@contrails/runtime';
import { openSynthetic } from '@contrails/testbed/weather';
import { afterAll, describe, expect, test } from 'vitest';
import { times } from '../../../../../test/support/effort.ts';
import { warmCompute } from '../../support/warm-services.ts';
import { DAY_START_MS, syntheticFlights } from './support.ts';

const MEBIBYTE = 2 ** 20;
const LOWEST_HPA = 850;
const OPTIONS = inventoryOptions('exponential_boost_latitude_customization', { maxAgeHours: 4 });
const made = openSynthetic({ name: 'made', resolutionDeg: 5, seed: 1 });
afterAll(() => made.close());

async function openWeather(memoryMib: number, endMs = Number.POSITIVE_INFINITY): Promise<Met> {
  const source = {
    ...made,
    close: async () => {},
    async describe() {
      const { runs, ...about } = await made.describe();
      return { ...about, runs: [{ times: runs[0]?.times.filter((time) => time <= endMs) ?? [] }] };
    },
  };
  const met = openMet({ sources: [source], memoryBytes: memoryMib * MEBIBYTE, threads: 2 });
  afterAll(() => met.close());
  return met;
}

type ModelledFlight = ModelFacts & { readonly columns: ModelColumns };

async function model(
  met: Met,
  flights: Parameters<typeof modelFlights>[1],
): Promise<Map<string, ModelledFlight | Rejection>> {
  const found = new Map<string, ModelledFlight | Rejection>();
  const services = { met: { open: async () => met }, compute: warmCompute };
  const settings = { options: OPTIONS, allowsForecast: false };
  for await (const { outcomes, minutes } of modelFlights(services, flights, NO_AIRFRAMES, settings)) {
    for (const [f, { flight, result }] of outcomes.entries()) {
      if ('code' in result) found.set(flight.flightId, result);
      else if (minutes === undefined) throw new Error(`${flight.flightId} has no minutes`);
      // The batch reuses nothing, but a copy is what a table would take.
      else found.set(flight.flightId, { ...result, columns: copyOf(modelColumnsOf(minutes, f)) });
    }
  }
  return found;
}

function copyOf(columns: ModelColumns): ModelColumns {
  return Object.fromEntries(
    MODEL_COLUMNS.map((name) => [name, Float64Array.from(columns[name])]),
  ) as ModelColumns;
}

describe('the models', () => {
  const flights = syntheticFlights(50);

  test('give a flight the same bits as a request for it alone', async () => {
    const met = await openWeather(1024);
    const some = flights.slice(0, times(12));
    const found = await model(met, some);
    expect(found.size).toBe(some.length);
    let forced = 0;
    for (const flight of some) {
      const result = found.get(flight.flightId) as ModelledFlight;
      expect(result, flight.flightId).toHaveProperty('columns');
      const { columns } = fleetOf(
        [{ flight, aircraft: { ...result, engineUid: result.engineUid, role: undefined } }],
        LOWEST_HPA,
      );
      const list = (column: Float64Array | undefined) =>
        Array.from(column ?? [], (value) => (Number.isNaN(value) ? null : value));
      const body = {
        longitude: list(flight.columns.longitude),
        latitude: list(flight.columns.latitude),
        altitude: list(flight.columns.altitudeFt),
        time: Array.from(flight.columns.timeMs, (ms) => new Date(ms).toISOString()),
        aircraft_type: result.aircraftType,
        engine_uid: result.engineUid,
        passenger_load_factor: result.passengerLoadFactor,
        cargo_load_factor: result.cargoLoadFactor,
        air_temperature: list(columns.airTemperatureK),
        specific_humidity: list(columns.specificHumidity),
        eastward_wind: list(columns.eastwardWindMS),
        northward_wind: list(columns.northwardWindMS),
      };
      const fleet = readFleet(body, needsOf('cocip', OPTIONS.includes)) as RequestFleet;
      const { answer } = await computeTrajectories(
        { met: { open: async () => met }, compute: warmCompute },
        { model: 'cocip', fleet, options: OPTIONS, unitWarnings: [] },
        {},
      );
      for (const name of MODEL_COLUMNS)
        expect(result.columns[name], `${flight.flightId} ${name}`).toEqual(answer[name]);
      const { coverage, species } = answer.climate as {
        readonly coverage: number;
        readonly species: Readonly<Record<'nox' | 'h2o', { atr20_k: number; co2e: { gwp100: number } }>>;
      };
      expect(result.climate, flight.flightId).toMatchObject({
        coverage,
        nox: { atr20K: species.nox.atr20_k, co2e: { gwp100: species.nox.co2e.gwp100 } },
        h2o: { atr20K: species.h2o.atr20_k, co2e: { gwp100: species.h2o.co2e.gwp100 } },
      });
      if (result.columns.energy_forcing.some((joules) => joules !== 0)) forced++;
    }
    expect(forced).toBeGreaterThan(2);
  });

  test('give the same bits when the memory for weather holds only a part of it', async () => {
    const few = flights.slice(0, 8);
    const ample = await model(await openWeather(1024), few);
    const scarce = await model(await openWeather(6), few);
    expect(scarce).toEqual(ample);
  });

  test('let flights wait for weather that ends before their contrails', async () => {
    const met = await openWeather(256, DAY_START_MS + 8 * HOUR_MS);
    const found = await model(met, flights);
    for (const flight of flights) {
      const lastMs = flight.columns.timeMs.at(-1) ?? 0;
      const isCovered = lastMs + 5 * HOUR_MS <= DAY_START_MS + 8 * HOUR_MS;
      const result = found.get(flight.flightId);
      expect(result !== undefined && 'code' in result ? result.code : 'ok').toBe(
        isCovered ? 'ok' : 'waiting_weather',
      );
    }
    expect([...found.values()].some((result) => 'code' in result)).toBe(true);
    expect([...found.values()].some((result) => !('code' in result))).toBe(true);
  });

  test('know the mass of a flight that was seen in part from the whole of it', async () => {
    const whole = flights.find(({ columns }) => columns.timeMs.length > 240);
    if (whole === undefined) throw new Error('no flight is long enough');
    const seenMinutes = whole.columns.timeMs.length / 2;
    const seen = Object.fromEntries(
      Object.entries(whole.columns).map(([name, column]) => [name, column.slice(0, seenMinutes)]),
    ) as unknown as typeof whole.columns;
    const half = { ...whole, columns: seen, isPartial: true };
    const found = await model(await openWeather(512), [
      whole,
      { ...half, flightId: 'bridged', unseen: ['arrival'] },
      { ...half, flightId: 'unbridged' },
    ]);
    const mass = (id: string) => (found.get(id) as ModelledFlight).columns.aircraft_mass;
    const expected = mass(whole.flightId)[0] as number;
    const deviation = (id: string) => Math.abs((mass(id)[0] as number) / expected - 1);
    expect(deviation('bridged')).toBeLessThan(0.005);
    expect(deviation('unbridged')).toBeGreaterThan(3 * deviation('bridged'));
    expect(mass('bridged')).toHaveLength(seen.timeMs.length);
    expect(found.get('bridged')).toMatchObject({ bridgedMassKg: mass('bridged')[0] });
    expect(found.get('unbridged')).toMatchObject({ bridgedMassKg: null });
  });

  test('name what is unknown of an aircraft', async () => {
    const [first, second] = flights as [(typeof flights)[0], (typeof flights)[0]];
    const found = await model(await openWeather(256), [
      { ...first, flightId: 'a', aircraftType: null },
      { ...second, flightId: 'b', aircraftType: 'C172' },
    ]);
    expect(found.get('a')).toMatchObject({ code: 'type_unknown' });
    expect(found.get('b')).toMatchObject({ code: 'type_unsupported' });
  });
});
