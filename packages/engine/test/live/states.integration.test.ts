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
import type { LegToRun } from '../../src/live/run-legs.ts';
import { chooseRun, runLegs } from '../../src/live/run-legs.ts';
import { demoMet, NOW_MS, SETTINGS } from './support/demo-sky.ts';

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
  const options = { ...SETTINGS.options, contrailsAtMs: timesMs, dtIntegrationMinutes };
  return runLegs(met, compute, legs, run, options);
}

const FIELDS = STATE_FIELDS.length;
const RF_NET = STATE_FIELDS.indexOf('rfNet');

test('a state between steps of five minutes lies within 1 km and, on average, 2 % of the maximum forcing', async () => {
  const legs = Array.from({ length: 100 }, randomLeg);
  const startMs = Math.floor(NOW_MS / (5 * MINUTE_MS)) * 5 * MINUTE_MS - 5 * MINUTE_MS;
  const at = 2;
  const timesMs = [startMs, startMs + at * MINUTE_MS, startMs + 5 * MINUTE_MS];
  const results = await statesAt(legs, timesMs, 1);
  const known = (states: FinishedStates, time: number) => {
    const [from, to] = [states.offsets[time] as number, states.offsets[time + 1] as number];
    return new Map(
      Array.from(states.waypoint.subarray(from, to), (waypoint, k) => [
        waypoint,
        states.values.subarray(FIELDS * (from + k), FIELDS * (from + k + 1)),
      ]),
    );
  };
  let [compared, worstM, sum, maxForcing] = [0, 0, 0, 0];
  for (const { states } of results.flatMap((result) => result ?? [])) {
    if (states === undefined) continue;
    const [before, truth, after] = [known(states, 0), known(states, 1), known(states, 2)];
    for (const [waypoint, found] of truth) {
      const [a, b] = [before.get(waypoint), after.get(waypoint)];
      if (a === undefined || b === undefined) continue;
      const number = (values: Float64Array, k: number) => values[k] as number;
      const place = greatCirclePoint(number(a, 0), number(a, 1), number(b, 0), number(b, 1), at / 5);
      const forcing = number(a, RF_NET) + (at / 5) * (number(b, RF_NET) - number(a, RF_NET));
      worstM = Math.max(worstM, haversineM(...place, number(found, 0), number(found, 1)));
      sum += Math.abs(forcing - number(found, RF_NET));
      maxForcing = Math.max(maxForcing, Math.abs(number(found, RF_NET)));
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(20);
  expect(worstM).toBeLessThan(1000);
  expect(sum / compared / maxForcing).toBeLessThan(0.02);
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

test('200 random legs have the energy forcing of POST /v0/trajectory/cocip, bit for bit', async () => {
  const legs = Array.from({ length: 200 }, randomLeg);
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
    expect([...(results[k]?.columns.energy_forcing ?? [])]).toEqual([
      ...(answer.energy_forcing as Float64Array),
    ]);
  }
}, 60_000);
