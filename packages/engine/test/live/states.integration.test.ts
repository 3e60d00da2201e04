import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Met } from '@contrails/met';
import {
  destinationLatitude,
  destinationLongitude,
  greatCirclePoint,
  haversineM,
} from '@contrails/physics/geodesy';
import { HOUR_MS, isoTime, MINUTE_MS } from '@contrails/runtime';
import { seededRandom } from '@contrails/testbed/weather/random';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Compute, openCompute } from '../../src/compute.ts';
import { type FinishedStates, STATE_FIELDS } from '../../src/flights/contrail-states.ts';
import { openTrajectories } from '../../src/flights/evaluate-bodies.ts';
import { LiveState } from '../../src/live/cycle.ts';
import { aircraftOf, chooseRun, type LegToRun, runLegs } from '../../src/live/run-legs.ts';
import { LiveTracks } from '../../src/live/tracks.ts';
import { demoMet, NOW_MS, SETTINGS, WINDOW_MS } from './support/demo-sky.ts';

let compute: Compute;
let met: Met;

beforeAll(() => {
  met = demoMet();
  compute = openCompute({ threads: 2, maxQueue: 1000 });
});
afterAll(async () => {
  await Promise.all([compute.close(), met.close()]);
});

const random = seededRandom(Number(process.env.TEST_SEED ?? 1));
const between = (low: number, high: number) => low + (high - low) * random();

/** A cruise along a great circle within the last four hours. */
function randomLeg(): LegToRun {
  const startMs = Math.ceil((NOW_MS - between(0.5, 4) * HOUR_MS) / MINUTE_MS) * MINUTE_MS;
  const count = Math.floor(between(20, (NOW_MS - startMs) / MINUTE_MS));
  const [longitude, latitude, azimuth] = [between(-180, 180), between(30, 65), between(0, 360)];
  const altitudeFt = 1000 * Math.round(between(31, 38));
  const metres = Float64Array.from({ length: count }, (_, k) => k * 60 * 235);
  return {
    minutes: {
      timeMs: metres.map((_, k) => startMs + k * MINUTE_MS),
      longitude: metres.map((distance) => destinationLongitude(longitude, latitude, azimuth, distance)),
      latitude: metres.map((distance) => destinationLatitude(latitude, azimuth, distance)),
      altitudeFt: metres.map(() => altitudeFt),
    },
    aircraft: { aircraftType: 'A320', engineUid: undefined, isAssumed: false },
  };
}

async function statesAt(
  legs: readonly LegToRun[],
  timesMs: readonly number[],
  dtIntegrationMinutes = SETTINGS.options.dtIntegrationMinutes,
) {
  const run = await chooseRun(met, legs, [NOW_MS - 4 * HOUR_MS, NOW_MS], SETTINGS.options);
  if (run === undefined) throw new Error('no weather');
  const options = { ...SETTINGS.options, contrailsAt: { atMs: timesMs }, dtIntegrationMinutes };
  return runLegs(met, compute, legs, run, options);
}

const FIELDS = STATE_FIELDS.length;
const RF_NET = STATE_FIELDS.indexOf('rfNet');

/** The values of each waypoint that lives at a time. */
function livingAt(states: FinishedStates | undefined, time: number): Map<number, Float64Array> {
  if (states === undefined) return new Map();
  const [from, to] = [states.offsets[time] as number, states.offsets[time + 1] as number];
  return new Map(
    Array.from(states.waypoint.subarray(from, to), (waypoint, k) => [
      waypoint,
      states.values.subarray(FIELDS * (from + k), FIELDS * (from + k + 1)),
    ]),
  );
}

/** The last half hour. */
const MINUTES_MS = Array.from(
  { length: 31 },
  (_, k) => Math.floor(NOW_MS / MINUTE_MS) * MINUTE_MS - (30 - k) * MINUTE_MS,
);

test('at a whole minute the state at now is that of a run with output of every minute, at every point', async () => {
  const legs = Array.from({ length: 60 }, randomLeg);
  const everyMinute = await statesAt(legs, MINUTES_MS);
  let compared = 0;
  for (const k of [3, 11, 20, 27]) {
    const alone = await statesAt(legs, [MINUTES_MS[k] as number]);
    for (const [f, result] of everyMinute.entries()) {
      const output = livingAt(result?.states, k);
      const now = livingAt(alone[f]?.states, 0);
      expect([...now.keys()]).toEqual([...output.keys()]);
      for (const [waypoint, values] of now) expect([...values]).toEqual([...(output.get(waypoint) ?? [])]);
      compared += now.size;
    }
  }
  expect(compared).toBeGreaterThan(20);
}, 60_000);

