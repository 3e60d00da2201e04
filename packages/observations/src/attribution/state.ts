/**
 * Attribution frame by frame. The state holds the exhaust of the last two and a half hours where the last frame saw it, and
 * the matches of that time: a frame costs one step of ten minutes for each point.
 */
import { altitudeMFromLevel, levelFromAltitudeM } from '@contrails/physics/atmosphere';
import { SECOND_MS } from '@contrails/runtime';
import { type Frame, scanOffsetsOf } from '../frame/index.ts';
import { type FixedGrid, toScanAngle, toScanAngles, viewZenithDeg } from '../navigation/index.ts';
import type { Segment } from '../segments/segments.ts';
import { CHUNK_MS, type Chunk, decide } from './consensus.ts';
import { DEFAULT_DRIFT, type DriftSettings, driftTo } from './drift.ts';
import type { FlightPoints } from './flight-points.ts';
import { ExhaustIndex, type ExhaustPoints, type Match, matchSegment } from './match.ts';
import type { Winds } from './winds.ts';

export interface AttributionSettings {
  readonly drift?: DriftSettings;
  /** Of exhaust that a contrail can be matched with [s]. */
  readonly minAgeS?: number;
  readonly maxAgeS?: number;
  /** Wake vortices sink at once [m]. */
  readonly wakeSinkingM?: number;
  readonly coverageMaxViewZenithDeg?: number;
}

const DEFAULTS = {
  drift: DEFAULT_DRIFT,
  minAgeS: 300,
  maxAgeS: 9000,
  wakeSinkingM: 90,
  coverageMaxViewZenithDeg: 65,
} as const satisfies Required<AttributionSettings>;

/** A chunk in view in enough frames could have been seen. */
export const COVERED_FRAMES = 3;
const COVERED_MIN_AGE_S = 1200;
const MAX_FRAME_GAP_MS = 20 * 60 * SECOND_MS;

/** Live exhaust by columns; `count` of them are used. */
export interface LivePoints {
  count: number;
  flight: Int32Array;
  waypointMs: Float64Array;
  timeMs: Float64Array;
  longitude: Float64Array;
  latitude: Float64Array;
  /** [hPa] */
  level: Float64Array;
}

export interface FollowedFlight {
  readonly flight: string;
  /** First and last point that is known [ms since 1970]. */
  readonly firstMs: number;
  lastMs: number;
  distanceM: number;
  /** By chunk: in how many frames it was in view at an age at which contrails are seen. */
  readonly views: (ChunkViews | undefined)[];
}

export interface ChunkViews {
  frames: number;
  lastMs: number;
  /** A frame was missing for too long. */
  hasGap: boolean;
}

export interface AttributionState {
  readonly satellite: string;
  flights: FollowedFlight[];
  readonly points: LivePoints;
  matches: Match[];
  /** Nominal times of the frames that matches may come from [ms since 1970]. */
  frames: number[];
}

/** A frame's segments. */
export interface SegmentFrame extends Pick<Frame, 'time' | 'grid' | 'scanOffsets'> {
  readonly segments: readonly Segment[];
}

export function createState(satellite: string): AttributionState {
  return { satellite, flights: [], points: makePoints(0), matches: [], frames: [] };
}

/** Takes up flights, or what is new of flights that are known. */
export function addFlights(
  state: AttributionState,
  flights: readonly FlightPoints[],
  settings: AttributionSettings = {},
): void {
  const { wakeSinkingM } = { ...DEFAULTS, ...settings };
  const known = new Map(state.flights.map(({ flight }, index) => [flight, index]));
  for (const points of flights) {
    const index = known.get(points.flight) ?? state.flights.length;
    const firstMs = points.timeMs[0];
    const lastMs = points.timeMs.at(-1);
    if (firstMs === undefined || lastMs === undefined) continue;
    let followed = state.flights[index];
    const from = followed?.lastMs ?? Number.NEGATIVE_INFINITY;
    if (followed === undefined) {
      followed = { flight: points.flight, firstMs, lastMs, distanceM: 0, views: [] };
      state.flights.push(followed);
      known.set(points.flight, index);
    }
    followed.lastMs = Math.max(followed.lastMs, lastMs);
    followed.distanceM = Math.max(followed.distanceM, points.distanceM);
    for (let k = 0; k < points.timeMs.length; k++) {
      const waypointMs = points.timeMs[k] as number;
      if (waypointMs <= from) continue;
      const level = levelFromAltitudeM((points.altitudeM[k] as number) - wakeSinkingM);
      const [lon, lat] = [points.longitude[k] as number, points.latitude[k] as number];
      pushPoint(state.points, index, waypointMs, lon, lat, level);
    }
  }
}

