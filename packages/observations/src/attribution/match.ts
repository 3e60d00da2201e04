/** How well the drifted exhaust of a flight fits a line segment of one frame. */
import { type FixedGrid, toLonLat } from '../navigation/index.ts';
import type { Segment } from '../segments/segments.ts';

/** Exhaust at the time of a frame, by columns. */
export interface ExhaustPoints {
  readonly count: number;
  /** Index of the flight. */
  readonly flight: Int32Array;
  /** When the aircraft was there [ms since 1970]. */
  readonly waypointMs: Float64Array;
  /** Where the exhaust is [deg, m]. */
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly heightM: Float64Array;
  /** Since the aircraft was there [s]. */
  readonly ageS: Float64Array;
}

/** A flight that may have made a segment. */
export interface Match {
  /** Nominal time of the frame [ms since 1970]. */
  readonly frameMs: number;
  readonly segment: string;
  readonly flight: number;
  /** Of the segment from the exhaust, to the left of the flight's direction [km]. */
  readonly offsetKm: number;
  readonly angleDeg: number;
  readonly rmsKm: number;
  /** Share of the segment that the exhaust runs along. */
  readonly coverage: number;
  /** Mean of the exhaust [s]. */
  readonly ageS: number;
  /** Times of flight that it covers [ms since 1970]. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly score: number;
}

const RADIUS_KM = 6371;
const RAD = Math.PI / 180;
const CELL_DEG = 0.5;
const COLUMNS = 360 / CELL_DEG;
const ROWS = 180 / CELL_DEG;

const ALONG_MARGIN_KM = 10;
const ACROSS_KM = 8;
const ACROSS_KM_PER_S = 4.5e-3;
const MAX_ACROSS_KM = 60;
/** Heights differ between flights, and with them the place of what is seen. */
const HEIGHT_MARGIN_KM = 12;
const TYPICAL_HEIGHT_M = 10_500;
/** Points that may be missing within a run. */
const MAX_MISSING = 2;
const POINT_MS = 60_000;
const MIN_RUN = 3;
const MIN_COVERAGE = 0.4;
const MAX_SCORE = 14;
export const RMS_KM = 2.5;
export const POSITION_KM = 1.8;
const WIND_ERROR_KM_PER_S = 3e-3;

/** Standard deviation of the angle between a contrail of an age [s] and its exhaust [deg]. */
export function angleDeviationDeg(ageS: number): number {
  return Math.hypot(2.5, (3 * ageS) / 3600);
}

/** Exhaust by cells of half a degree. */
export class ExhaustIndex {
  private readonly starts = new Int32Array(COLUMNS * ROWS + 1);
  private readonly order: Int32Array;

  constructor({ count, longitude, latitude }: ExhaustPoints) {
    const cells = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      const cell = cellOf(longitude[i] as number, latitude[i] as number);
      cells[i] = cell;
      this.starts[cell + 1] = (this.starts[cell + 1] as number) + 1;
    }
    for (let k = 1; k < this.starts.length; k++) {
      this.starts[k] = (this.starts[k] as number) + (this.starts[k - 1] as number);
    }
    this.order = new Int32Array(count);
    const next = this.starts.slice();
    for (let i = 0; i < count; i++) {
      const cell = cells[i] as number;
      const slot = next[cell] as number;
      this.order[slot] = i;
      next[cell] = slot + 1;
    }
  }

  /** Calls back for each point in the cells around positions [deg] within a distance [km]. */
  near(positions: readonly LonLat[], distanceKm: number, visit: (point: number) => void): void {
    const cells = new Set<number>();
    for (const [lon, lat] of positions) {
      const dLat = distanceKm / (RADIUS_KM * RAD);
      const dLon = Math.min(180, dLat / Math.max(0.01, Math.cos((Math.abs(lat) + dLat) * RAD)));
      for (let la = Math.floor((lat - dLat) / CELL_DEG); la <= Math.floor((lat + dLat) / CELL_DEG); la++) {
        for (let lo = Math.floor((lon - dLon) / CELL_DEG); lo <= Math.floor((lon + dLon) / CELL_DEG); lo++) {
          cells.add(cellOf((lo + 0.5) * CELL_DEG, (la + 0.5) * CELL_DEG));
        }
      }
    }
    for (const cell of cells) {
      for (let k = this.starts[cell] as number; k < (this.starts[cell + 1] as number); k++) {
        visit(this.order[k] as number);
      }
    }
  }
}

