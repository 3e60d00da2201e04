/** Attribution over some frames: pure work on plain data, which a compute thread does. */
import type { MetField } from '@contrails/met';
import {
  type AttributionState,
  addFlights,
  addFrame,
  CHUNK_MS,
  type Chunk,
  COVERED_FRAMES,
  createState,
  decideChunks,
  type FlightPoints,
  type FollowedFlight,
  isCovered,
  type Winds,
  windsOf,
} from '@contrails/observations/attribution';
import type { FixedGrid } from '@contrails/observations/navigation';
import type { Segment } from '@contrails/observations/segments';
import { altitudeMFromLevel } from '@contrails/physics/atmosphere';
import { haversineM } from '@contrails/physics/geodesy';
import { SECOND_MS } from '@contrails/runtime';
import type { ChunkResult, LinkedDetection, Position } from './results.ts';

/** Exhaust is followed for so long [ms]. */
export const MAX_AGE_MS = 9000 * SECOND_MS;
/** Older frames cannot show the exhaust that is followed. */
export const WINDOW_MS = MAX_AGE_MS + CHUNK_MS;

/** Findings of the frames so far on ten minutes of a flight. */
export interface DecidedChunk {
  readonly evidence: number;
  readonly windError: number;
  readonly confidence: number;
  readonly isAttributed: boolean;
  readonly detections: readonly LinkedDetection[];
  readonly contrail: { readonly timeMs: number; readonly line: readonly Position[] } | null;
}

/** Everything that the next frame needs; plain data. */
export interface RollState {
  readonly attribution: AttributionState;
  /** Segments of the frames so far that a flight matches. */
  readonly segments: Map<string, Segment>;
  /** By flight and chunk. */
  readonly decided: Map<string, Map<number, DecidedChunk>>;
  /** Flights that are final and still claim segments which others might be given. */
  readonly ended: Set<string>;
}

export interface RollFrame {
  readonly timeMs: number;
  readonly grid: FixedGrid;
  readonly segments: readonly Segment[];
}

export interface RollInput {
  readonly state: RollState;
  readonly frames: readonly RollFrame[];
  readonly flights: readonly FlightPoints[];
  /** What is stored of flights that the state does not know: those that were silent for long, and resume. */
  readonly resumed?: ReadonlyMap<string, readonly ChunkResult[]>;
  /** Null where no exhaust is left that would drift. */
  readonly field: MetField | null;
}

/** What is known of a flight after the frames. */
export interface FollowedChunks {
  readonly flight: string;
  readonly firstMs: number;
  readonly lastMs: number;
  /** By chunk, whether it would have been seen. */
  readonly covered: readonly boolean[];
  readonly decided: ReadonlyMap<number, DecidedChunk>;
  /** No further frame can show it. */
  readonly isFinal: boolean;
}

export interface RollOutput {
  readonly state: RollState;
  readonly flights: readonly FollowedChunks[];
}

export function newRollState(satellite: string): RollState {
  return { attribution: createState(satellite), segments: new Map(), decided: new Map(), ended: new Set() };
}

/** What is sampled here is lost. */
const NO_WINDS: Winds = {
  sample({ eastward, northward, omega, temperature }, _points, count) {
    for (const column of [eastward, northward, omega, temperature]) column.fill(Number.NaN, 0, count);
  },
};

/**
 * Changes the state that it is given. What comes out does not depend on how many frames are taken at once: a flight is
 * reported as final with what was known at the frame that ended it, and only then.
 */
export function rollFrames({ state, frames, flights, resumed, field }: RollInput): RollOutput {
  const { attribution, segments, decided, ended } = state;
  const winds = field === null ? NO_WINDS : windsOf(field);
  resumeFlights(state, flights, resumed ?? new Map(), frames[0]?.timeMs ?? Number.NEGATIVE_INFINITY);
  const tracks = new Map(flights.map((one) => [one.flight, one]));
  const final: FollowedChunks[] = [];
  const endBefore = (ms: number) => {
    for (const one of attribution.flights) {
      if (one.lastMs + MAX_AGE_MS >= ms || ended.has(one.flight)) continue;
      final.push(followedChunks(one, decided, true));
      ended.add(one.flight);
    }
  };
  for (const frame of frames) {
    // A flight whose last exhaust is too old for the frame may be forgotten with it.
    endBefore(frame.timeMs);
    addFrame(attribution, { time: frame.timeMs, grid: frame.grid, segments: frame.segments }, winds);
    const matched = new Set(attribution.matches.map(({ segment }) => segment));
    for (const segment of frame.segments) if (matched.has(segment.id)) segments.set(segment.id, segment);
    for (const id of [...segments.keys()]) if (!matched.has(id)) segments.delete(id);
    for (const chunk of decideChunks(attribution)) noteChunk(state, chunk, frame, tracks, winds);
    endBefore(frame.timeMs + 1);
  }
  const live = attribution.flights.filter(({ flight }) => !ended.has(flight));
  const known = new Set(attribution.flights.map(({ flight }) => flight));
  for (const gone of [ended, decided]) {
    for (const flight of [...gone.keys()]) if (!known.has(flight)) gone.delete(flight);
  }
  return { state, flights: [...final, ...live.map((one) => followedChunks(one, decided, false))] };
}