/** Follows the exhaust to the scan time of a frame and matches it with the frame's segments. Frames come in order of time. */
export function addFrame(
  state: AttributionState,
  frame: SegmentFrame,
  winds: Winds,
  settings: AttributionSettings = {},
): void {
  const { drift, minAgeS, maxAgeS, coverageMaxViewZenithDeg } = { ...DEFAULTS, ...settings };
  const { points } = state;
  const offsets = scanOffsetsOf(frame);
  keepPoints(points, (i) => frame.time - (points.waypointMs[i] as number) <= maxAgeS * SECOND_MS);
  const before = appearance(points, frame.grid);
  // The satellite does not see them, and they do not drift into its view within their time.
  keepPoints(points, (i) => !Number.isNaN(before.y[i] as number), before);
  const target = new Float64Array(points.count);
  for (let i = 0; i < points.count; i++) {
    const scanMs = frame.time + scanOffset(frame.grid, offsets, before, i) * SECOND_MS;
    target[i] = Math.max(scanMs, points.timeMs[i] as number);
  }
  driftTo(points, target, points.count, winds, drift);
  keepPoints(points, (i) => !Number.isNaN((points.level[i] as number) + (points.longitude[i] as number)));

  const exhaust = exhaustOf(points, minAgeS, maxAgeS);
  noteViews(state, exhaust, frame, coverageMaxViewZenithDeg);
  const index = new ExhaustIndex(exhaust);
  const found = frame.segments.flatMap((segment) =>
    matchSegment(segment, frame.time, frame.grid, exhaust, index),
  );
  // The oldest exhaust of a chunk that is still followed was first matched so long ago.
  const since = frame.time - maxAgeS * SECOND_MS - CHUNK_MS;
  state.matches = [...state.matches.filter(({ frameMs }) => frameMs >= since), ...found];
  state.frames = [...state.frames.filter((time) => time >= since), frame.time];
  dropFinished(state, since);
}

/** Forgets flights that have neither exhaust nor matches any more. */
function dropFinished(state: AttributionState, sinceMs: number): void {
  const { points, matches, flights } = state;
  const isNeeded = flights.map(({ lastMs }) => lastMs >= sinceMs);
  for (let i = 0; i < points.count; i++) isNeeded[points.flight[i] as number] = true;
  for (const { flight } of matches) isNeeded[flight] = true;
  if (isNeeded.every(Boolean)) return;
  let next = 0;
  const renumbered = isNeeded.map((needed) => (needed ? next++ : -1));
  for (let i = 0; i < points.count; i++) points.flight[i] = renumbered[points.flight[i] as number] as number;
  state.matches = matches.map((match) => ({ ...match, flight: renumbered[match.flight] as number }));
  state.flights = flights.filter((_, k) => isNeeded[k]);
}

/** Chunks with evidence, by the frames so far. */
export function decideChunks({ matches, flights, frames }: AttributionState): Chunk[] {
  return decide(matches, (flight) => (flights[flight] as FollowedFlight).firstMs, frames.length);
}

/** Whether a chunk would have been seen, had there been a visible contrail. */
export function isCovered({ frames, hasGap }: ChunkViews): boolean {
  return frames >= COVERED_FRAMES && !hasGap;
}