type LonLat = readonly [lon: number, lat: number];

function cellOf(lon: number, lat: number): number {
  const column = (((Math.floor((lon + 180) / CELL_DEG) % COLUMNS) + COLUMNS) % COLUMNS) | 0;
  const row = Math.min(ROWS - 1, Math.max(0, Math.floor((lat + 90) / CELL_DEG)));
  return row * COLUMNS + column;
}

/** The flights that may have made a segment, each with its best run of points. */
export function matchSegment(
  segment: Segment,
  frameMs: number,
  grid: FixedGrid,
  points: ExhaustPoints,
  index: ExhaustIndex,
): Match[] {
  const ends = endAngles(segment.wkt, grid.height);
  const plane = segmentPlane(grid, ends, TYPICAL_HEIGHT_M);
  if (plane === undefined) return [];
  const candidates = new Map<number, number[]>();
  const reach = MAX_ACROSS_KM + HEIGHT_MARGIN_KM;
  index.near(plane.positions(reach), reach, (i) => {
    const { s, w } = plane.locate(points.longitude[i] as number, points.latitude[i] as number);
    if (Math.abs(s) > plane.lengthKm / 2 + ALONG_MARGIN_KM + HEIGHT_MARGIN_KM) return;
    if (Math.abs(w) > maxAcross(points.ageS[i] as number) + HEIGHT_MARGIN_KM) return;
    const flight = points.flight[i] as number;
    const found = candidates.get(flight);
    if (found === undefined) candidates.set(flight, [i]);
    else found.push(i);
  });
  const matches: Match[] = [];
  for (const found of candidates.values()) {
    const match = matchFlight(segment, frameMs, grid, ends, points, found);
    if (match !== undefined) matches.push(match);
  }
  return matches;
}

function maxAcross(ageS: number): number {
  return Math.min(ACROSS_KM + ACROSS_KM_PER_S * ageS, MAX_ACROSS_KM);
}

type Ends = readonly [x0: number, y0: number, x1: number, y1: number];

/** Scan angles of the ends [rad]. */
function endAngles(wkt: string, height: number): Ends {
  const numbers = wkt
    .slice(wkt.indexOf('(') + 1)
    .split(/[ ,)]+/, 4)
    .map((text) => Number(text) / height);
  return numbers as unknown as Ends;
}

interface SegmentPlane {
  readonly lengthKm: number;
  /** Along the segment from its middle, and to the left of it [km]. */
  locate(lon: number, lat: number): { readonly s: number; readonly w: number };
  /** Positions along the segment, closer than a distance [km]. */
  positions(distanceKm: number): LonLat[];
}

/** The local plane about the middle of a segment, if it is at a height; nothing where it is off the disk. */
function segmentPlane(grid: FixedGrid, [x0, y0, x1, y1]: Ends, heightM: number): SegmentPlane | undefined {
  const [lon0, lat0] = toLonLat(grid, x0, y0, heightM);
  const [lon1, lat1] = toLonLat(grid, x1, y1, heightM);
  if (Number.isNaN(lon0 + lat0 + lon1 + lat1)) return undefined;
  const turn = turned(lon1 - lon0);
  const [midLon, midLat] = [lon0 + turn / 2, (lat0 + lat1) / 2];
  const eastKm = RADIUS_KM * RAD * Math.cos(midLat * RAD);
  const northKm = RADIUS_KM * RAD;
  const [dx, dy] = [turn * eastKm, (lat1 - lat0) * northKm];
  const lengthKm = Math.hypot(dx, dy);
  const [ux, uy] = [dx / lengthKm, dy / lengthKm];
  return {
    lengthKm,
    locate(lon, lat) {
      const [x, y] = [turned(lon - midLon) * eastKm, (lat - midLat) * northKm];
      return { s: x * ux + y * uy, w: y * ux - x * uy };
    },
    positions(distanceKm) {
      const steps = Math.ceil(lengthKm / distanceKm) + 1;
      return Array.from({ length: steps + 1 }, (_, k): LonLat => {
        const part = k / steps;
        return [lon0 + part * turn, lat0 + part * (lat1 - lat0)];
      });
    },
  };
}

/** [−180, 180) */
function turned(degrees: number): number {
  return degrees >= 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees;
}

interface Located {
  readonly s: number;
  readonly w: number;
  readonly waypointMs: number;
  readonly ageS: number;
}

