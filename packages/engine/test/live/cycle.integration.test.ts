import { setTimeout as sleep } from 'node:timers/promises';
import type { Met } from '@contrails/met';
import { HOUR_MS, isoTime, MINUTE_MS } from '@contrails/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Compute, openCompute } from '../../src/compute.ts';
import { openTrajectories } from '../../src/flights/evaluate-bodies.ts';
import { NO_AIRFRAMES } from '../../src/inventory/aircraft.ts';
import type { LiveCycle, LiveState } from '../../src/live/cycle.ts';
import { minutesSince } from '../../src/live/legs.ts';
import { aircraftOf, runLegs } from '../../src/live/run-legs.ts';
import { demoMet, demoState, NOW_MS, SETTINGS, WINDOW_MS } from './support/demo-sky.ts';

let compute: Compute;
let met: Met;
let state: LiveState;
let cycle: LiveCycle;
const services = () => ({ met: { open: async () => met }, compute });

beforeAll(async () => {
  met = demoMet();
  compute = openCompute({ threads: 2, maxQueue: 1000 });
  state = await demoState(NOW_MS, 500);
  cycle = await state.run(services(), NOW_MS, [NOW_MS - 20_000 - 10 * MINUTE_MS]);
}, 120_000);
afterAll(async () => {
  await Promise.all([compute.close(), met.close()]);
});

async function flownLegs() {
  const legs = [];
  for (const track of state.tracks.all()) {
    for (const leg of await state.legsOf(track.icaoAddress, { compute })) {
      const aircraft = aircraftOf(leg, NO_AIRFRAMES);
      const minutes = leg.minutes && minutesSince(leg.minutes, NOW_MS - WINDOW_MS);
      if (aircraft !== undefined && minutes !== undefined && minutes.timeMs.length > 1)
        legs.push({ leg, aircraft, minutes });
    }
  }
  return legs;
}

test('every leg of the traffic has the energy forcing of POST /v0/trajectory/cocip, bit for bit', async () => {
  const legs = await flownLegs();
  expect(legs.length).toBeGreaterThan(50);
  const run = cycle.run;
  if (run === undefined) throw new Error('no weather');
  const results = await runLegs(met, compute, legs, run, SETTINGS.options);
  const trajectories = await openTrajectories(services(), 'cocip', SETTINGS.options, {});
  let warming = 0;
  for (const [k, { aircraft, minutes }] of legs.entries()) {
    const { answer } = await trajectories.evaluate({
      aircraft_type: aircraft.aircraftType,
      time: Array.from(minutes.timeMs, isoTime),
      longitude: [...minutes.longitude],
      latitude: [...minutes.latitude],
      altitude: [...minutes.altitudeFt],
    });
    const posted = answer.energy_forcing as Float64Array;
    expect([...(results[k]?.columns.energy_forcing ?? [])]).toEqual([...posted]);
    if (posted.some((value) => value !== 0 && !Number.isNaN(value))) warming++;
  }
  expect(warming).toBeGreaterThan(5);
}, 120_000);

test('the cycle lists every aircraft that was seen, and contrails that last', () => {
  const { flights, contrails, summary } = cycle;
  expect(summary.aircraft).toBe(flights.length);
  expect(summary.airborne).toBeGreaterThan(10);
  expect(contrails.length).toBeGreaterThan(0);
  expect(summary.living_contrail_km).toBeGreaterThan(0);
  expect(summary.weather?.source).toBe('demo');
  const ids = contrails.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { properties } of contrails) {
    expect(properties.age_max_s).toBeGreaterThanOrEqual(properties.age_min_s);
    expect(properties.width_m).toBeGreaterThan(0);
  }
  const withAhead = flights.filter(({ properties }) => properties.ahead !== null);
  expect(withAhead.length).toBeGreaterThan(5);
});

test('an earlier minute has the flights and contrails of that time', () => {
  const [past] = cycle.past;
  expect(past?.flights.length).toBeGreaterThan(10);
  expect(past?.contrails.length).toBeGreaterThan(0);
  for (const { properties } of past?.contrails ?? []) {
    expect(Date.parse(properties.formed_to)).toBeLessThanOrEqual(past?.timeMs ?? 0);
  }
});

test('ids of flights stay when their first reports leave the window', async () => {
  const later = await state.run(services(), NOW_MS + 3 * HOUR_MS);
  const before = new Map(cycle.flights.map(({ properties }) => [properties.icao_address, properties.id]));
  for (const { properties } of later.flights) expect(properties.id).toBe(before.get(properties.icao_address));
  expect(later.flights).toEqual([]);
  expect(later.contrails.length).toBeGreaterThan(0);
});

