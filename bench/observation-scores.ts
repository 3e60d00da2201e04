/**
 * Scores of the detectors that need no model, and of attribution, on synthetic scenes, as `docs/observations.md` publishes
 * them: one row for each group of scenes, with confidence intervals, then what the detectors differ by on the same scenes.
 * Scenes of the set `held-out` are not used for any choice; those of `development` are.
 *
 * Usage: node bench/observation-scores.ts [held-out | development | varied] [scenes of each group] [-v]
 */
import {
  addFlights,
  addFrame,
  createState,
  decideChunks,
  prepareFlight,
  type Winds,
} from '@contrails/observations/attribution';
import { type Detector, ridgeDetector, ridgeLongDetector } from '@contrails/observations/detect';
import {
  type AttributionCounts,
  assignedFlights,
  attributionScores,
  type InstanceCounts,
  instanceScores,
  pixelScores,
  poolAttributions,
  poolCounts,
  scoreAttributions,
  scoreFrame,
  segmentEnds,
} from '@contrails/observations/score';
import { findSegments, storedConfidence } from '@contrails/observations/segments';
import { type Scene, type SceneFrame, toPlane } from '@contrails/testbed/sky';
import {
  isSceneSet,
  SCENE_FRAMES,
  SCENE_GROUPS,
  SCENE_SIZE,
  SCENE_START_MS,
  sceneOf,
} from './support/scenes.ts';

/** The first is what the others are compared with. */
const DETECTORS: readonly { readonly label: string; readonly detector: Detector }[] = [
  { label: 'ridge', detector: ridgeDetector() },
  { label: 'ridge-long', detector: ridgeLongDetector() },
  { label: 'ridge without lines that stand still', detector: ridgeDetector({ skipsStationary: true }) },
];

interface SceneCounts {
  readonly instances: InstanceCounts;
  /** False segments that do lie on a contrail: one that is too faint to count as true. */
  readonly faint: number;
  readonly attributions: AttributionCounts;
  readonly images: readonly { readonly stored: Uint8Array; readonly truth: Uint8Array }[];
}

/** The winds that a forecast of the scene would have, without a grid between. */
function windsOf({ plane, winds }: Scene): Winds {
  return {
    sample(out, { longitude, latitude, level, timeMs }, count) {
      for (let i = 0; i < count; i++) {
        const [x, y] = toPlane(plane, longitude[i] as number, latitude[i] as number);
        const hPa = level[i] as number;
        const seconds = ((timeMs[i] as number) - SCENE_START_MS) / 1000;
        const [u, v] = winds.model(x, y, hPa, seconds);
        out.eastward[i] = u;
        out.northward[i] = v;
        out.omega[i] = winds.omega(x, y, seconds);
        out.temperature[i] = winds.temperature(x, y, hPa);
      }
    },
  };
}

async function scoreScene(
  scene: Scene,
  frames: readonly SceneFrame[],
  detector: Detector,
): Promise<SceneCounts> {
  const state = createState(scene.settings.satellite);
  const tracks = scene.flights.map(prepareFlight);
  addFlights(
    state,
    tracks.flatMap((track) => ('reason' in track ? [] : [track])),
  );
  const winds = windsOf(scene);
  const scored: ReturnType<typeof scoreFrame>[] = [];
  const images: { stored: Uint8Array; truth: Uint8Array }[] = [];
  let faint = 0;
  for (const [k, { frame, lines, mask, cooling12 }] of frames.entries()) {
    const earlier = frames.slice(0, k).map((one) => one.frame);
    const { confidence, valid } = await detector.detect(frame, earlier);
    const stored = storedConfidence(confidence, valid);
    const segments = await findSegments({ ...frame, stored });
    addFrame(state, { ...frame, segments }, winds);
    const found = segments.map(({ id, wkt }) => ({ id, ends: segmentEnds(wkt, frame.grid) }));
    const scores = scoreFrame(found, lines);
    scored.push(scores);
    faint += found.filter(
      ({ ends }, i) => scores.verdicts[i]?.kind === 'false' && isOnContrail(ends, cooling12),
    ).length;
    images.push({ stored, truth: mask });
  }
  return {
    instances: poolCounts(scored.map(({ counts }) => counts)),
    faint,
    attributions: scoreAttributions(
      scored.flatMap(({ verdicts }) => verdicts),
      assignedFlights(state, decideChunks(state)),
    ),
    images,
  };
}

const MIN_COOLING_K = 0.15;
const MIN_SHARE = 0.6;
const SAMPLES = 50;

/** Whether most of a segment lies where contrails cool the image. */
function isOnContrail([a, b]: ReturnType<typeof segmentEnds>, cooling12: Float32Array): boolean {
  let count = 0;
  for (let k = 0; k < SAMPLES; k++) {
    const t = (k + 0.5) / SAMPLES;
    const column = Math.round(a[0] + t * (b[0] - a[0]));
    const row = Math.round(a[1] + t * (b[1] - a[1]));
    if ((cooling12[row * SCENE_SIZE + column] ?? 0) >= MIN_COOLING_K) count++;
  }
  return count >= MIN_SHARE * SAMPLES;
}