test('between two minutes every point lies on the line between the outputs: positions within 1 km, forcing within 2 % of its maximum', async () => {
  const legs = Array.from({ length: 120 }, randomLeg);
  const everyMinute = await statesAt(legs, MINUTES_MS);
  const seconds = MINUTES_MS.slice(0, -1).map(() => Math.round(between(1, 59)));
  const atNow = await statesAt(
    legs,
    seconds.map((second, k) => (MINUTES_MS[k] as number) + second * 1000),
  );
  let [compared, furthestM, largestShare] = [0, 0, 0];
  for (const [f, result] of everyMinute.entries()) {
    const output = MINUTES_MS.map((_, k) => livingAt(result?.states, k));
    const largest = new Map<number, number>();
    for (const living of output) {
      for (const [waypoint, values] of living) {
        const forcing = Math.abs(values[RF_NET] as number);
        largest.set(waypoint, Math.max(largest.get(waypoint) ?? 0, forcing));
      }
    }
    for (const [k, second] of seconds.entries()) {
      const living = livingAt(atNow[f]?.states, k);
      for (const [waypoint, now] of living) {
        const [a, b] = [output[k]?.get(waypoint), output[k + 1]?.get(waypoint)];
        if (a === undefined || b === undefined) throw new Error('a point lives at now and not in the output');
        const [lon0, lat0, lon1, lat1] = [a[0], a[1], b[0], b[1]] as [number, number, number, number];
        const place = greatCirclePoint(lon0, lat0, lon1, lat1, second / 60);
        furthestM = Math.max(furthestM, haversineM(...place, now[0] as number, now[1] as number));
        const [from, to] = [a[RF_NET] as number, b[RF_NET] as number];
        const off = Math.abs(from + (second / 60) * (to - from) - (now[RF_NET] as number));
        if (off > 0) largestShare = Math.max(largestShare, off / (largest.get(waypoint) as number));
        compared++;
      }
      // Whatever lives in both outputs lives between them.
      for (const waypoint of output[k + 1]?.keys() ?? [])
        if (output[k]?.has(waypoint)) expect(living.has(waypoint)).toBe(true);
    }
  }
  expect(compared).toBeGreaterThan(200);
  expect(furthestM).toBeLessThan(1000);
  expect(largestShare).toBeLessThan(0.02);
}, 60_000);

test('a state within the first step of a contrail is that of a run whose step ends there, bit for bit', async () => {
  const legs = Array.from({ length: 80 }, randomLeg);
  const lastMs = Math.floor(NOW_MS / (10 * MINUTE_MS)) * 10 * MINUTE_MS - 5 * MINUTE_MS;
  const times = Array.from({ length: 18 }, (_, k) => lastMs - (17 - k) * 10 * MINUTE_MS);
  const [within, ending] = [await statesAt(legs, times, 10), await statesAt(legs, times, 5)];
  let compared = 0;
  for (const [f, { minutes }] of legs.entries()) {
    for (const [k, atMs] of times.entries()) {
      const stepped = livingAt(ending[f]?.states, k);
      for (const [waypoint, values] of livingAt(within[f]?.states, k)) {
        const expected = stepped.get(waypoint);
        const formedMs = minutes.timeMs[waypoint] as number;
        if (expected === undefined || formedMs <= atMs - 5 * MINUTE_MS) continue;
        expect([...values]).toEqual([...expected]);
        compared++;
      }
    }
  }
  expect(compared).toBeGreaterThan(5);
}, 60_000);

test('energy forcing so far grows from nothing to exactly the whole at the end of life', async () => {
  const legs = Array.from({ length: 200 }, randomLeg);
  const results = await statesAt(legs, [NOW_MS + 24 * HOUR_MS]);
  let lived = 0;
  for (const result of results) {
    const whole = result?.columns.energy_forcing ?? new Float64Array();
    if (result?.states === undefined) continue;
    expect([...result.states.soFar]).toEqual([...whole]);
    expect(result.states.waypoint).toHaveLength(0);
    if (whole.some((value) => value !== 0)) lived++;
  }
  expect(lived).toBeGreaterThan(5);
  const before = await statesAt(legs, [NOW_MS - 24 * HOUR_MS]);
  for (const result of before)
    expect(result?.states?.soFar.every((value) => !(value !== 0)) ?? true).toBe(true);
}, 60_000);

test('energy within a step is shared linearly', async () => {
  const legs = Array.from({ length: 20 }, randomLeg);
  const stepMs = 5 * MINUTE_MS;
  const startMs = Math.floor(NOW_MS / stepMs) * stepMs - HOUR_MS;
  const times = [startMs, startMs + stepMs / 2, startMs + stepMs];
  for (const result of await statesAt(legs, times, 5)) {
    const [a = 0, b = 0, c = 0] = result?.states?.totals ?? [];
    // Contrails that form or end within the step are not linear in it.
    const alive = result?.states?.offsets;
    if (alive === undefined || alive[1] !== (alive[2] as number) - (alive[1] as number)) continue;
    if (alive[1] === (alive[3] as number) - (alive[2] as number)) expect(b).toBeCloseTo((a + c) / 2, -3);
  }
});

