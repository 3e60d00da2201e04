import type { Weather } from '@contrails/physics/cocip';
import type { FlightColumnName } from '@contrails/physics/flight';
import { sharedFloat64 } from '@contrails/runtime';
import { describe, expect, test } from 'vitest';
import { finishFlight } from '../../src/flights/finish-flight.ts';
import { followFlights } from '../../src/flights/follow-flights.ts';
import { outputColumns } from '../../src/flights/models.ts';
import { DEFAULT_TRAJECTORY_OPTIONS } from '../../src/flights/options.ts';
import { makeEvaluation, type OutputColumns, prepareFlight } from '../../src/flights/prepare-flight.ts';

const COUNT = 20;
/** Waypoints west of this have no wind in the weather. */
const CALM_WEST_OF = 5.05;

/** Moist air that is the same everywhere, but for a hole in its wind. */
const weather: Weather = {
  radiationPair: 'upward',
  sample([temperature, u, v, humidity, omega, cirrus], { longitude }, count) {
    for (let i = 0; i < count; i++) {
      const wind = (longitude[i] as number) < CALM_WEST_OF ? Number.NaN : 20;
      if (temperature !== undefined) temperature[i] = 216;
      if (u !== undefined) u[i] = wind;
      if (v !== undefined) v[i] = wind;
      if (humidity !== undefined) humidity[i] = 8e-5;
      if (omega !== undefined) omega[i] = 0;
      if (cirrus !== undefined) cirrus[i] = 0;
    }
  },
  sampleRadiation(shortwave, longwave, _, count) {
    shortwave.fill(200, 0, count);
    longwave.fill(240, 0, count);
  },
  locate: (places) => ({
    sample: (out, level, count) => weather.sample(out, { ...places, level }, count),
    sampleRadiation: (shortwave, longwave, count) =>
      weather.sampleRadiation(shortwave, longwave, { ...places, level: places.timeMs }, count),
  }),
};

function evaluate(given: Readonly<Partial<Record<FlightColumnName, number>>> = {}) {
  const column = (at: (i: number) => number) => {
    const values = sharedFloat64(COUNT);
    for (let i = 0; i < COUNT; i++) values[i] = at(i);
    return values;
  };
  const flight = {
    timeMs: column((i) => Date.UTC(2024, 1, 29, 6, i)),
    longitude: column((i) => 4.5 + 0.19 * i),
    latitude: column(() => 48),
    altitudeFt: column(() => 35_000),
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, column(() => value)])),
  };
  const includes = ['performance', 'met'] as const;
  const out = Object.fromEntries(
    outputColumns('cocip', includes).map((name) => [name, new Float64Array(COUNT)]),
  ) as Required<OutputColumns>;
  const evaluation = makeEvaluation(
    'cocip',
    { ...DEFAULT_TRAJECTORY_OPTIONS, includes, scaling: { name: 'none', options: {} } },
    weather,
  );
  const prepared = prepareFlight(
    { out, flight, about: { aircraftType: 'B738' }, indexInRequest: (i) => i, indexInAnswer: (i) => i },
    evaluation,
  );
  if (prepared === undefined) throw new TypeError('a flight with contrails has to be evaluated');
  const [contrails] = followFlights([prepared], evaluation, () => undefined);
  return { out, facts: finishFlight(prepared, contrails, evaluation) };
}

describe('wind that the weather does not have', () => {
  const { out, facts } = evaluate();
  const unknown = (column: Float64Array) =>
    Array.from(column.keys()).filter((i) => Number.isNaN(column[i] as number));

  test('stays unknown, and so does what depends on it', () => {
    for (const name of ['eastward_wind', 'northward_wind', 'initially_persistent'] as const) {
      expect([name, unknown(out[name])]).toEqual([name, [0, 1, 2]]);
    }
    for (const name of ['true_airspeed', 'fuel_flow', 'sac', 'nvpm_ei_n'] as const) {
      expect([name, unknown(out[name])]).toEqual([name, [0, 1, 2, COUNT - 1]]);
    }
    expect(unknown(out.rhi)).toEqual([]);
    expect(out.initially_persistent[5]).toBe(1);
  });

  test('is counted for a warning', () => {
    expect(facts.warnings?.windless).toBe(3);
  });

  test('may be brought along', () => {
    const known = evaluate({ eastwardWindMS: 20, northwardWindMS: 20 });
    expect(unknown(known.out.true_airspeed)).toEqual([COUNT - 1]);
    expect(known.facts.warnings?.windless).toBe(0);
  });
});