function summary(scenes: readonly SceneCounts[]) {
  const { precision, recall, lengthPrecision, lengthRecall } = instanceScores(
    poolCounts(scenes.map(({ instances }) => instances)),
  );
  const attribution = attributionScores(poolAttributions(scenes.map(({ attributions }) => attributions)));
  return {
    precision,
    recall,
    lengthPrecision,
    lengthRecall,
    attributionPrecision: attribution.precision,
    attributionRecall: attribution.recall,
  };
}

/** Fewer scenes have no interval. */
const MIN_SCENES = 5;

/** Scenes are resampled, because the lines of a scene are alike: 95 % of the results lie between these. */
function interval(count: number, of: (drawn: readonly number[]) => number): [number, number] {
  let state = 1;
  const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const values = Array.from({ length: 2000 }, () =>
    of(Array.from({ length: count }, () => Math.floor(draw() * count))),
  ).sort((a, b) => a - b);
  return [values[50] as number, values[1949] as number];
}

type Score = keyof ReturnType<typeof summary>;

function scoreOf(scenes: readonly SceneCounts[], drawn: readonly number[], of: Score): number {
  return summary(drawn.map((k) => scenes[k] as SceneCounts))[of] ?? 0;
}

function withInterval(value: number, count: number, of: (drawn: readonly number[]) => number): string {
  if (count < MIN_SCENES) return value.toFixed(2);
  const [low, high] = interval(count, of);
  return `${value.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

/** What a detector has more than another, drawn on the same scenes. */
function difference(scenes: readonly SceneCounts[], others: readonly SceneCounts[]): Record<string, string> {
  const every = Array.from(scenes.keys());
  const names = Object.keys(summary(scenes)) as Score[];
  return Object.fromEntries(
    names.map((name) => {
      const of = (drawn: readonly number[]) => scoreOf(scenes, drawn, name) - scoreOf(others, drawn, name);
      return [name, withInterval(of(every), scenes.length, of)];
    }),
  );
}

function row(scenes: readonly SceneCounts[]): Record<string, string | number> {
  const found = summary(scenes);
  const shown = (of: Score) =>
    withInterval(found[of] ?? Number.NaN, scenes.length, (drawn) => scoreOf(scenes, drawn, of));
  const counts = poolCounts(scenes.map(({ instances }) => instances));
  const auc = pixelScores(scenes.flatMap(({ images }) => images)).aucPr ?? Number.NaN;
  return {
    scenes: scenes.length,
    frames: scenes.length * SCENE_FRAMES,
    segments: counts.predicted,
    faint: scenes.reduce((sum, { faint }) => sum + faint, 0),
    lines: counts.observable,
    precision: shown('precision'),
    recall: shown('recall'),
    'length P': shown('lengthPrecision'),
    'length R': shown('lengthRecall'),
    'AUC-PR': auc.toFixed(2),
    'attribution P': shown('attributionPrecision'),
    'attribution R': shown('attributionRecall'),
  };
}

const [, , set = 'held-out', perGroup = '3', verbose] = process.argv;
if (!isSceneSet(set)) throw new Error(`${set} is not a set; choose held-out, development or varied`);
const tables = DETECTORS.map(({ label, detector }) => ({
  label,
  detector,
  rows: [] as Record<string, string | number>[],
  all: [] as SceneCounts[],
}));
for (const group of SCENE_GROUPS) {
  const inGroup = tables.map((): SceneCounts[] => []);
  for (let k = 0; k < Number(perGroup); k++) {
    const scene = sceneOf(set, group, k);
    // Drawing takes longer than detecting: all detectors see the same frames.
    const frames = Array.from({ length: SCENE_FRAMES }, (_, index) => scene.frame(index));
    for (const [index, { label, detector, all }] of tables.entries()) {
      const scored = await scoreScene(scene, frames, detector);
      inGroup[index]?.push(scored);
      all.push(scored);
      if (verbose === undefined) continue;
      const { instances, attributions } = scored;
      const { satellite, clutter, seed } = scene.settings;
      const shown = JSON.stringify({ ...row([scored]), instances, attributions });
      console.log(label, satellite, clutter, seed, shown);
    }
  }
  tables.forEach(({ rows }, index) => {
    rows.push({ ...group, ...row(inGroup[index] ?? []) });
  });
}
for (const { label, rows, all } of tables) {
  console.log(label);
  console.table([...rows, { satellite: 'all', ...row(all) }]);
}
const [first, ...others] = tables;
for (const { label, all } of others) {
  console.log(`${label} less ${first?.label}, on the same scenes`);
  console.table([difference(all, first?.all ?? [])]);
}