async function expectAsPosted(legs: readonly LegToRun[]): Promise<void> {
  let warming = 0;
  const results = await statesAt(legs, [NOW_MS]);
  const trajectories = await openTrajectories(
    { met: { open: async () => met }, compute },
    'cocip',
    SETTINGS.options,
    {},
  );
  for (const [k, { aircraft, minutes }] of legs.entries()) {
    const { answer } = await trajectories.evaluate({
      aircraft_type: aircraft.aircraftType,
      time: Array.from(minutes.timeMs, isoTime),
      longitude: [...minutes.longitude],
      latitude: [...minutes.latitude],
      altitude: [...minutes.altitudeFt],
    });
    const posted = [...(answer.energy_forcing as Float64Array)];
    expect([...(results[k]?.columns.energy_forcing ?? [])]).toEqual(posted);
    if (posted.some((value) => value !== 0 && !Number.isNaN(value))) warming++;
  }
  expect(warming).toBeGreaterThan(0);
}

test('200 random legs have the energy forcing of POST /v0/trajectory/cocip, bit for bit', async () => {
  await expectAsPosted(Array.from({ length: 200 }, randomLeg));
}, 60_000);

const REFERENCE = new URL('../../../../../shared/reference/flights/', import.meta.url);
const isPresent = existsSync(REFERENCE);

interface ReferenceTrack {
  readonly t_ms: readonly number[];
  readonly lon: readonly number[];
  readonly lat: readonly number[];
  readonly alt_m?: readonly number[];
  readonly alt_ft?: readonly number[];
}

/** Reports of every reference flight that is longer than half an hour. */
function referenceTracks(): ReferenceTrack[] {
  return ['resample', 'clean', 'split', 'heal'].flatMap((kind) =>
    readdirSync(new URL(`${kind}/`, REFERENCE)).flatMap((file) => {
      const { input } = JSON.parse(readFileSync(new URL(`${kind}/${file}`, REFERENCE), 'utf8')) as {
        input: ReferenceTrack;
      };
      return input.t_ms.length > 30 ? input : [];
    }),
  );
}

/** Part of a track as the live state builds it from reports up to now, which is a random moment of the flight. */
async function legsOfTrack(state: LiveState, track: ReferenceTrack, address: string): Promise<LegToRun[]> {
  const [firstMs, lastMs] = [track.t_ms[0] as number, track.t_ms.at(-1) as number];
  const shiftMs = Math.round(NOW_MS - between(firstMs + 0.3 * (lastMs - firstMs), lastMs));
  const timestamp = Float64Array.from(track.t_ms, (timeMs) => timeMs + shiftMs);
  const rows = [...timestamp.keys()].filter((row) => (timestamp[row] as number) <= NOW_MS);
  const take = (of: (row: number) => number) => Float64Array.from(rows, of);
  const repeat = <T>(value: T) => new Array<T>(rows.length).fill(value);
  const unknown = take(() => Number.NaN);
  const nobody = repeat(null);
  const columns = {
    timestamp: take((row) => timestamp[row] as number),
    longitude: take((row) => track.lon[row] as number),
    latitude: take((row) => track.lat[row] as number),
    altitude_baro: take((row) => track.alt_ft?.[row] ?? (track.alt_m?.[row] as number) / 0.3048),
    altitude_gnss: unknown,
    icao_address: repeat(address),
    collection_type: repeat('terrestrial' as const),
    aircraft_type_icao: repeat(['A320', 'B738', 'A333', 'B77W'][Math.floor(between(0, 4))] as string),
    ...{ flight_id: nobody, callsign: nobody, tail_number: nobody, flight_number: nobody },
    ...{ airline_iata: nobody, departure_airport_icao: nobody, arrival_airport_icao: nobody },
    ...{ departure_scheduled_time: unknown, arrival_scheduled_time: unknown, nic: unknown, nacp: unknown },
  };
  state.tracks.add({ source: 'test', columns, legFlag: new Uint8Array(rows.length) }, NOW_MS - WINDOW_MS);
  return (await state.legsOf(address, { compute })).flatMap((leg) => {
    const aircraft = aircraftOf(leg, SETTINGS.airframes);
    const { minutes } = leg;
    return minutes !== undefined && minutes.timeMs.length > 1 && aircraft ? { minutes, aircraft } : [];
  });
}

test.skipIf(!isPresent)(
  `200 random legs of reference flights have it too${isPresent ? '' : ' (skipped: ../shared/reference/flights is not here)'}`,
  async () => {
    const tracks = referenceTracks();
    const state = new LiveState(new LiveTracks(2 ** 28), SETTINGS);
    const legs: LegToRun[] = [];
    for (let k = 0; legs.length < 200; k++) {
      const track = tracks[Math.floor(between(0, tracks.length))] as ReferenceTrack;
      legs.push(...(await legsOfTrack(state, track, (0x400000 + k).toString(16).toUpperCase())));
    }
    await expectAsPosted(legs);
  },
  60_000,
);
