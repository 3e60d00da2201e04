/** What is reported of a flight: its attributions, how much of it could have been seen, and its status. */
import { CHUNK_MS, type Chunk } from './consensus.ts';
import type { Match } from './match.ts';
import { type FollowedFlight, isCovered } from './state.ts';

/** A stretch of a flight whose contrail was seen. */
export interface Attribution {
  /** Times of flight [ms since 1970]. */
  readonly startMs: number;
  readonly endMs: number;
  readonly confidence: number;
  readonly evidence: number;
  /** Of the wind, to the left of the flight's direction [m s⁻¹]. */
  readonly windError: number;
  readonly firstSeenAgeS: number;
  readonly lastSeenAgeS: number;
  /** In order of time, each once. */
  readonly detections: readonly { readonly match: Match; readonly probability: number }[];
}

const MAX_WIND_DIFFERENCE = 2;

/** Attributions of one flight from its chunks. Neighbours merge; a gap of one is bridged where both sides agree on the wind. */
export function attributionsOf({ firstMs }: FollowedFlight, chunks: readonly Chunk[]): Attribution[] {
  const attributed = chunks.filter(({ isAttributed }) => isAttributed).sort((a, b) => a.chunk - b.chunk);
  const groups: Chunk[][] = [];
  for (const chunk of attributed) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && continues(last, chunk)) groups.at(-1)?.push(chunk);
    else groups.push([chunk]);
  }
  return groups.map((group) => mergeGroup(firstMs, group));
}

function continues(last: Chunk, next: Chunk): boolean {
  const distance = next.chunk - last.chunk;
  return (
    distance === 1 || (distance === 2 && Math.abs(next.windError - last.windError) <= MAX_WIND_DIFFERENCE)
  );
}

function mergeGroup(firstMs: number, group: readonly Chunk[]): Attribution {
  const [first, last] = [group[0] as Chunk, group.at(-1) as Chunk];
  const detections = new Map<string, Attribution['detections'][number]>();
  for (const detection of group.flatMap((chunk) => chunk.detections)) {
    const { frameMs, segment } = detection.match;
    const known = detections.get(`${frameMs} ${segment}`);
    if (known === undefined || known.probability < detection.probability) {
      detections.set(`${frameMs} ${segment}`, detection);
    }
  }
  const ordered = [...detections.values()].sort((a, b) => a.match.frameMs - b.match.frameMs);
  const ages = ordered.map(({ match }) => match.ageS);
  const best = group.reduce((most, chunk) => (chunk.evidence > most.evidence ? chunk : most), first);
  return {
    startMs: firstMs + first.chunk * CHUNK_MS,
    endMs: firstMs + (last.chunk + 1) * CHUNK_MS,
    confidence: group.reduce((sum, { confidence }) => sum + confidence, 0) / group.length,
    evidence: best.evidence,
    windError: best.windError,
    firstSeenAgeS: Math.min(...ages),
    lastSeenAgeS: Math.max(...ages),
    detections: ordered,
  };
}

export interface FlightCoverage {
  /** Distance that was followed, and the part of it that would have been seen [m]. */
  readonly analyzedDistanceM: number;
  readonly coveredDistanceM: number;
}

export function coverageOf({ views, distanceM, firstMs, lastMs }: FollowedFlight): FlightCoverage {
  const chunks = Math.floor((lastMs - firstMs) / CHUNK_MS) + 1;
  const covered = views.filter((view) => view !== undefined && isCovered(view)).length;
  return { analyzedDistanceM: distanceM, coveredDistanceM: (distanceM * covered) / chunks };
}

export type FlightStatus = 'attributed' | 'not_observed' | 'partial_coverage' | 'no_coverage';

const MIN_OBSERVED = 0.5;
const MIN_PARTIAL = 0.05;

/** Of a flight that was followed. */
export function statusOf(
  attributions: readonly Attribution[],
  { analyzedDistanceM, coveredDistanceM }: FlightCoverage,
): FlightStatus {
  if (attributions.length > 0) return 'attributed';
  const share = analyzedDistanceM > 0 ? coveredDistanceM / analyzedDistanceM : 0;
  if (share >= MIN_OBSERVED) return 'not_observed';
  return share >= MIN_PARTIAL ? 'partial_coverage' : 'no_coverage';
}
