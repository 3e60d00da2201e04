/** The record of a flight that a satellite may have seen: its life in ten-minute chunks. */
import type { InventoryFlight } from '@contrails/flights/inventory';
import { statusOf as statusByCoverage } from '@contrails/observations/attribution';

/** Longitude, latitude [deg] and altitude [m]. */
export type Position = readonly [number, number, number];

/** A line segment of a frame that belongs to a flight. */
export interface LinkedDetection {
  readonly id: string;
  readonly frameMs: number;
  readonly scan_time: string;
  readonly wkt: string;
  readonly crs: string;
  readonly length_m: number;
  readonly confidence: number;
  readonly probability: number;
  /** Of the line from where the exhaust should be. */
  readonly distance_m: number;
  readonly angle_deg: number;
  readonly coverage: number;
  readonly age_s: number;
}

export interface ChunkResult {
  readonly startMs: number;
  readonly endMs: number;
  readonly length_m: number;
  readonly line: readonly Position[];
  /** Whether a visible contrail would have been seen. */
  readonly isCovered: boolean;
  readonly isAttributed: boolean;
  readonly evidence: number;
  readonly windError: number;
  readonly confidence: number;
  readonly detections: readonly LinkedDetection[];
  /** Where its exhaust was in the last frame that shows it. */
  readonly contrail: { readonly timeMs: number; readonly line: readonly Position[] } | null;
  /** Energy forcing [J] of the model and the length with a persistent contrail [m]; null before it has run. */
  readonly model: {
    readonly ef_J: number;
    readonly persistent_m: number;
    /** What stands in for the forcing where the model has no persistent contrail [J]. */
    readonly nominal_J: number | null;
  } | null;
}

export interface FlightResult {
  readonly satellite: string;
  readonly instrument: string | null;
  readonly details: FlightDetails;
  /** Cruise distance that was analysed [m]. */
  readonly distance_m: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly chunks: readonly ChunkResult[];
  /** Frames in which some of it was in view, and those that are missing between them. */
  readonly framesUsed: number;
  readonly framesMissing: number;
  /** Whether no further frame can show it. */
  readonly isFinal: boolean;
  /** Until when [ms since 1970] frames may show it. */
  readonly expectedByMs: number;
  /** Why it was not analysed. */
  readonly reason: string | null;
  readonly detector: string;
  readonly metSource: string | null;
  readonly cocipVersion: string | null;
  readonly isSynthetic: boolean;
}

export interface FlightDetails {
  readonly carrier: string | null;
  readonly flight_number: string | null;
  readonly departure_date: string | null;
  readonly departure_airport_iata: string | null;
  readonly arrival_airport_icao: string | null;
  readonly icao_address: string;
  readonly callsign: string | null;
  readonly flight_id: string;
  readonly aircraft_type_icao: string | null;
}

export function detailsOf(
  flight: InventoryFlight,
  name: { carrier: string; number: string; date: string; airportIata: string } | null,
): FlightDetails {
  return {
    carrier: name?.carrier ?? flight.airlineIata,
    flight_number: name?.number ?? flight.flightNumber,
    departure_date: name?.date ?? null,
    departure_airport_iata: name?.airportIata ?? null,
    arrival_airport_icao: flight.arrivalIcao,
    icao_address: flight.icaoAddress,
    callsign: flight.callsign,
    flight_id: flight.flightId,
    aircraft_type_icao: flight.aircraftType,
  };
}

/** Finer than the statuses of the contract; see `statusOf`. */
export type StatusDetail =
  | 'attributed'
  | 'not_observed'
  | 'partial_coverage'
  | 'no_coverage'
  | 'not_analyzed'
  | 'pending'
  | 'not_found';

export type Status = 'attributed' | 'no_contrail_observed' | 'not_covered' | 'unknown_flight';

/** Of several satellites, whichever saw most decides. */
export function statusDetail(results: readonly FlightResult[]): StatusDetail {
  if (results.length === 0) return 'not_found';
  if (results.some(({ chunks }) => chunks.some(({ isAttributed }) => isAttributed))) return 'attributed';
  if (results.some(({ isFinal, reason }) => !isFinal && reason === null)) return 'pending';
  if (results.every(({ reason }) => reason !== null)) return 'not_analyzed';
  const [most] = results
    .map(({ chunks, distance_m }) => ({ analyzedDistanceM: distance_m, coveredDistanceM: coveredM(chunks) }))
    .sort((a, b) => b.coveredDistanceM - a.coveredDistanceM);
  return most === undefined ? 'not_found' : statusByCoverage([], most);
}

/** The status in the contract: anything inconclusive about contrails is `not_covered`. */
export function statusOf(detail: StatusDetail): Status {
  switch (detail) {
    case 'attributed':
      return 'attributed';
    case 'not_observed':
      return 'no_contrail_observed';
    case 'not_found':
      return 'unknown_flight';
    default:
      return 'not_covered';
  }
}

export function coveredM(chunks: readonly ChunkResult[]): number {
  return chunks.reduce((sum, { isCovered, length_m }) => sum + (isCovered ? length_m : 0), 0);
}

/** Chunks that are one attribution: neighbours, or two with one between them that agree on the error of the wind. */
export function mergeChunks(chunks: readonly ChunkResult[]): ChunkResult[][] {
  const merged: ChunkResult[][] = [];
  let between: ChunkResult[] = [];
  for (const chunk of chunks) {
    const current = merged.at(-1);
    const last = current?.at(-1);
    if (!chunk.isAttributed) {
      between.push(chunk);
      continue;
    }
    const isNext = last !== undefined && between.length === 0 && chunk.startMs <= last.endMs;
    const isBridged =
      last !== undefined &&
      between.length === MAX_BRIDGED &&
      Math.abs(chunk.windError - last.windError) <= MAX_WIND_DIFFERENCE;
    if (current !== undefined && (isNext || isBridged)) current.push(...between, chunk);
    else merged.push([chunk]);
    between = [];
  }
  return merged;
}

const MAX_BRIDGED = 1;
/** [m s⁻¹] */
const MAX_WIND_DIFFERENCE = 2;