/** Telemetry reaches back to flights that ended before the frames: those that are not known any more are final already. */
function resumeFlights(
  { attribution, decided, ended }: RollState,
  flights: readonly FlightPoints[],
  resumed: ReadonlyMap<string, readonly ChunkResult[]>,
  firstMs: number,
): void {
  const known = new Set(attribution.flights.map(({ flight }) => flight));
  const isTooOld = ({ timeMs }: FlightPoints) => (timeMs.at(-1) ?? firstMs) + MAX_AGE_MS < firstMs;
  addFlights(
    attribution,
    flights.filter((one) => known.has(one.flight) || !isTooOld(one)),
  );
  // A flight that is seen again after hours goes on.
  for (const one of attribution.flights) {
    if (one.lastMs + MAX_AGE_MS > firstMs) ended.delete(one.flight);
    const before = known.has(one.flight) ? undefined : resumed.get(one.flight);
    if (before !== undefined) decided.set(one.flight, restoreChunks(one, before, firstMs));
  }
}

/** Takes from stored chunks those that no frame from `firstMs` on can show. */
function restoreChunks(
  { firstMs: startMs, views }: FollowedFlight,
  stored: readonly ChunkResult[],
  firstMs: number,
): Map<number, DecidedChunk> {
  const chunks = new Map<number, DecidedChunk>();
  for (const chunk of stored) {
    const k = (chunk.startMs - startMs) / CHUNK_MS;
    // Where a flight has got an earlier beginning meanwhile, its chunks are others.
    if (!Number.isInteger(k) || k < 0 || !isPast(chunk.startMs, firstMs)) continue;
    if (chunk.isCovered) views[k] = { frames: COVERED_FRAMES, lastMs: chunk.endMs, hasGap: false };
    if (chunk.evidence === 0 && chunk.detections.length === 0) continue;
    const { evidence, windError, confidence, isAttributed, detections, contrail } = chunk;
    chunks.set(k, { evidence, windError, confidence, isAttributed, detections, contrail });
  }
  return chunks;
}

/** Whether the exhaust of a chunk is too old for frames from `firstMs` on. */
export function isPast(chunkMs: number, firstMs: number): boolean {
  return chunkMs < firstMs - WINDOW_MS;
}

function followedChunks(
  { flight, firstMs, lastMs, views }: FollowedFlight,
  decided: RollState['decided'],
  isFinal: boolean,
): FollowedChunks {
  const count = Math.floor((lastMs - firstMs) / CHUNK_MS) + 1;
  return {
    flight,
    firstMs,
    lastMs,
    covered: Array.from({ length: count }, (_, k) => {
      const seen = views[k];
      return seen !== undefined && isCovered(seen);
    }),
    decided: decided.get(flight) ?? new Map<number, DecidedChunk>(),
    isFinal,
  };
}

/** A chunk whose first frames are forgotten keeps what was decided with them. */
function noteChunk(
  { attribution, segments, decided, ended }: RollState,
  chunk: Chunk,
  frame: RollFrame,
  tracks: ReadonlyMap<string, FlightPoints>,
  winds: Winds,
): void {
  const followed = attribution.flights[chunk.flight];
  if (followed === undefined || ended.has(followed.flight)) return;
  const startMs = followed.firstMs + chunk.chunk * CHUNK_MS;
  if (startMs < frame.timeMs - WINDOW_MS) return;
  const chunks = decided.get(followed.flight) ?? new Map<number, DecidedChunk>();
  decided.set(followed.flight, chunks);
  const shownMs = Math.max(...chunk.detections.map(({ match }) => match.frameMs));
  const known = chunks.get(chunk.chunk)?.contrail ?? null;
  const contrailAt = (): DecidedChunk['contrail'] => {
    if (shownMs === frame.timeMs) {
      return { timeMs: shownMs, line: exhaustOf(attribution, chunk.flight, startMs) };
    }
    if (known?.timeMs === shownMs || !chunk.isAttributed) return known;
    // Other flights explain less than they did: a frame of the past shows it after all.
    const track = tracks.get(followed.flight);
    return track === undefined
      ? known
      : { timeMs: shownMs, line: exhaustAt(track, startMs, { ...frame, timeMs: shownMs }, winds) };
  };
  chunks.set(chunk.chunk, {
    evidence: chunk.evidence,
    windError: chunk.windError,
    confidence: chunk.confidence,
    isAttributed: chunk.isAttributed,
    detections: chunk.detections.flatMap(({ match, probability }) => {
      const segment = segments.get(match.segment);
      return segment === undefined ? [] : [linked(segment, match, probability)];
    }),
    contrail: contrailAt(),
  });
}

