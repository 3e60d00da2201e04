/** Attribution over some frames: pure work on plain data, which a compute thread does. */
import type { MetField } from '@contrails/met';
import {
  type AttributionState,
  addFlights,
  addFrame,
  CHUNK_MS,
  type Chunk,
  createState,
  decideChunks,
  type FlightPoints,
  isCovered,
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
/** Frames further back say nothing about what is followed. */
export const WINDOW_MS = MAX_AGE_MS + CHUNK_MS;

/** What the frames so far say about ten minutes of a flight. */
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
  readonly field: MetField;
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
  return { attribution: createState(satellite), segments: new Map(), decided: new Map() };
}

/** Changes the state that it is given. Flights that are final are not followed any further. */
export function rollFrames({ state, frames, flights, field }: RollInput): RollOutput {
  const { attribution, segments, decided } = state;
  const winds = windsOf(field);
  addFlights(attribution, flights);
  for (const frame of frames) {
    addFrame(attribution, { time: frame.timeMs, grid: frame.grid, segments: frame.segments }, winds);
    const matched = new Set(attribution.matches.map(({ segment }) => segment));
    for (const segment of frame.segments) if (matched.has(segment.id)) segments.set(segment.id, segment);
    for (const id of [...segments.keys()]) if (!matched.has(id)) segments.delete(id);
    for (const chunk of decideChunks(attribution)) noteChunk(state, chunk, frame.timeMs, decided);
  }
  const lastMs = frames.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY;
  const followed = attribution.flights.map((one): FollowedChunks => {
    const count = Math.floor((one.lastMs - one.firstMs) / CHUNK_MS) + 1;
    return {
      flight: one.flight,
      firstMs: one.firstMs,
      lastMs: one.lastMs,
      covered: Array.from({ length: count }, (_, k) => {
        const views = one.views[k];
        return views !== undefined && isCovered(views);
      }),
      decided: decided.get(one.flight) ?? new Map<number, DecidedChunk>(),
      isFinal: one.lastMs + MAX_AGE_MS <= lastMs,
    };
  });
  const ended = new Set(followed.filter(({ isFinal }) => isFinal).map(({ flight }) => flight));
  dropFlights(attribution, ended);
  for (const flight of ended) decided.delete(flight);
  return { state, flights: followed };
}

/** A chunk whose first frames are forgotten keeps what was decided with them. */
function noteChunk(
  { attribution, segments }: RollState,
  chunk: Chunk,
  frameMs: number,
  decided: RollState['decided'],
): void {
  const followed = attribution.flights[chunk.flight];
  if (followed === undefined) return;
  const startMs = followed.firstMs + chunk.chunk * CHUNK_MS;
  if (startMs < frameMs - WINDOW_MS) return;
  const chunks = decided.get(followed.flight) ?? new Map<number, DecidedChunk>();
  decided.set(followed.flight, chunks);
  const isSeenNow = chunk.detections.some(({ match }) => match.frameMs === frameMs);
  chunks.set(chunk.chunk, {
    evidence: chunk.evidence,
    windError: chunk.windError,
    confidence: chunk.confidence,
    isAttributed: chunk.isAttributed,
    detections: chunk.detections.flatMap(({ match, probability }) => {
      const segment = segments.get(match.segment);
      return segment === undefined ? [] : [linked(segment, match, probability)];
    }),
    contrail: isSeenNow
      ? { timeMs: frameMs, line: exhaustOf(attribution, chunk.flight, startMs) }
      : (chunks.get(chunk.chunk)?.contrail ?? null),
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

/** The ten minutes of the flight one after the other, with what was decided of each. */
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

/** Flights are known by their place in the list, so that points and matches of the others get new ones. */
function dropFlights(attribution: AttributionState, ended: ReadonlySet<string>): void {
  const { flights, points } = attribution;
  const places = new Map<number, number>();
  flights.forEach(({ flight }, place) => {
    if (!ended.has(flight)) places.set(place, places.size);
  });
  attribution.matches = attribution.matches.flatMap((match) => {
    const flight = places.get(match.flight);
    return flight === undefined ? [] : [{ ...match, flight }];
  });
  let kept = 0;
  for (let i = 0; i < points.count; i++) {
    const flight = places.get(points.flight[i] as number);
    if (flight === undefined) continue;
    points.flight[kept] = flight;
    for (const name of ['waypointMs', 'timeMs', 'longitude', 'latitude', 'level'] as const) {
      points[name][kept] = points[name][i] as number;
    }
    kept++;
  }
  points.count = kept;
  flights.splice(0, flights.length, ...flights.filter(({ flight }) => !ended.has(flight)));
}