function makePoints(capacity: number): LivePoints {
  return {
    count: 0,
    flight: new Int32Array(capacity),
    waypointMs: new Float64Array(capacity),
    timeMs: new Float64Array(capacity),
    longitude: new Float64Array(capacity),
    latitude: new Float64Array(capacity),
    level: new Float64Array(capacity),
  };
}

const POINT_COLUMNS = ['flight', 'waypointMs', 'timeMs', 'longitude', 'latitude', 'level'] as const;

function pushPoint(
  points: LivePoints,
  flight: number,
  waypointMs: number,
  longitude: number,
  latitude: number,
  level: number,
): void {
  if (points.count === points.flight.length) {
    const larger = makePoints(Math.max(1024, 2 * points.count));
    for (const name of POINT_COLUMNS) larger[name].set(points[name]);
    Object.assign(points, { ...larger, count: points.count });
  }
  const i = points.count++;
  points.flight[i] = flight;
  points.waypointMs[i] = waypointMs;
  points.timeMs[i] = waypointMs;
  points.longitude[i] = longitude;
  points.latitude[i] = latitude;
  points.level[i] = level;
}

/** Drops points in place, and the same rows of further columns. */
function keepPoints(
  points: LivePoints,
  isKept: (index: number) => boolean,
  further: Readonly<Record<string, Float64Array>> = {},
): void {
  const columns = [...POINT_COLUMNS.map((name) => points[name]), ...Object.values(further)];
  let kept = 0;
  for (let i = 0; i < points.count; i++) {
    if (!isKept(i)) continue;
    if (kept !== i) for (const column of columns) column[kept] = column[i] as number;
    kept++;
  }
  points.count = kept;
}

/** Scan angles at which points appear [rad]. */
function appearance(points: LivePoints, grid: FixedGrid): { x: Float64Array; y: Float64Array } {
  const { count } = points;
  const [x, y] = [new Float64Array(count), new Float64Array(count)];
  const heights = heightsOf(points);
  toScanAngles(grid, points.longitude.subarray(0, count), points.latitude.subarray(0, count), x, y, heights);
  return { x, y };
}

function heightsOf({ count, level }: LivePoints): Float64Array {
  const heights = new Float64Array(count);
  for (let i = 0; i < count; i++) heights[i] = altitudeMFromLevel(level[i] as number);
  return heights;
}

/** [s after the nominal time] */
function scanOffset(
  { rows, columns, x0, dx, y0, dy }: FixedGrid,
  offsets: Float32Array,
  { x, y }: { readonly x: Float64Array; readonly y: Float64Array },
  i: number,
): number {
  const row = limited(Math.round(((y[i] as number) - y0) / dy), rows);
  if (offsets.length === rows) return offsets[row] as number;
  const column = limited(Math.round(((x[i] as number) - x0) / dx), columns);
  return offsets[row * columns + column] as number;
}

function limited(index: number, count: number): number {
  return Math.min(Math.max(index, 0), count - 1);
}

/** Points of an age at which contrails are matched. */
function exhaustOf(points: LivePoints, minAgeS: number, maxAgeS: number): ExhaustPoints {
  const capacity = points.count;
  const out = {
    flight: new Int32Array(capacity),
    waypointMs: new Float64Array(capacity),
    longitude: new Float64Array(capacity),
    latitude: new Float64Array(capacity),
    heightM: new Float64Array(capacity),
    ageS: new Float64Array(capacity),
  };
  let count = 0;
  for (let i = 0; i < capacity; i++) {
    const waypointMs = points.waypointMs[i] as number;
    const age = ((points.timeMs[i] as number) - waypointMs) / SECOND_MS;
    if (age < minAgeS || age > maxAgeS) continue;
    out.flight[count] = points.flight[i] as number;
    out.waypointMs[count] = waypointMs;
    out.longitude[count] = points.longitude[i] as number;
    out.latitude[count] = points.latitude[i] as number;
    out.heightM[count] = altitudeMFromLevel(points.level[i] as number);
    out.ageS[count] = age;
    count++;
  }
  return { ...out, count };
}