function linked(
  segment: Segment,
  match: Chunk['detections'][number]['match'],
  probability: number,
): LinkedDetection {
  return {
    id: segment.id,
    frameMs: match.frameMs,
    scan_time: segment.scan_time,
    wkt: segment.wkt,
    crs: segment.crs,
    length_m: segment.length_m,
    confidence: segment.confidence,
    probability: Number(probability.toFixed(4)),
    distance_m: Math.round(Math.abs(match.offsetKm) * 1000),
    angle_deg: Number(match.angleDeg.toFixed(2)),
    coverage: Number(match.coverage.toFixed(3)),
    age_s: Math.round(match.ageS),
  };
}

/** Where the exhaust of a chunk is now, in the order of flight. */
function exhaustOf({ points }: AttributionState, flight: number, startMs: number): Position[] {
  const found: { readonly waypointMs: number; readonly position: Position }[] = [];
  for (let i = 0; i < points.count; i++) {
    const waypointMs = points.waypointMs[i] as number;
    if (points.flight[i] !== flight || waypointMs < startMs || waypointMs > startMs + CHUNK_MS) continue;
    // The aircraft is not there yet.
    if ((points.timeMs[i] as number) <= waypointMs) continue;
    found.push({
      waypointMs,
      position: [
        Number((points.longitude[i] as number).toFixed(5)),
        Number((points.latitude[i] as number).toFixed(5)),
        Math.round(altitudeMFromLevel(points.level[i] as number)),
      ],
    });
  }
  return found.sort((a, b) => a.waypointMs - b.waypointMs).map(({ position }) => position);
}

/** Where the exhaust of a chunk was in a frame, followed again from the flight. */
function exhaustAt(
  { flight, timeMs, longitude, latitude, altitudeM, distanceM }: FlightPoints,
  startMs: number,
  frame: RollFrame,
  winds: Winds,
): Position[] {
  const inside = (_: number, k: number) => {
    const ms = timeMs[k] as number;
    return ms >= startMs && ms <= startMs + CHUNK_MS;
  };
  const state = createState('');
  addFlights(state, [
    {
      ...{ flight, distanceM, timeMs: timeMs.filter(inside), longitude: longitude.filter(inside) },
      ...{ latitude: latitude.filter(inside), altitudeM: altitudeM.filter(inside) },
    },
  ]);
  addFrame(state, { time: frame.timeMs, grid: frame.grid, segments: [] }, winds);
  return exhaustOf(state, 0, startMs);
}

/** The ten minutes of the flight in order, with what was decided of each. */
export function chunkResults(
  points: FlightPoints,
  { firstMs, covered, decided }: FollowedChunks,
): ChunkResult[] {
  return covered.flatMap((isCovered, k) => {
    const startMs = firstMs + k * CHUNK_MS;
    const inside = Array.from(points.timeMs.keys()).filter((i) => {
      const ms = points.timeMs[i] as number;
      return ms >= startMs && ms <= startMs + CHUNK_MS;
    });
    if (inside.length === 0) return [];
    const line = inside.map(
      (i): Position => [
        Number((points.longitude[i] as number).toFixed(5)),
        Number((points.latitude[i] as number).toFixed(5)),
        Math.round(points.altitudeM[i] as number),
      ],
    );
    const one = decided.get(k);
    return [
      {
        startMs,
        endMs: points.timeMs[inside.at(-1) as number] as number,
        length_m: Math.round(lengthOf(line)),
        line,
        isCovered,
        isAttributed: one?.isAttributed ?? false,
        evidence: one?.evidence ?? 0,
        windError: one?.windError ?? 0,
        confidence: one?.confidence ?? 0,
        detections: one?.detections ?? [],
        contrail: one?.contrail ?? null,
        model: null,
      },
    ];
  });
}

function lengthOf(line: readonly Position[]): number {
  let sum = 0;
  for (let i = 1; i < line.length; i++) {
    const [[lon0, lat0], [lon1, lat1]] = [line[i - 1] as Position, line[i] as Position];
    sum += haversineM(lon0, lat0, lon1, lat1);
  }
  return sum;
}
