/** Found segments against true lines, both in pixels of one frame. */
import type { FixedGrid } from '../navigation/index.ts';

export type Pixel = readonly [column: number, row: number];

export interface TruthLine {
  readonly pixels: readonly Pixel[];
  readonly flight: string;
  /** Whether an image of this kind can show it at all; finding others is neither right nor wrong. */
  readonly observable: boolean;
}

export interface FoundSegment {
  readonly id: string;
  readonly ends: readonly [Pixel, Pixel];
}

/** What a segment is found to be. */
export interface SegmentVerdict {
  readonly segment: string;
  /** `ignored`: only on lines that are not observable. */
  readonly kind: 'matched' | 'ignored' | 'false';
  readonly lengthPx: number;
  /** Of the line that covers most of it. */
  readonly flight?: string;
}

export interface InstanceCounts {
  readonly predicted: number;
  readonly matched: number;
  readonly observable: number;
  readonly hit: number;
  readonly predictedLengthPx: number;
  readonly matchedLengthPx: number;
  readonly observableLengthPx: number;
  /** Of observable lines, the part near the segments matched to them. */
  readonly hitLengthPx: number;
}

export interface FrameScore {
  readonly counts: InstanceCounts;
  readonly verdicts: readonly SegmentVerdict[];
}

const NEAR_PX = 3;
const MAX_ANGLE = (15 * Math.PI) / 180;
const MIN_LINE_SHARE = 0.3;
const MIN_MATCHED_SHARE = 0.6;
const MIN_HIT_SHARE = 0.5;
const STEP_PX = 0.5;

export function scoreFrame(segments: readonly FoundSegment[], truth: readonly TruthLine[]): FrameScore {
  const judged = segments.map((segment) => judge(segment, truth));
  const verdicts = judged.map(({ verdict }) => verdict);
  const counted = verdicts.filter(({ kind }) => kind !== 'ignored');
  const matched = counted.filter(({ kind }) => kind === 'matched');
  const observable = truth
    .filter((line) => line.observable)
    .map((line) => {
      const onLine = segments.filter((_, k) => judged[k]?.lines.includes(line)).map(({ ends }) => ends);
      return { lengthPx: lengthOf(line.pixels), share: shareNear(line.pixels, onLine) };
    });
  return {
    verdicts,
    counts: {
      predicted: counted.length,
      matched: matched.length,
      observable: observable.length,
      hit: observable.filter(({ share }) => share >= MIN_HIT_SHARE).length,
      predictedLengthPx: sum(counted.map(({ lengthPx }) => lengthPx)),
      matchedLengthPx: sum(matched.map(({ lengthPx }) => lengthPx)),
      observableLengthPx: sum(observable.map(({ lengthPx }) => lengthPx)),
      hitLengthPx: sum(observable.map(({ lengthPx, share }) => share * lengthPx)),
    },
  };
}

/** Ends of a segment's `wkt` in pixels of a grid. */
export function segmentEnds(wkt: string, { height, x0, dx, y0, dy }: FixedGrid): [Pixel, Pixel] {
  const [x1 = Number.NaN, y1 = Number.NaN, x2 = Number.NaN, y2 = Number.NaN] = (
    wkt.match(/-?\d+/g) ?? []
  ).map((text) => Number(text) / height);
  return [
    [(x1 - x0) / dx, (y1 - y0) / dy],
    [(x2 - x0) / dx, (y2 - y0) / dy],
  ];
}

/** Counts of several frames together. */
export function poolCounts(counts: readonly InstanceCounts[]): InstanceCounts {
  const total = (name: keyof InstanceCounts) => sum(counts.map((count) => count[name]));
  return {
    predicted: total('predicted'),
    matched: total('matched'),
    observable: total('observable'),
    hit: total('hit'),
    predictedLengthPx: total('predictedLengthPx'),
    matchedLengthPx: total('matchedLengthPx'),
    observableLengthPx: total('observableLengthPx'),
    hitLengthPx: total('hitLengthPx'),
  };
}

