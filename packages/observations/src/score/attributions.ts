/** Flights that segments were attributed to, against the flights that made them. */
import type { AttributionState, Chunk } from '../attribution/index.ts';
import { ratio, type SegmentVerdict } from './instances.ts';

export interface AttributionCounts {
  readonly right: number;
  readonly wrong: number;
  /** Attributed although there is no contrail; it counts as wrong. */
  readonly noContrail: number;
  /** Segments whose flight is known. */
  readonly attributable: number;
}

export interface AttributionScores extends AttributionCounts {
  readonly precision: number | null;
  readonly recall: number | null;
}

/** `assigned` has the flight of each segment that was attributed, by the segment's id. */
export function scoreAttributions(
  verdicts: readonly SegmentVerdict[],
  assigned: ReadonlyMap<string, string>,
): AttributionScores {
  let [right, wrong, noContrail, attributable] = [0, 0, 0, 0];
  for (const { segment, flight } of verdicts) {
    const guess = assigned.get(segment);
    if (flight !== undefined) attributable++;
    if (guess === undefined) continue;
    if (flight === undefined) noContrail++;
    else if (guess === flight) right++;
    else wrong++;
  }
  return attributionScores({ right, wrong, noContrail, attributable });
}

/** The flight of each segment that was attributed, by the segment's id. */
export function assignedFlights(
  { flights }: Pick<AttributionState, 'flights'>,
  chunks: readonly Chunk[],
): Map<string, string> {
  const assigned = new Map<string, string>();
  for (const { isAttributed, flight, detections } of chunks) {
    if (!isAttributed) continue;
    for (const { match } of detections) assigned.set(match.segment, flights[flight]?.flight ?? '');
  }
  return assigned;
}

/** Counts of several scenes together. */
export function poolAttributions(counts: readonly AttributionCounts[]): AttributionCounts {
  const total = (name: keyof AttributionCounts) => counts.reduce((sum, count) => sum + count[name], 0);
  return {
    right: total('right'),
    wrong: total('wrong'),
    noContrail: total('noContrail'),
    attributable: total('attributable'),
  };
}

export function attributionScores(counts: AttributionCounts): AttributionScores {
  const { right, wrong, noContrail, attributable } = counts;
  return {
    ...counts,
    precision: ratio(right, right + wrong + noContrail),
    recall: ratio(right, attributable),
  };
}
