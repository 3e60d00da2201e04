import { describe, expect, test } from 'vitest';
import { addFlights, addFrame, createState, decideChunks } from '../src/attribution/index.ts';
import { ridgeDetector } from '../src/detect/ridge.ts';
import {
  assignedFlights,
  attributionScores,
  instanceScores,
  poolAttributions,
  poolCounts,
  scoreAttributions,
  scoreFrame,
  segmentEnds,
} from '../src/score/index.ts';
import { findSegments, type Segment, storedConfidence } from '../src/segments/index.ts';
import { because, isPresent } from './support/reference.ts';
import {
  expectedSegments,
  SCENES,
  type SceneName,
  sceneFlights,
  sceneFrame,
  sceneWinds,
  truthLines,
} from './support/scenes.ts';

const PIXEL_M = 2004;

/** Distance of the farther end [pixels]. */
function distance(a: Segment, b: Segment): number {
  const [p, q] = [coordinates(a), coordinates(b)];
  return Math.max(Math.hypot(p[0] - q[0], p[1] - q[1]), Math.hypot(p[2] - q[2], p[3] - q[3])) / PIXEL_M;
}

const coordinates = ({ wkt }: Segment) =>
  (wkt.match(/-?\d+/g) ?? []).map(Number) as [number, number, number, number];

async function scoreScene(scene: SceneName) {
  const detector = ridgeDetector();
  const winds = await sceneWinds(scene);
  const truth = truthLines(scene);
  const state = createState('goes-east');
  addFlights(state, sceneFlights(scene));
  const frames: ReturnType<typeof scoreFrame>[] = [];
  const segmentsOf: Segment[][] = [];
  for (let k = 0; k < SCENES[scene]; k++) {
    const frame = sceneFrame(scene, k);
    const { confidence, valid } = await detector.detect(frame);
    const segments = await findSegments({ ...frame, stored: storedConfidence(confidence, valid) });
    addFrame(state, { ...frame, segments }, winds);
    const found = segments.map(({ id, wkt }) => ({ id, ends: segmentEnds(wkt, frame.grid) }));
    frames.push(scoreFrame(found, truth[k] ?? []));
    segmentsOf.push(segments);
  }
  return {
    segmentsOf,
    counts: poolCounts(frames.map(({ counts }) => counts)),
    attribution: scoreAttributions(
      frames.flatMap(({ verdicts }) => verdicts),
      assignedFlights(state, decideChunks(state)),
    ),
  };
}

/** From imagery to attribution: what takes longest is done once for all tests. */
const scored = new Map<SceneName, ReturnType<typeof scoreScene>>();

function scoredScene(scene: SceneName): ReturnType<typeof scoreScene> {
  const known = scored.get(scene) ?? scoreScene(scene);
  scored.set(scene, known);
  return known;
}

describe.skipIf(!isPresent)(`scenes with known contrails${because}`, () => {
  test.each(Object.keys(SCENES) as SceneName[])(
    'segments of the frames of %s are reproduced from the imagery',
    async (scene) => {
      const { segmentsOf } = await scoredScene(scene);
      expect(segmentsOf).toHaveLength(SCENES[scene]);
      for (const [k, found] of segmentsOf.entries()) {
        const expected = expectedSegments(scene, k);
        const reproduced = expected.filter((segment) => found.some((other) => distance(segment, other) <= 3));
        expect(reproduced.length / expected.length, `frame ${k}`).toBeGreaterThanOrEqual(0.9);
      }
    },
  );

  test('scores of both scenes together reach what is published', async () => {
    const scenes = [await scoredScene('scene-a'), await scoredScene('scene-b')];
    const { precision, recall } = instanceScores(poolCounts(scenes.map(({ counts }) => counts)));
    expect(precision).toBeGreaterThanOrEqual(0.8);
    expect(recall).toBeGreaterThanOrEqual(0.68);
    const attribution = attributionScores(poolAttributions(scenes.map((scene) => scene.attribution)));
    expect(attribution.precision).toBeGreaterThanOrEqual(0.9);
    expect(attribution.recall).toBeGreaterThanOrEqual(0.82);
    // Each scene by itself, where a line is hit by the segments matched to it alone.
    const golden = { 'scene-a': [0.88, 0.7], 'scene-b': [0.93, 0.7] };
    Object.values(golden).forEach(([p, r], k) => {
      const scores = instanceScores(scenes[k]?.counts ?? poolCounts([]));
      expect(scores.precision).toBeCloseTo(p as number, 1);
      expect(scores.recall).toBeCloseTo(r as number, 1);
    });
  });
});