test('where memory is too small for the weather of all flights, neighbours see theirs together', async () => {
  const small = demoMet(2 ** 24);
  try {
    const [one, other] = [await demoState(NOW_MS, 250), await demoState(NOW_MS, 250)];
    const [inParts, atOnce] = [await runOf(small, one), await runOf(met, other)];
    expect(forcingOf(inParts)).toEqual(forcingOf(atOnce));
    // The flight of a click has its own weather too.
    const [first] = inParts.flights;
    const icaoAddress = first?.properties.icao_address ?? '';
    const flightId = String(first?.id);
    const flight = await one.flight(
      { met: { open: async () => small }, compute },
      { icaoAddress, flightId },
      inParts.run,
      NOW_MS,
    );
    expect(flight?.feature.properties.energy_forcing_j).toBe(first?.properties.energy_forcing_j);
    // Where each flight would read the weather of all, it is read a hundred times.
    expect(small.statistics().misses).toBeLessThan(20 * 24);
  } finally {
    await small.close();
  }
}, 120_000);

function runOf(other: Met, of: LiveState): Promise<LiveCycle> {
  return of.run({ met: { open: async () => other }, compute }, NOW_MS);
}

function forcingOf({ flights }: LiveCycle): [string, number | null][] {
  return flights
    .map(({ id, properties }): [string, number | null] => [String(id), properties.energy_forcing_j])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

test('minutes that someone holds outlive the next cycle, and a flight can be asked for during it', async () => {
  const own = await demoState(NOW_MS, 100);
  const { flights, run } = await runOf(met, own);
  const nextMs = NOW_MS + MINUTE_MS;
  const { properties, id } = flights.find(({ properties: { energy_forcing_j: j } }) => j) ?? {};
  const icaoAddress = properties?.icao_address ?? '';
  const held = await own.legsOf(icaoAddress, { compute });
  const before = structuredClone(held);
  const all = flights.map((flight) => flight.properties.icao_address);
  const timestamp = Float64Array.from(all, () => NOW_MS + 20_000);
  own.tracks.addGround({ source: 'demo', timestamp, icaoAddress: all }, NOW_MS - WINDOW_MS);
  const [next, asked] = await Promise.all([
    own.run(services(), nextMs),
    own.flight(services(), { icaoAddress, flightId: String(id) }, run, nextMs),
  ]);
  expect(held).toEqual(before);
  expect(held.some(({ minutes }) => (minutes?.timeMs.length ?? 0) > 0)).toBe(true);
  expect(asked?.minutes?.timeMs.length).toBeGreaterThan(0);
  expect(asked?.feature.properties.energy_forcing_j).toBe(
    next.flights.find((flight) => flight.id === id)?.properties.energy_forcing_j,
  );
});

test('legs that are asked for while a cycle releases its own are whole', async () => {
  const own = await demoState(NOW_MS, 100);
  const addresses = [...own.tracks.all()].slice(0, 10).map(({ icaoAddress }) => icaoAddress);
  const lengths = async () =>
    Promise.all(
      addresses.map(async (address) =>
        (await own.legsOf(address, { compute })).map(({ minutes }) => minutes?.timeMs.length),
      ),
    );
  const before = await lengths();
  expect(before.flat().some((length) => length !== undefined && length > 0)).toBe(true);
  let isOver = false;
  const cycling = runOf(met, own).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    expect(await lengths()).toEqual(before);
    await sleep(20);
  }
  await cycling;
  expect(await lengths()).toEqual(before);
});

test('aircraft outside the box are not followed', async () => {
  const box = { minLon: -130, maxLon: 40, minLat: 20, maxLat: 65, crossesAntimeridian: false };
  const inBox = await demoState(NOW_MS, 500, 4, box);
  const everywhere = state.tracks;
  expect(inBox.tracks.size).toBeGreaterThan(10);
  expect(inBox.tracks.size).toBeLessThan(everywhere.size);
  for (const { newest } of inBox.tracks.all()) {
    expect(newest?.longitude).toBeGreaterThanOrEqual(-130);
    expect(newest?.longitude).toBeLessThanOrEqual(40);
    expect(newest?.latitude).toBeGreaterThanOrEqual(20);
  }
  const { run, flights } = await runOf(met, inBox);
  expect(flights.length).toBeGreaterThan(10);
  expect(run?.region?.arc.width).toBeLessThanOrEqual(170);
});
