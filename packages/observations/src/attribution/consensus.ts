/** Matches of several frames against each other, flights against each other, and what is decided. */
import { MINUTE_MS } from '@contrails/runtime';
import { angleDeviationDeg, type Match, POSITION_KM, RMS_KM } from './match.ts';

export const CHUNK_MS = 10 * MINUTE_MS;

/** What is known of ten minutes of a flight. */
export interface Chunk {
  readonly flight: number;
  /** Counted from the first point of the flight. */
  readonly chunk: number;
  readonly evidence: number;
  /** Of the wind, to the left of the flight's direction [m s⁻¹]. */
  readonly windError: number;
  /** 0 … 1 */
  readonly confidence: number;
  readonly isAttributed: boolean;
  /** Matches that no other flight explains better, with the probability of each. */
  readonly detections: readonly { readonly match: Match; readonly probability: number }[];
}

const MAX_WIND_ERROR = 10.5;
const WIND_ERROR = 3;
const MAX_INLIER_KM = 2.5 * POSITION_KM;
const EVIDENCE_PER_MATCH = 2.5;
const MIN_EVIDENCE = 2.5;
const MIN_PROBABILITY = 0.5;
const MIN_FRAMES = 2;
const CONFIDENCE_SCALE = 4;

/** Chunks with evidence, in order of flight and time. `firstMs` is when each flight starts; `frames` how many were processed. */
export function decide(
  matches: readonly Match[],
  firstMs: (flight: number) => number,
  frames: number,
): Chunk[] {
  const hypotheses = [...chunkMatches(matches, firstMs)].flatMap(([, { flight, chunk, matches: found }]) => {
    const best = bestHypothesis(found);
    return best === undefined ? [] : [{ flight, chunk, ...best }];
  });
  const claims = claimsOf(hypotheses);
  return hypotheses
    .map(({ flight, chunk, evidence, windError, inliers }): Chunk => {
      const detections = inliers
        .map((match) => ({ match, probability: probabilityOf(claims.get(segmentKey(match)), evidence) }))
        .filter(({ probability }) => probability >= MIN_PROBABILITY);
      const mean =
        detections.reduce((sum, { probability }) => sum + probability, 0) / Math.max(1, detections.length);
      return {
        ...{ flight, chunk, evidence, windError, detections },
        confidence: evidence > 0 ? mean * (1 - Math.exp(-evidence / CONFIDENCE_SCALE)) : 0,
        isAttributed: evidence >= MIN_EVIDENCE && detections.length >= Math.min(MIN_FRAMES, frames),
      };
    })
    .sort((a, b) => a.flight - b.flight || a.chunk - b.chunk);
}

interface ChunkMatches {
  readonly flight: number;
  readonly chunk: number;
  readonly matches: Match[];
}

/** A chunk collects the matches whose times of flight touch it. */
function chunkMatches(
  matches: readonly Match[],
  firstMs: (flight: number) => number,
): Map<string, ChunkMatches> {
  const chunks = new Map<string, ChunkMatches>();
  for (const match of matches) {
    const start = firstMs(match.flight);
    const last = Math.floor((match.lastMs - start) / CHUNK_MS);
    for (let chunk = Math.floor((match.firstMs - start) / CHUNK_MS); chunk <= last; chunk++) {
      const key = `${match.flight} ${chunk}`;
      const found = chunks.get(key);
      if (found === undefined) chunks.set(key, { flight: match.flight, chunk, matches: [match] });
      else found.matches.push(match);
    }
  }
  return chunks;
}

interface Hypothesis {
  readonly evidence: number;
  readonly windError: number;
  /** One match per frame at most. */
  readonly inliers: readonly Match[];
}

/** Errors of the wind hardly change along a contrail's life: the right flight drifts off linearly with age, from zero. */
function bestHypothesis(matches: readonly Match[]): Hypothesis | undefined {
  let best: Hypothesis | undefined;
  for (const { offsetKm, ageS } of matches) {
    const guess = (1000 * offsetKm) / ageS;
    if (Math.abs(guess) > MAX_WIND_ERROR) continue;
    const inliers = inliersOf(matches, guess);
    const windError =
      (1000 * inliers.reduce((sum, m) => sum + m.offsetKm * m.ageS, 0)) /
      inliers.reduce((sum, m) => sum + m.ageS * m.ageS, 0);
    const evidence =
      -0.5 * (windError / WIND_ERROR) ** 2 +
      inliers.reduce((sum, match) => sum + evidenceOf(match, windError), 0);
    if (best === undefined || evidence > best.evidence) best = { evidence, windError, inliers };
  }
  return best;
}

/** Of each frame the match closest to a wind error [m s⁻¹], where it is close enough. */
function inliersOf(matches: readonly Match[], windError: number): Match[] {
  const nearest = new Map<number, { match: Match; distance: number }>();
  for (const match of matches) {
    const distance = Math.abs(residualKm(match, windError));
    if (distance > MAX_INLIER_KM) continue;
    const known = nearest.get(match.frameMs);
    if (known === undefined || distance < known.distance) nearest.set(match.frameMs, { match, distance });
  }
  return Array.from(nearest.values(), ({ match }) => match);
}

function residualKm({ offsetKm, ageS }: Match, windError: number): number {
  return offsetKm - (windError * ageS) / 1000;
}

function evidenceOf(match: Match, windError: number): number {
  const { angleDeg, ageS, rmsKm, coverage } = match;
  const squares =
    (residualKm(match, windError) / POSITION_KM) ** 2 +
    (angleDeg / angleDeviationDeg(ageS)) ** 2 +
    (rmsKm / RMS_KM) ** 2;
  return EVIDENCE_PER_MATCH - 0.5 * squares + Math.log(coverage);
}

function segmentKey({ frameMs, segment }: Match): string {
  return `${frameMs} ${segment}`;
}

/** For each segment the flights that claim it, each with the evidence of its best chunk. */
function claimsOf(
  hypotheses: readonly (Hypothesis & { readonly flight: number })[],
): Map<string, Map<number, number>> {
  const claims = new Map<string, Map<number, number>>();
  for (const { flight, evidence, inliers } of hypotheses) {
    for (const match of inliers) {
      const key = segmentKey(match);
      const flights = claims.get(key) ?? new Map<number, number>();
      claims.set(key, flights);
      flights.set(flight, Math.max(evidence, flights.get(flight) ?? Number.NEGATIVE_INFINITY));
    }
  }
  return claims;
}

/** Of a chunk against the best of every flight that claims the segment, and against none of them, whose evidence is 0. */
function probabilityOf(claims: ReadonlyMap<number, number> | undefined, own: number): number {
  if (claims === undefined) return 0;
  let sum = Math.exp(-own);
  for (const evidence of claims.values()) sum += Math.exp(evidence - own);
  return 1 / sum;
}
