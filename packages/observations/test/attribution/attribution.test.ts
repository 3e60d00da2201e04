import { describe, expect, test } from 'vitest';
import {
  type AttributionState,
  addFlights,
  addFrame,
  attributionsOf,
  coverageOf,
  createState,
  decideChunks,
  decodeState,
  encodeState,
  prepareFlight,
  statusOf,
  type Winds,
} from '../../src/attribution/index.ts';
import { fullDisk } from '../../src/navigation/index.ts';
import { because, isPresent } from '../support/reference.ts';
import {
  expectedChunks,
  expectedSegments,
  SCENES,
  type SceneName,
  sceneFlights,
  sceneFrame,
  sceneWinds,
} from '../support/scenes.ts';

/** The scene's segments as expected, followed frame by frame; `between` may replace the state. */
async function attribute(
  scene: SceneName,
  between: (state: AttributionState) => AttributionState = (state) => state,
): Promise<AttributionState> {
  const winds = await sceneWinds(scene);
  let state = createState('goes-east');
  const flights = sceneFlights(scene);
  for (let k = 0; k < SCENES[scene]; k++) {
    const { time, grid } = sceneFrame(scene, k);
    addFlights(state, flights);
    addFrame(state, { time, grid, segments: expectedSegments(scene, k) }, winds);
    state = between(state);
  }
  return state;
}

/** Not stopped in between; the same for several tests. */
const attributed = new Map<SceneName, Promise<AttributionState>>();

function attributedScene(scene: SceneName): Promise<AttributionState> {
  const known = attributed.get(scene) ?? attribute(scene);
  attributed.set(scene, known);
  return known;
}

const attributedChunks = (state: AttributionState) =>
  decideChunks(state)
    .filter(({ isAttributed }) => isAttributed)
    .map(({ flight, detections, ...chunk }) => ({
      ...chunk,
      flight: state.flights[flight]?.flight,
      detections: detections.map(({ match }) => match.segment).sort(),
    }));

const calm: Winds = {
  sample(out, _points, count) {
    for (const column of [out.eastward, out.northward, out.omega]) column.fill(0, 0, count);
    out.temperature.fill(220, 0, count);
  },
};

