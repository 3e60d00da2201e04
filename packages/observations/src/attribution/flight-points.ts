/** From the track of a flight to the points whose exhaust is followed. */
import { greatCirclePoint, haversineM } from '@contrails/physics/geodesy';
import { MINUTE_MS } from '@contrails/runtime';

/** A track as telemetry reports it, in any order. */
export interface FlightTrack {
  /** `{carrier}~{flight number}~{departure date}~{departure airport}`, or another key that is unique. */
  readonly flight: string;
  /** [ms since 1970] */
  readonly timeMs: ArrayLike<number>;
  /** [deg] */
  readonly longitude: ArrayLike<number>;
  readonly latitude: ArrayLike<number>;
  /** Pressure altitude [m]. */
  readonly altitudeM: ArrayLike<number>;
}

/** Positions once a minute, in order of time. */
export interface FlightPoints {
  readonly flight: string;
  readonly timeMs: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly altitudeM: Float64Array;
  /** Ground distance of the points that were kept [m]. */
  readonly distanceM: number;
}

/** Points are a minute apart from the first of their part on. */
const POINT_STEP_MS = MINUTE_MS;
const MAX_GAP_MS = 20 * MINUTE_MS;
const MIN_ALTITUDE_M = 7500;
const MIN_POINTS = 10;

/** Points of the cruise, or why there are none. */
export function prepareFlight(track: FlightTrack): FlightPoints | { readonly reason: string } {
  const reports = cleanReports(track);
  if (reports.length === 0) return { reason: 'no report has a time, a position and an altitude' };
  const points = parts(reports).flatMap(resample);
  if (points.length < MIN_POINTS) {
    return { reason: `${points.length} of at least ${MIN_POINTS} minutes are above ${MIN_ALTITUDE_M} m` };
  }
  const column = (pick: (report: Report) => number) => Float64Array.from(points, pick);
  return {
    flight: track.flight,
    timeMs: column(({ timeMs }) => timeMs),
    longitude: column(({ lon }) => lon),
    latitude: column(({ lat }) => lat),
    altitudeM: column(({ altitudeM }) => altitudeM),
    distanceM: lengthOf(points),
  };
}

interface Report {
  readonly timeMs: number;
  readonly lon: number;
  readonly lat: number;
  readonly altitudeM: number;
}

function cleanReports({ timeMs, longitude, latitude, altitudeM }: FlightTrack): Report[] {
  const reports = Array.from(timeMs, (time, i) => ({
    timeMs: time,
    lon: longitude[i] as number,
    lat: latitude[i] as number,
    altitudeM: altitudeM[i] as number,
  })).filter(({ timeMs: time, lon, lat, altitudeM: altitude }) =>
    Number.isFinite(time + lon + lat + altitude),
  );
  reports.sort((a, b) => a.timeMs - b.timeMs);
  return reports.filter((report, i) => i === 0 || report.timeMs > (reports[i - 1] as Report).timeMs);
}

/** Stretches above the lowest altitude, without gaps. */
function parts(reports: readonly Report[]): Report[][] {
  const found: Report[][] = [];
  let current: Report[] = [];
  for (const report of reports) {
    const last = current.at(-1);
    const isHigh = report.altitudeM > MIN_ALTITUDE_M;
    if (last !== undefined && (!isHigh || report.timeMs - last.timeMs > MAX_GAP_MS)) {
      found.push(current);
      current = [];
    }
    if (isHigh) current.push(report);
  }
  if (current.length > 0) found.push(current);
  return found;
}

function resample(part: readonly Report[]): Report[] {
  const [first, last] = [part[0] as Report, part.at(-1) as Report];
  const count = Math.floor((last.timeMs - first.timeMs) / POINT_STEP_MS) + 1;
  let next = 0;
  return Array.from({ length: count }, (_, k) => {
    const timeMs = first.timeMs + k * POINT_STEP_MS;
    while (next + 2 < part.length && (part[next + 1] as Report).timeMs <= timeMs) next++;
    const [a, b] = [part[next] as Report, part[next + 1] ?? (part[next] as Report)];
    const fraction = b.timeMs > a.timeMs ? (timeMs - a.timeMs) / (b.timeMs - a.timeMs) : 0;
    const [lon, lat] = greatCirclePoint(a.lon, a.lat, b.lon, b.lat, Math.min(1, fraction));
    return { timeMs, lon, lat, altitudeM: a.altitudeM + fraction * (b.altitudeM - a.altitudeM) };
  });
}

/** Over whole minutes only: a gap between parts is not flown distance. */
function lengthOf(points: readonly Report[]): number {
  let sum = 0;
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1] as Report, points[i] as Report];
    if (b.timeMs - a.timeMs <= POINT_STEP_MS) sum += haversineM(a.lon, a.lat, b.lon, b.lat);
  }
  return sum;
}
