/**
 * Scores of the built-in detector and of attribution on synthetic scenes, as `docs/observations.md` publishes them: one row
 * for each group of scenes, with confidence intervals. Scenes of the set `held-out` are not used for any choice; those of
 * `development` are.
 *
 * Usage: node bench/observation-scores.ts [held-out | development] [scenes of each group] [-v]
 */
import {
  addFlights,
  addFrame,
  createState,
  decideChunks,
  prepareFlight,
  type Winds,
} from '@contrails/observations/attribution';
import { ridgeDetector } from '@contrails/observations/detect';
import type { GridName } from '@contrails/observations/navigation';
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
import { makeScene, type Scene, toPlane } from '@contrails/observations/synthetic';

const FRAMES = 6;
const START_MS = Date.UTC(2024, 2, 7, 15);
const FIRST_SEEDS: Readonly<Record<string, number>> = { 'held-out': 5000, development: 8000 };
const GROUPS: readonly { readonly satellite: GridName; readonly clutter: number }[] = [
  { satellite: 'goes-east', clutter: 0.6 },
  { satellite: 'goes-east', clutter: 1 },
  { satellite: 'himawari', clutter: 1 },
  { satellite: 'mtg-0', clutter: 1 },
  { satellite: 'goes-west', clutter: 1.4 },
];

interface SceneCounts {
  readonly instances: InstanceCounts;
  /** False segments that lie on a contrail all the same: one that is too faint to count as true. */
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
        const seconds = ((timeMs[i] as number) - START_MS) / 1000;
        const [u, v] = winds.model(x, y, hPa, seconds);
        out.eastward[i] = u;
        out.northward[i] = v;
        out.omega[i] = winds.omega(x, y, seconds);
        out.temperature[i] = winds.temperature(x, y, hPa);
      }
    },
  };
}

async function scoreScene(satellite: GridName, clutter: number, seed: number): Promise<SceneCounts> {
  const scene = makeScene({
    ...{ seed, satellite, clutter, startMs: START_MS },
    ...{ firstRow: 760, firstColumn: 2300, size: SIZE },
  });
  const detector = ridgeDetector();
  const state = createState(satellite);
  const tracks = scene.flights.map(prepareFlight);
  addFlights(
    state,
    tracks.flatMap((track) => ('reason' in track ? [] : [track])),
  );
  const winds = windsOf(scene);
  const scored: ReturnType<typeof scoreFrame>[] = [];
  const images: { stored: Uint8Array; truth: Uint8Array }[] = [];
  let faint = 0;
  for (let k = 0; k < FRAMES; k++) {
    const { frame, lines, mask, cooling12 } = scene.frame(k);
    const { confidence, valid } = await detector.detect(frame);
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

const SIZE = 512;
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
    if ((cooling12[row * SIZE + column] ?? 0) >= MIN_COOLING_K) count++;
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

/** Scenes are drawn again and again, because the lines of a scene are alike: 95 % of the results lie between these. */
function interval(scenes: readonly SceneCounts[], of: keyof ReturnType<typeof summary>): [number, number] {
  let state = 1;
  const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const values = Array.from({ length: 2000 }, () => {
    const drawn = scenes.map(() => scenes[Math.floor(draw() * scenes.length)] as SceneCounts);
    return summary(drawn)[of] ?? 0;
  }).sort((a, b) => a - b);
  return [values[50] as number, values[1949] as number];
}

function row(scenes: readonly SceneCounts[]): Record<string, string | number> {
  const found = summary(scenes);
  const shown = (of: keyof typeof found) => {
    const value = (found[of] ?? Number.NaN).toFixed(2);
    if (scenes.length < MIN_SCENES) return value;
    return `${value} (${interval(scenes, of)
      .map((end) => end.toFixed(2))
      .join('–')})`;
  };
  const counts = poolCounts(scenes.map(({ instances }) => instances));
  const auc = pixelScores(scenes.flatMap(({ images }) => images)).aucPr ?? Number.NaN;
  return {
    scenes: scenes.length,
    frames: scenes.length * FRAMES,
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
const firstSeed = FIRST_SEEDS[set];
if (firstSeed === undefined) throw new Error(`${set} is not a set; choose held-out or development`);
const rows: Record<string, string | number>[] = [];
const all: SceneCounts[] = [];
for (const [group, { satellite, clutter }] of GROUPS.entries()) {
  const scenes: SceneCounts[] = [];
  for (let k = 0; k < Number(perGroup); k++) {
    const seed = firstSeed + 100 * group + k;
    const scored = await scoreScene(satellite, clutter, seed);
    if (verbose !== undefined) {
      const { instances, attributions } = scored;
      console.log(satellite, clutter, seed, JSON.stringify({ ...row([scored]), instances, attributions }));
    }
    scenes.push(scored);
  }
  rows.push({ satellite, clutter, ...row(scenes) });
  all.push(...scenes);
}
rows.push({ satellite: 'all', ...row(all) });
console.table(rows);