describe('attribution', () => {
  test.skipIf(!isPresent).each(Object.keys(SCENES) as SceneName[])(
    `finds the chunks, evidence and detections expected of %s${because}`,
    async (scene) => {
      const found = attributedChunks(await attributedScene(scene));
      const expected = expectedChunks(scene);
      const right = expected.filter(({ flight, chunk, evidence, normal_wind_error, detections }) =>
        found.some(
          (other) =>
            other.flight === flight &&
            other.chunk === chunk &&
            Math.abs(other.evidence - evidence) < 0.2 &&
            Math.abs(other.windError - normal_wind_error) < 0.1 &&
            JSON.stringify(other.detections) === JSON.stringify([...detections].sort()),
        ),
      );
      // One point more or less at the end of a segment may decide on a chunk.
      expect(right.length / expected.length).toBeGreaterThan(0.98);
      expect(found.length).toBeLessThanOrEqual(expected.length * 1.02);
    },
  );

  test.skipIf(!isPresent)(`goes on from stored bytes as if it had not stopped${because}`, async () => {
    const restored = await attribute('scene-a', (state) => {
      const copy = decodeState(encodeState(state));
      if (copy === undefined) throw new Error('the bytes are not a state');
      return copy;
    });
    expect(attributedChunks(restored)).toEqual(attributedChunks(await attributedScene('scene-a')));
  });

  test('starts empty from bytes that are cut or damaged', () => {
    const bytes = encodeState(createState('goes-east'));
    for (let length = 0; length < bytes.length; length++) {
      expect(decodeState(bytes.subarray(0, length))).toBeUndefined();
    }
    expect(decodeState(bytes)).toEqual(createState('goes-east'));
  });

  test('goes on from bytes that are part of a larger Buffer', () => {
    const state = createState('goes-east');
    state.frames.push(Date.UTC(2024, 2, 7, 12));
    const file = Buffer.concat([Buffer.alloc(4), encodeState(state), Buffer.from('notes')]);
    expect(decodeState(file.subarray(4, -5))).toEqual(state);
  });

  test('counts the frames in which a chunk was in view, and forgets flights that are over', () => {
    const startMs = Date.UTC(2024, 2, 7, 12);
    const minutes = Array.from({ length: 60 }, (_, k) => k);
    const flight = prepareFlight({
      flight: 'XA~1~2024-03-07~BBX',
      timeMs: minutes.map((k) => startMs + k * 60_000),
      longitude: minutes.map((k) => -80 + 0.15 * k),
      latitude: minutes.map(() => 30),
      altitudeM: minutes.map(() => 11_000),
    });
    if ('reason' in flight) throw new Error(flight.reason);
    const state = createState('goes-east');
    addFlights(state, [flight]);
    const grid = fullDisk('goes-east');
    for (let k = 0; k <= 12; k++) {
      addFrame(state, { time: startMs + k * 600_000, grid, segments: [] }, calm);
    }
    const [followed] = state.flights;
    if (followed === undefined) throw new Error('the flight was forgotten');
    const coverage = coverageOf(followed);
    expect(coverage.coveredDistanceM).toBeCloseTo(coverage.analyzedDistanceM, 3);
    expect(statusOf(attributionsOf(followed, []), coverage)).toBe('not_observed');
    for (let k = 13; k <= 40; k++) {
      addFrame(state, { time: startMs + k * 600_000, grid, segments: [] }, calm);
    }
    expect(state.flights).toEqual([]);
    expect(state.points.count).toBe(0);
  });

  test('does not count what the satellite does not see', () => {
    const startMs = Date.UTC(2024, 2, 7, 12);
    const minutes = Array.from({ length: 30 }, (_, k) => k);
    const flight = prepareFlight({
      flight: 'XA~2~2024-03-07~BBX',
      timeMs: minutes.map((k) => startMs + k * 60_000),
      longitude: minutes.map((k) => 80 + 0.15 * k),
      latitude: minutes.map(() => 30),
      altitudeM: minutes.map(() => 11_000),
    });
    if ('reason' in flight) throw new Error(flight.reason);
    const state = createState('goes-east');
    addFlights(state, [flight]);
    for (let k = 0; k < 8; k++) {
      addFrame(state, { time: startMs + k * 600_000, grid: fullDisk('goes-east'), segments: [] }, calm);
    }
    const [followed] = state.flights;
    expect(followed && statusOf([], coverageOf(followed))).toBe('no_coverage');
  });
});

describe('flights', () => {
  const track = (count: number, altitudeM: number, stepMs = 30_000) => {
    const reports = Array.from({ length: count }, (_, k) => k);
    return {
      flight: 'XA~3~2024-03-07~BBX',
      timeMs: reports.map((k) => k * stepMs),
      longitude: reports.map((k) => 170 + 0.5 * k),
      latitude: reports.map(() => 50),
      altitudeM: reports.map(() => altitudeM),
    };
  };

  test('are resampled to whole minutes from their first report on, across the antimeridian', () => {
    const points = prepareFlight(track(61, 10_000));
    if ('reason' in points) throw new Error(points.reason);
    expect(Array.from(points.timeMs)).toEqual(Array.from({ length: 31 }, (_, k) => k * 60_000));
    expect(points.longitude.every((lon) => lon >= -180 && lon <= 200)).toBe(true);
  });

  test('are ordered, and reports without a value or twice are left out', () => {
    const { timeMs, longitude, latitude, altitudeM, flight } = track(40, 10_000, 60_000);
    const order = [...timeMs.keys()].reverse();
    const points = prepareFlight({
      flight,
      timeMs: [...order.map((k) => timeMs[k] as number), 60_000, 90_000],
      longitude: [...order.map((k) => longitude[k] as number), 0, 0],
      latitude: [...order.map((k) => latitude[k] as number), 0, Number.NaN],
      altitudeM: [...order.map((k) => altitudeM[k] as number), 10_000, 10_000],
    });
    expect('reason' in points ? 0 : points.timeMs.length).toBe(40);
  });

  test('that are low or short are not analysed', () => {
    expect(prepareFlight(track(60, 7000))).toEqual({ reason: '0 of at least 10 minutes are above 7500 m' });
    expect(prepareFlight(track(10, 9000))).toEqual({ reason: '5 of at least 10 minutes are above 7500 m' });
    expect(prepareFlight(track(0, 9000))).toHaveProperty('reason');
  });
});