/** Counts the frame for the chunks whose first point is in view. */
function noteViews(
  { flights }: AttributionState,
  { count, flight, waypointMs, longitude, latitude, heightM, ageS }: ExhaustPoints,
  { time, grid }: SegmentFrame,
  maxViewZenithDeg: number,
): void {
  for (let i = 0; i < count; i++) {
    if ((ageS[i] as number) < COVERED_MIN_AGE_S) continue;
    const followed = flights[flight[i] as number] as FollowedFlight;
    const chunk = Math.floor(((waypointMs[i] as number) - followed.firstMs) / CHUNK_MS);
    const views = followed.views[chunk];
    if (views?.lastMs === time) continue;
    if (viewZenithDeg(grid, longitude[i] as number, latitude[i] as number) > maxViewZenithDeg) continue;
    if (!isInImage(grid, longitude[i] as number, latitude[i] as number, heightM[i] as number)) continue;
    if (views === undefined) followed.views[chunk] = { frames: 1, lastMs: time, hasGap: false };
    else {
      views.hasGap ||= time - views.lastMs > MAX_FRAME_GAP_MS;
      views.frames++;
      views.lastMs = time;
    }
  }
}

/** Imagery may be a part of the disk. */
function isInImage(grid: FixedGrid, longitude: number, latitude: number, heightM: number): boolean {
  const [x, y] = toScanAngle(grid, longitude, latitude, heightM);
  const column = Math.round((x - grid.x0) / grid.dx);
  const row = Math.round((y - grid.y0) / grid.dy);
  return column >= 0 && column < grid.columns && row >= 0 && row < grid.rows;
}

const POINT_BYTES = 8;

/** The state as bytes: a header as JSON, its length before it, then the columns of points as float64. */
export function encodeState({ satellite, flights, points, matches, frames }: AttributionState): Uint8Array {
  const { count } = points;
  const header = new TextEncoder().encode(
    JSON.stringify({ version: 1, satellite, flights, matches, frames, count }),
  );
  const start = POINT_BYTES * Math.ceil((4 + header.length) / POINT_BYTES);
  const bytes = new Uint8Array(start + POINT_COLUMNS.length * count * POINT_BYTES);
  new DataView(bytes.buffer).setUint32(0, header.length, true);
  bytes.set(header, 4);
  POINT_COLUMNS.forEach((name, k) => {
    new Float64Array(bytes.buffer, start + k * count * POINT_BYTES, count).set(
      points[name].subarray(0, count),
    );
  });
  return bytes;
}

/** The inverse of {@link encodeState}; undefined where the bytes are not those of a state, which then starts empty. */
export function decodeState(bytes: Uint8Array): AttributionState | undefined {
  // Bytes may be a part of a larger buffer, and `slice` of a Buffer does not copy: columns have to start at offset 0.
  const copy = new Uint8Array(bytes);
  if (copy.length < 4) return undefined;
  const length = new DataView(copy.buffer).getUint32(0, true);
  const start = POINT_BYTES * Math.ceil((4 + length) / POINT_BYTES);
  let header: Omit<AttributionState, 'points'> & { readonly version: number; readonly count: number };
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(copy.subarray(4, 4 + length)));
  } catch {
    return undefined;
  }
  const { version, satellite, flights, matches, frames, count } = header;
  if (version !== 1 || copy.length !== start + POINT_COLUMNS.length * count * POINT_BYTES) return undefined;
  const points = makePoints(count);
  points.count = count;
  POINT_COLUMNS.forEach((name, k) => {
    points[name].set(new Float64Array(copy.buffer, start + k * count * POINT_BYTES, count));
  });
  // Chunks that were not in view are holes, which JSON writes as null.
  const restored = flights.map((flight) => ({ ...flight, views: withoutNulls(flight.views) }));
  return { satellite, flights: restored, points, matches, frames };
}

function withoutNulls(views: readonly (ChunkViews | null | undefined)[]): (ChunkViews | undefined)[] {
  return views.map((view) => view ?? undefined);
}
