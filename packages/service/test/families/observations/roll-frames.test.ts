import type { ChunkResult } from '@contrails/engine/attribution/results';
import {
  chunkResults,
  type FollowedChunks,
  MAX_AGE_MS,
  newRollState,
  type RollFrame,
  rollFrames,
  WINDOW_MS,
} from '@contrails/engine/attribution/roll-frames';
import type { MetField } from '@contrails/met';
import { type FlightPoints, prepareFlight, WIND_VARIABLES } from '@contrails/observations/attribution';
import { fullDisk, toScanAngle } from '@contrails/observations/navigation';
import type { Segment } from '@contrails/observations/segments';
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { times } from '../../../../../test/support/effort.ts';
import { allocateField } from '../../../../met/src/field/field.ts';

const START_MS = Date.UTC(2024, 2, 7, 12);
const STEP_MS = 10 * MINUTE_MS;
const FRAMES = 30;
const ALTITUDE_M = 11_000;
const grid = fullDisk('goes-east');

/** Flights side by side that end at different times; the last is too close to its neighbour to tell them apart. */
const flights = [20, 45, 60, 85, 100, 100].map((minutes, k) =>
  track(`flight ${k}`, START_MS - HOUR_MS, minutes, 30 + 0.3 * k - (k === 5 ? 0.25 : 0)),
);

function track(flight: string, startMs: number, minutes: number, latitude: number): FlightPoints {
  const times = Array.from({ length: minutes + 1 }, (_, k) => k);
  const points = prepareFlight({
    flight,
    timeMs: times.map((k) => startMs + k * MINUTE_MS),
    longitude: times.map((k) => -85 + 0.15 * k),
    latitude: times.map(() => latitude),
    altitudeM: times.map(() => ALTITUDE_M),
  });
  if ('reason' in points) throw new Error(points.reason);
  return points;
}

/** Air that does not move. */
function calm(): MetField {
  const field = allocateField(WIND_VARIABLES, {
    longitude: [-120, -40],
    latitude: [0, 60],
    level: [100, 500],
    time: [START_MS - 6 * HOUR_MS, START_MS + 12 * HOUR_MS],
  });
  const temperature = WIND_VARIABLES.indexOf('air_temperature');
  for (const slab of field.slabs) {
    for (let i = 0; i < slab.length; i++) slab[i] = i % WIND_VARIABLES.length === temperature ? 220 : 0;
  }
  return field;
}

/** The reports of a flight before and after a silence. */
function joined(before: FlightPoints, after: FlightPoints): FlightPoints {
  const both = (of: 'timeMs' | 'longitude' | 'latitude' | 'altitudeM') =>
    Float64Array.from([...before[of], ...after[of]]);
  return {
    flight: before.flight,
    timeMs: both('timeMs'),
    longitude: both('longitude'),
    latitude: both('latitude'),
    altitudeM: both('altitudeM'),
    distanceM: before.distanceM + after.distanceM,
  };
}

/** Every frame shows ten minutes of the exhaust of each flight. */
function frameAt(timeMs: number): RollFrame {
  return { timeMs, grid, segments: segmentsOf(flights, timeMs) };
}

function segmentsOf(of: readonly FlightPoints[], timeMs: number, ageMs = HOUR_MS): Segment[] {
  return of.flatMap(({ flight, timeMs: times, longitude, latitude }): Segment[] => {
    const place = times.findIndex((ms) => timeMs - ms < ageMs);
    if (place < 0 || place + 10 >= times.length) return [];
    const ends = [place, place + 10].map((i) => {
      const [x, y] = toScanAngle(grid, longitude[i] as number, latitude[i] as number, ALTITUDE_M - 120);
      return `${x * grid.height} ${y * grid.height}`;
    });
    return [segment(`${timeMs} ${flight}`, `LINESTRING (${ends.join(', ')})`)];
  });
}

function segment(id: string, wkt: string): Segment {
  return {
    ...{ id, wkt, time: '', scan_time: '', satellite: 'goes-east', crs: '', confidence: 1 },
    ...{ length_m: 150_000, length_px: 75, width_px: 2, orientation_deg: 90, azimuth_deg: 90 },
    ...{ pixel_count: 150, parallax_10km_m: [0, 0] },
  };
}

