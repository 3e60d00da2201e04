import { type Met, openMet } from '@contrails/met';
import { destinationLatitude, destinationLongitude } from '@contrails/physics/geodesy';
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import { openSynthetic } from '@contrails/testbed/weather';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Compute, openCompute } from '../../src/compute.ts';
import { LiveState } from '../../src/live/cycle.ts';
import { LiveTracks } from '../../src/live/tracks.ts';
import { NOW_MS, SETTINGS, WINDOW_MS } from './support/demo-sky.ts';

let compute: Compute;
let coarse: Met;
beforeAll(() => {
  compute = openCompute({ threads: 1, maxQueue: 100 });
  coarse = openMet({ sources: [openSynthetic({ name: 'demo', resolutionDeg: 10 })], memoryBytes: 2 ** 29 });
});
afterAll(() => Promise.all([compute.close(), coarse.close()]));

/** Cruises of an hour up to now, at all longitudes of the north. */
function stateWith(aircraft: number, latitudeOf = (k: number) => 35 + (k % 4) * 10): LiveState {
  const tracks = new LiveTracks(2 ** 24);
  for (let k = 0; k < aircraft; k++) addCruise(tracks, k, (k * 47) % 360, latitudeOf(k));
  return new LiveState(tracks, SETTINGS);
}

function addCruise(tracks: LiveTracks, k: number, longitude: number, latitude: number): void {
  const seconds = Float64Array.from({ length: 121 }, (_, row) => 30 * row - 3600);
  const count = seconds.length;
  const [unknown, nobody] = [seconds.map(() => Number.NaN), new Array<null>(count).fill(null)];
  const azimuth = (k * 37) % 360;
  const columns = {
    timestamp: seconds.map((second) => NOW_MS + 1000 * second),
    longitude: seconds.map((s) => destinationLongitude(longitude, latitude, azimuth, 235 * (s + 1800))),
    latitude: seconds.map((s) => destinationLatitude(latitude, azimuth, 235 * (s + 1800))),
    altitude_baro: seconds.map(() => 32_000 + 1000 * (k % 6)),
    altitude_gnss: unknown,
    icao_address: new Array<string>(count).fill((0x400000 + k).toString(16).toUpperCase()),
    collection_type: new Array<'terrestrial'>(count).fill('terrestrial'),
    aircraft_type_icao: new Array<string>(count).fill('A320'),
    ...{ flight_id: nobody, callsign: nobody, tail_number: nobody, flight_number: nobody },
    ...{ airline_iata: nobody, departure_airport_icao: nobody, arrival_airport_icao: nobody },
    ...{ departure_scheduled_time: unknown, arrival_scheduled_time: unknown, nic: unknown, nacp: unknown },
  };
  tracks.add({ source: 'test', columns, legFlag: new Uint8Array(count) }, NOW_MS - WINDOW_MS);
}

const servicesWith = (met: Met) => ({ met: { open: async () => met }, compute });

test('aircraft of a silent feed become stale, then go, and their contrails live on', async () => {
  const state = stateWith(30);
  const { flights, contrails, summary } = await state.run(servicesWith(coarse), NOW_MS);
  expect(flights.map(({ properties }) => properties.state)).toEqual(flights.map(() => 'airborne'));
  expect(contrails.length).toBeGreaterThan(0);
  const silent = await state.run(servicesWith(coarse), NOW_MS + 10 * MINUTE_MS);
  expect(silent.flights).toHaveLength(30);
  for (const { properties } of silent.flights) {
    expect(properties).toMatchObject({ state: 'stale', ahead: null, last_seen: '2026-01-15T12:00:20Z' });
  }
  expect(silent.summary).toMatchObject({ airborne: 0, newest_report: summary.newest_report });
  const gone = await state.run(servicesWith(coarse), NOW_MS + 40 * MINUTE_MS);
  expect(gone.flights).toEqual([]);
  expect(gone.contrails.length).toBeGreaterThan(0);
  for (const { properties } of gone.contrails) expect(properties.age_min_s).toBeGreaterThan(40 * 60);
}, 60_000);