export interface InstanceScores {
  /** Null where there is nothing to divide by. */
  readonly precision: number | null;
  readonly recall: number | null;
  readonly lengthPrecision: number | null;
  readonly lengthRecall: number | null;
}

export function instanceScores(counts: InstanceCounts): InstanceScores {
  return {
    precision: ratio(counts.matched, counts.predicted),
    recall: ratio(counts.hit, counts.observable),
    lengthPrecision: ratio(counts.matchedLengthPx, counts.predictedLengthPx),
    lengthRecall: ratio(counts.hitLengthPx, counts.observableLengthPx),
  };
}

export function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** A verdict with the lines that the segment is matched to: those that cover enough of it to be what it shows. */
function judge(
  segment: FoundSegment,
  truth: readonly TruthLine[],
): { readonly verdict: SegmentVerdict; readonly lines: readonly TruthLine[] } {
  const lengthPx = lengthOf(segment.ends);
  const covering = truth
    .filter((line) => angleBetween(segment.ends, line.pixels) <= MAX_ANGLE)
    .map((line) => ({ line, share: shareNear(segment.ends, [line.pixels]) }))
    .filter(({ share }) => share >= MIN_LINE_SHARE);
  const lines = covering.map(({ line }) => line);
  const share = shareNear(
    segment.ends,
    lines.map(({ pixels }) => pixels),
  );
  if (share < MIN_MATCHED_SHARE) {
    return { verdict: { segment: segment.id, kind: 'false', lengthPx }, lines: [] };
  }
  const [first, ...others] = covering as [(typeof covering)[0], ...typeof covering];
  const most = others.reduce((best, next) => (next.share > best.share ? next : best), first);
  const kind = lines.some(({ observable }) => observable) ? 'matched' : 'ignored';
  return { verdict: { segment: segment.id, kind, lengthPx, flight: most.line.flight }, lines };
}

/** Share of a line's length near any of some others. */
function shareNear(line: readonly Pixel[], others: readonly (readonly Pixel[])[]): number {
  if (others.length === 0) return 0;
  let near = 0;
  let count = 0;
  for (let k = 1; k < line.length; k++) {
    const [a, b] = [line[k - 1] as Pixel, line[k] as Pixel];
    const steps = Math.max(1, Math.round(Math.hypot(b[0] - a[0], b[1] - a[1]) / STEP_PX));
    const weight = Math.hypot(b[0] - a[0], b[1] - a[1]) / steps;
    for (let i = 0; i < steps; i++) {
      const t = (i + 0.5) / steps;
      const at: Pixel = [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
      if (others.some((other) => isNear(at, other))) near += weight;
      count += weight;
    }
  }
  return count === 0 ? 0 : near / count;
}

function isNear([column, row]: Pixel, line: readonly Pixel[]): boolean {
  for (let k = 1; k < line.length; k++) {
    const [a, b] = [line[k - 1] as Pixel, line[k] as Pixel];
    const [dc, dr] = [b[0] - a[0], b[1] - a[1]];
    const squared = dc * dc + dr * dr;
    const t = squared === 0 ? 0 : ((column - a[0]) * dc + (row - a[1]) * dr) / squared;
    const limited = Math.min(1, Math.max(0, t));
    if (Math.hypot(column - a[0] - limited * dc, row - a[1] - limited * dr) <= NEAR_PX) return true;
  }
  return false;
}

function angleBetween(a: readonly Pixel[], b: readonly Pixel[]): number {
  const turn = Math.abs(directionOf(a) - directionOf(b)) % Math.PI;
  return Math.min(turn, Math.PI - turn);
}

function directionOf(line: readonly Pixel[]): number {
  const [first, last] = [line[0], line.at(-1)];
  if (first === undefined || last === undefined) return Number.NaN;
  return Math.atan2(last[1] - first[1], last[0] - first[0]);
}

function lengthOf(line: readonly Pixel[]): number {
  let length = 0;
  for (let k = 1; k < line.length; k++) {
    const [a, b] = [line[k - 1] as Pixel, line[k] as Pixel];
    length += Math.hypot(b[0] - a[0], b[1] - a[1]);
  }
  return length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
