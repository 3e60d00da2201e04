import { readFileSync } from 'node:fs';
import { openSynthetic } from '@contrails/testbed/weather';
import { expect, onTestFinished, test } from 'vitest';
import { type Engine, openEngine } from '../src/index.ts';

const REFERENCE = new URL('../../met/test/reference/cocip/', import.meta.url);
const FEET_PER_METRE = 1 / 0.3048;

interface ReferenceFlight {
  readonly attrs: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<'longitude' | 'latitude' | 'altitude' | 'time', number[]>>;
}

function readReference(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`cases/syn-01-a320-default/${path}`, REFERENCE), 'utf8'));
}

function referenceFlight() {
  const { flights } = readReference('flight.json') as { flights: [ReferenceFlight] };
  const { attrs, data } = flights[0];
  return {
    aircraft_type: attrs.aircraft_type,
    time: data.time,
    longitude: data.longitude,
    latitude: data.latitude,
    altitude: data.altitude.map((metres) => metres * FEET_PER_METRE),
  };
}

async function withEngine(weather: Parameters<typeof openEngine>[0]['weather']): Promise<Engine> {
  const engine = await openEngine({ weather, threads: 1 });
  onTestFinished(() => engine.close());
  return engine;
}

test('computes the energy forcing of a reference flight from weather files', async () => {
  const { totals } = readReference('case.json') as { totals: { ef_sum: number } };
  const engine = await withEngine(new URL('met/*.nc', REFERENCE).pathname);
  const answer = await engine.cocip(referenceFlight(), {
    humidity_scaling: 'none',
    dt_integration_minutes: 30,
    max_age_hours: 20,
  });
  const sum = (answer.energy_forcing as Float64Array).reduce((total, joules) => total + (joules || 0), 0);
  expect(sum / totals.ef_sum).toBeCloseTo(1, 5);
});

test('plans the levels of a flight', async () => {
  const engine = await withEngine([openSynthetic({ name: 'made-up', threads: 1 })]);
  const flight = {
    aircraft_type: 'A320',
    time: ['2026-01-15T10:00Z', '2026-01-15T11:00Z', '2026-01-15T12:00Z'],
    longitude: [-40, -29, -18],
    latitude: [50, 51, 52],
    altitude: [36_000, 36_000, 36_000],
  };
  const { rows } = await engine.plan('levels', flight, { flight_levels: [340, 380] });
  expect(rows).toHaveLength(3);
});

test('refuses an option that does not exist and lists those that do', async () => {
  const engine = await withEngine([openSynthetic({ name: 'made-up', threads: 1 })]);
  await expect(engine.cocip({}, { max_age: 3 })).rejects.toThrow(
    /there is no option max_age; the options are .*max_age_hours/,
  );
});

test('refuses weather whose ending names no format', async () => {
  await expect(openEngine({ weather: 'weather.txt' })).rejects.toThrow(/weather is weather.txt/);
});

test('names every field of a body that is wrong', async () => {
  const engine = await withEngine([openSynthetic({ name: 'made-up', threads: 1 })]);
  await expect(engine.cocip({ longitude: [1], latitude: ['north'] })).rejects.toMatchObject({
    errors: expect.arrayContaining([expect.objectContaining({ loc: expect.arrayContaining(['time']) })]),
  });
});
