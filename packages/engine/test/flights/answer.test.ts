import { MINUTE_MS, sharedFloat64, sharedUint32 } from '@contrails/runtime';
import { finish, VALUES_PER_TURN } from '@contrails/runtime/turns';
import { expect, test } from 'vitest';
import { type Computed, makeAnswer } from '../../src/flights/answer.ts';
import { DEFAULT_TRAJECTORY_OPTIONS } from '../../src/flights/options.ts';
import { emptyResult } from '../../src/flights/run.ts';

/** A resampled flight whose waypoints are in the opposite order of the request. */
function computedOf(waypoints: number): Computed {
  const column = (value: (i: number) => number) => {
    const values = sharedFloat64(waypoints);
    for (let i = 0; i < waypoints; i++) values[i] = value(i);
    return values;
  };
  const offsets = sharedUint32(2);
  offsets[1] = waypoints;
  const requestIndex = sharedUint32(waypoints);
  for (let i = 0; i < waypoints; i++) requestIndex[i] = waypoints - 1 - i;
  const columns = {
    timeMs: column((i) => i * MINUTE_MS),
    longitude: column(() => 0),
    latitude: column(() => 50),
    altitudeFt: column(() => 35_000),
  };
  const fleet = { columns, offsets, attributes: [{}], requestIndex, flightId: 'one' };
  const options = { ...DEFAULT_TRAJECTORY_OPTIONS, resampleS: 60 };
  const result = emptyResult('sac', fleet, options);
  result.columns.sac?.set(column((i) => i));
  return { model: 'sac', fleet, options, unitWarnings: [], result, origins: [undefined] };
}

test('values are in the order of the request, with the times of resampled waypoints', () => {
  const { answer } = finish(makeAnswer(computedOf(3)));
  expect(answer.sac).toEqual(Float64Array.of(2, 1, 0));
  expect(answer.time).toEqual(['1970-01-01T00:00:00Z', '1970-01-01T00:01:00Z', '1970-01-01T00:02:00Z']);
});

test('the answer of a large fleet is made in parts', () => {
  const waypoints = 3 * VALUES_PER_TURN;
  const parts = [...makeAnswer(computedOf(waypoints))];
  expect(Math.max(...parts)).toBeLessThanOrEqual(VALUES_PER_TURN);
  expect(parts.reduce((sum, values) => sum + values, 0)).toBeGreaterThanOrEqual(2 * waypoints);
});