function matchFlight(
  segment: Segment,
  frameMs: number,
  grid: FixedGrid,
  ends: Ends,
  points: ExhaustPoints,
  candidates: readonly number[],
): Match | undefined {
  if (candidates.length < MIN_RUN) return undefined;
  const plane = segmentPlane(grid, ends, medianOf(candidates.map((i) => points.heightM[i] as number)));
  if (plane === undefined) return undefined;
  const half = plane.lengthKm / 2;
  const located = candidates
    .map((i): Located => {
      const { s, w } = plane.locate(points.longitude[i] as number, points.latitude[i] as number);
      return { s, w, waypointMs: points.waypointMs[i] as number, ageS: points.ageS[i] as number };
    })
    .filter(({ s, w, ageS }) => Math.abs(s) <= half + ALONG_MARGIN_KM && Math.abs(w) <= maxAcross(ageS))
    .sort((a, b) => a.waypointMs - b.waypointMs);
  const run = longestRun(located, half);
  if (run === undefined) return undefined;
  const [low, high] = overlapOf(run, half);
  const coverage = (high - low) / plane.lengthKm;
  if (coverage < MIN_COVERAGE) return undefined;
  const { offset, slope, rms } = fitLine(run, (low + high) / 2);
  const ageS = run.reduce((sum, point) => sum + point.ageS, 0) / run.length;
  const angleDeg = Math.atan(slope) / RAD;
  const offsetDeviation = Math.hypot(POSITION_KM, WIND_ERROR_KM_PER_S * ageS);
  const score =
    (offset / offsetDeviation) ** 2 +
    (angleDeg / angleDeviationDeg(ageS)) ** 2 +
    (rms / RMS_KM) ** 2 -
    2 * Math.log(coverage);
  if (score > MAX_SCORE) return undefined;
  const [first, last] = [run[0] as Located, run.at(-1) as Located];
  // Points beyond the ends help the fit, but the segment does not date them.
  const inside = run.filter(({ s }) => Math.abs(s) <= half);
  return {
    frameMs,
    segment: segment.id,
    flight: points.flight[candidates[0] as number] as number,
    // Frames compare offsets, so they must not depend on which end of a segment is the western one.
    offsetKm: last.s >= first.s ? offset : -offset,
    angleDeg,
    rmsKm: rms,
    coverage,
    ageS,
    firstMs: (inside[0] ?? first).waypointMs,
    lastMs: (inside.at(-1) ?? last).waypointMs,
    score,
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

/** Of the runs of points that follow one another, the one that runs along most of the segment. */
function longestRun(points: readonly Located[], half: number): readonly Located[] | undefined {
  let best: readonly Located[] | undefined;
  let bestOverlap = 0;
  let start = 0;
  for (let i = 1; i <= points.length; i++) {
    const isEnd =
      i === points.length ||
      (points[i] as Located).waypointMs - (points[i - 1] as Located).waypointMs >
        (MAX_MISSING + 1) * POINT_MS;
    if (!isEnd) continue;
    const run = points.slice(start, i);
    start = i;
    if (run.length < MIN_RUN) continue;
    const [low, high] = overlapOf(run, half);
    if (high - low <= bestOverlap) continue;
    best = run;
    bestOverlap = high - low;
  }
  return best;
}

/** The part of the segment that a run of points lies along [km]. */
function overlapOf(run: readonly Located[], half: number): [low: number, high: number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { s } of run) {
    low = Math.min(low, s);
    high = Math.max(high, s);
  }
  return [Math.max(low, -half), Math.min(high, half)];
}

/** Least squares; the offset is that at `centre`. */
function fitLine(run: readonly Located[], centre: number): { offset: number; slope: number; rms: number } {
  const n = run.length;
  let sumS = 0;
  let sumW = 0;
  for (const { s, w } of run) {
    sumS += s - centre;
    sumW += w;
  }
  const [meanS, meanW] = [sumS / n, sumW / n];
  let ss = 0;
  let sw = 0;
  for (const { s, w } of run) {
    ss += (s - centre - meanS) ** 2;
    sw += (s - centre - meanS) * (w - meanW);
  }
  const slope = ss > 0 ? sw / ss : 0;
  const offset = meanW - slope * meanS;
  let squares = 0;
  for (const { s, w } of run) squares += (w - offset - slope * (s - centre)) ** 2;
  return { offset, slope, rms: Math.sqrt(squares / n) };
}