const frames = Array.from({ length: FRAMES }, (_, k) => frameAt(START_MS + k * STEP_MS));

/** The last report of every flight, and how often each was reported as final. */
function roll(isEnd: (frame: number) => boolean, taken: readonly RollFrame[] = frames) {
  const field = calm();
  let state = newRollState('goes-east');
  let batch: RollFrame[] = [];
  const last = new Map<string, FollowedChunks>();
  const finals: string[] = [];
  taken.forEach((frame, k) => {
    batch.push(frame);
    if (!isEnd(k) && k < taken.length - 1) return;
    // Telemetry is read as far back as exhaust is followed, and further.
    const sinceMs = (batch[0] as RollFrame).timeMs - WINDOW_MS - HOUR_MS;
    const known = flights.filter(({ timeMs }) => (timeMs.at(-1) as number) >= sinceMs);
    const made = rollFrames({ state: structuredClone(state), frames: batch, flights: known, field });
    state = made.state;
    for (const one of structuredClone(made.flights)) {
      last.set(one.flight, one);
      if (one.isFinal) finals.push(one.flight);
    }
    batch = [];
  });
  return { last, finals: finals.sort(), state };
}

describe('frames that are rolled', () => {
  const oneByOne = roll(() => true);

  test('give every flight one final report, with what was seen of it', () => {
    expect(oneByOne.finals).toEqual(flights.map(({ flight }) => flight));
    const reports = [...oneByOne.last.values()];
    expect(reports.every(({ isFinal, covered }) => isFinal && covered.some(Boolean))).toBe(true);
    expect(
      reports.some(({ decided }) => [...decided.values()].some(({ isAttributed }) => isAttributed)),
    ).toBe(true);
    const { attribution, decided, ended } = oneByOne.state;
    expect([attribution.flights.length, decided.size, ended.size]).toEqual([0, 0, 0]);
  });

  test('say the same however many are taken at once', () => {
    expect(roll(() => false)).toEqual(oneByOne);
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: FRAMES, maxLength: FRAMES }), (ends) => {
        expect(roll((k) => ends[k] as boolean)).toEqual(oneByOne);
      }),
      { numRuns: times(5) },
    );
  });

  test('say the same however many are taken at once when some are missing', () => {
    const some = frames.filter((_, k) => k < 9 || k > 15);
    const expected = roll(() => true, some);
    expect(roll(() => false, some)).toEqual(expected);
    expect(roll((k) => k % 4 === 0, some)).toEqual(expected);
    expect(expected.finals).toEqual(flights.map(({ flight }) => flight));
  });

  test('keep what was decided of a flight that resumes after it was forgotten', () => {
    const field = calm();
    const before = track('silent', START_MS - HOUR_MS, 60, 31.5);
    const first = rollFrames({
      ...{ state: newRollState('goes-east'), flights: [before], field },
      frames: frames.slice(0, 6).map((frame) => ({ ...frame, segments: segmentsOf([before], frame.timeMs) })),
    });
    const seen = first.flights.find(({ flight }) => flight === 'silent') as FollowedChunks;
    const stored = chunkResults(before, seen);
    expect(stored.some(({ isAttributed }) => isAttributed)).toBe(true);
    expect(stored.some(({ isCovered }) => isCovered)).toBe(true);

    // Eight hours later it is reported again, to a state that has forgotten it.
    const laterMs = START_MS + 8 * HOUR_MS;
    const after = joined(before, track('silent', laterMs - HOUR_MS, 60, 32.5));
    const resume = (resumed?: ReadonlyMap<string, readonly ChunkResult[]>) => {
      const frame = { timeMs: laterMs, grid, segments: [] };
      const taken = { state: newRollState('goes-east'), flights: [after], frames: [frame], field };
      const made = rollFrames(resumed === undefined ? taken : { ...taken, resumed });
      // The state keeps it, so the turns after this one know it too.
      const next = { ...frame, timeMs: laterMs + STEP_MS };
      return rollFrames({ state: structuredClone(made.state), flights: [after], frames: [next], field });
    };
    const chunksOf = ({ flights: made }: ReturnType<typeof rollFrames>) =>
      chunkResults(after, made[0] as FollowedChunks).slice(0, stored.length - 1);
    expect(chunksOf(resume(new Map([['silent', stored]])))).toEqual(stored.slice(0, -1));
    expect(chunksOf(resume()).some(({ isCovered, isAttributed }) => isCovered || isAttributed)).toBe(false);
    // Chunks of another beginning are not those of the flight.
    const moved = stored.map((chunk) => ({ ...chunk, startMs: chunk.startMs + MINUTE_MS }));
    expect(chunksOf(resume(new Map([['silent', moved]])))).toEqual(chunksOf(resume()));
  });

  test('place a contrail in the last frame that shows it, also when it is attributed in a later one', () => {
    const field = calm();
    const first = flights[4] as FlightPoints;
    const shown = rollFrames({
      ...{ state: newRollState('goes-east'), flights: [first], field },
      frames: frames.slice(0, 3).map((frame) => ({ ...frame, segments: segmentsOf([first], frame.timeMs) })),
    });
    const contrailsOf = ({ flights: made }: ReturnType<typeof rollFrames>) =>
      Array.from(made[0]?.decided ?? [], ([k, { isAttributed, detections, contrail }]) => ({
        k,
        isAttributed,
        lastMs: Math.max(...detections.map(({ frameMs }) => frameMs)),
        contrail,
      }));
    const before = structuredClone(contrailsOf(shown)).filter(({ isAttributed }) => isAttributed);
    expect(before.length).toBeGreaterThan(0);
    // As if another flight had explained the frames better until now.
    const state = structuredClone(shown.state);
    for (const [k, chunk] of state.decided.get(first.flight) ?? []) {
      state.decided.get(first.flight)?.set(k, { ...chunk, isAttributed: false, contrail: null });
    }
    const later = { timeMs: START_MS + 3 * STEP_MS, grid, segments: [] };
    const after = contrailsOf(rollFrames({ state, flights: [first], frames: [later], field }));
    for (const one of before) {
      const same = after.find(({ k }) => k === one.k);
      expect(same?.contrail?.timeMs).toBe(one.lastMs);
      expect(same?.contrail?.line).toHaveLength(one.contrail?.line.length ?? 0);
      for (const [p, position] of (same?.contrail?.line ?? []).entries()) {
        const [lon, lat, height] = one.contrail?.line[p] ?? [];
        expect(position[0]).toBeCloseTo(lon ?? Number.NaN, 4);
        expect(position[1]).toBeCloseTo(lat ?? Number.NaN, 4);
        expect(Math.abs(position[2] - (height ?? Number.NaN))).toBeLessThanOrEqual(1);
      }
    }
  });

  test('leave the minutes that are still to be flown out of a contrail', () => {
    const long = flights[4] as FlightPoints;
    const timeMs = START_MS + STEP_MS / 2;
    const made = rollFrames({
      ...{ state: newRollState('goes-east'), flights: [long], field: calm() },
      frames: [{ timeMs, grid, segments: segmentsOf([long], timeMs, 15 * MINUTE_MS) }],
    });
    const contrails = [...(made.flights[0]?.decided.values() ?? [])].flatMap(
      ({ contrail }) => contrail ?? [],
    );
    expect(contrails.length).toBeGreaterThan(0);
    // Rows at this latitude are scanned before.
    const scanned = long.timeMs.findLastIndex((ms) => ms < timeMs + 4 * MINUTE_MS);
    for (const [lon] of contrails.flatMap(({ line }) => line)) {
      expect(lon).toBeLessThan(long.longitude[scanned] as number);
    }
    expect(long.timeMs.at(-1)).toBeGreaterThan(timeMs + STEP_MS);
  });

  test('without weather and exhaust still end flights', () => {
    const { state } = roll(() => true, frames.slice(0, 5));
    const timeMs = START_MS + 2 * HOUR_MS + MAX_AGE_MS;
    const made = rollFrames({ state, frames: [{ timeMs, grid, segments: [] }], flights: [], field: null });
    expect(made.flights.map(({ flight, isFinal }) => [flight, isFinal])).toEqual(
      flights.map(({ flight }) => [flight, true]),
    );
  });
});