test('a process that takes over gives flights the ids that were published, whatever it knows of them itself', async () => {
  const [first, other] = [stateWith(1), stateWith(1)];
  const { flights } = await first.run(servicesWith(coarse), NOW_MS);
  const publishedAs = (id: string) =>
    flights.map((feature) => ({ ...feature, id, properties: { ...feature.properties, id } }));
  other.recall(publishedAs('earlier'));
  other.recall(publishedAs('published'));
  const next = await other.run(servicesWith(coarse), NOW_MS);
  expect(next.flights.map(({ id }) => id)).toEqual(['published']);
}, 60_000);

test('a cycle uses one run of the weather, also when another one appears in its middle, and the next cycle that one', async () => {
  const clock = { nowMs: NOW_MS - 6 * HOUR_MS };
  const source = openSynthetic({ name: 'demo', resolutionDeg: 10, now: () => clock.nowMs });
  await using met = disposable(openMet({ sources: [source], memoryBytes: 2 ** 29 }));
  const opened: (number | undefined)[] = [];
  const watched = Object.assign(Object.create(met.value) as Met, {
    openWeather: (...[request, hooks]: Parameters<Met['openWeather']>) => {
      opened.push(request.referenceTime);
      // A new run, which whoever looks now is given.
      clock.nowMs = NOW_MS;
      met.value.catalogue.forget(source);
      return met.value.openWeather(request, hooks);
    },
  });
  const state = stateWith(5);
  const first = await state.run(servicesWith(watched), NOW_MS);
  expect(opened.length).toBeGreaterThan(1);
  expect(new Set(opened)).toEqual(new Set([first.run?.referenceTime]));
  opened.length = 0;
  const next = await state.run(servicesWith(watched), NOW_MS + MINUTE_MS);
  expect(next.run?.referenceTime).toBe((first.run?.referenceTime ?? 0) + 6 * HOUR_MS);
  expect(new Set(opened)).toEqual(new Set([next.run?.referenceTime]));
}, 60_000);

test('without weather the aircraft are listed, and what the models would find is unknown, not zero', async () => {
  await using met = disposable(openMet({ sources: [], memoryBytes: 2 ** 26 }));
  const { flights, contrails, summary } = await stateWith(3).run(servicesWith(met.value), NOW_MS);
  expect(flights).toHaveLength(3);
  for (const { properties } of flights) {
    expect(properties).toMatchObject({ persistent: null, ahead: null, state: 'airborne' });
    expect(properties).toMatchObject({ energy_forcing_so_far_j: null, energy_forcing_j: null });
  }
  expect(contrails).toEqual([]);
  expect(summary.weather).toBeNull();
});

test('flights over a pole and the antimeridian are followed like others', async () => {
  const state = stateWith(8, (k) => (k % 2 === 0 ? 89.5 : -89.9));
  for (let k = 8; k < 16; k++) addCruise(state.tracks, k, 180, 10 * k - 100);
  const { flights, contrails } = await state.run(servicesWith(coarse), NOW_MS);
  expect(flights).toHaveLength(16);
  for (const { geometry, properties } of flights) {
    expect(geometry.coordinates.every(Number.isFinite)).toBe(true);
    expect(properties.ground_speed_kt).toBeCloseTo(457, -1);
    expect(properties.energy_forcing_j).not.toBeNull();
  }
  for (const { geometry } of contrails) {
    geometry.coordinates.forEach(([longitude], k) => {
      const before = geometry.coordinates[k - 1]?.[0] ?? longitude;
      expect(Math.abs(longitude - before)).toBeLessThanOrEqual(180);
    });
  }
}, 60_000);

function disposable(value: Met) {
  return { value, [Symbol.asyncDispose]: () => value.close() };
}
