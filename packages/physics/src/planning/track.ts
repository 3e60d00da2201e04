/** The flight as it is planned: its track in short segments, the part in cruise, and the altitudes of another level. */
import { rocdFtMin, segmentGeometryInto } from '../aircraft/kinematics.ts';
import type { FlightWith } from '../flight-columns.ts';
import { haversineM } from '../geodesy/sphere.ts';
import { wrapLongitude } from '../numerics/lerp.ts';
import { degreesToRadians, radiansToDegrees } from '../units.ts';

/** Longer segments are cut: the contrail model drops segments beyond 40 km, and a coarse track must not look contrail-free. */
const MAX_SEGMENT_M = 20_000;
/** In distance instead of time, so a profile does not depend on the wind [ft m⁻¹]. */
export const CLIMB_FT_PER_M = 1000 / 15_000;
export const DESCENT_FT_PER_M = 1000 / 7_500;
/** Below this rate of climb or descent [ft min⁻¹] a segment is level. */
export const LEVEL_FT_MIN = 250;
const MIN_CRUISE_FT = 20_000;
const MIN_CRUISE_S = 300;

/** Waypoints, and the segment from each to the next; the last has none. */
export interface WorkingTrack {
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly altitudeFt: Float64Array;
  readonly timeMs: Float64Array;
  /** Length of the segment [m]; 0 at the last waypoint. */
  readonly lengthM: Float64Array;
  /** Northward and eastward share of its direction. */
  readonly sinA: Float64Array;
  readonly cosA: Float64Array;
  /** Distance from the first waypoint [m]. */
  readonly alongM: Float64Array;
  /** Waypoint of the request → waypoint of the track. */
  readonly indexOf: Uint32Array;
  /** How many waypoints the request does not have. */
  readonly inserted: number;
}

/** Cuts segments longer than 20 km into equal pieces of their great circle. */
export function workingTrack({
  longitude,
  latitude,
  altitudeFt,
  timeMs,
}: FlightWith<'altitudeFt'>): WorkingTrack {
  const points: [longitude: number, latitude: number, altitudeFt: number, timeMs: number][] = [];
  const indexOf = new Uint32Array(timeMs.length);
  for (let i = 0; i < timeMs.length; i++) {
    indexOf[i] = points.length;
    const from = [longitude[i] as number, latitude[i] as number] as const;
    const [altitude, time] = [altitudeFt[i] as number, timeMs[i] as number];
    points.push([...from, altitude, time]);
    if (i + 1 === timeMs.length) break;
    const to = [longitude[i + 1] as number, latitude[i + 1] as number] as const;
    const pieces = Math.ceil(haversineM(...from, ...to) / MAX_SEGMENT_M);
    for (let j = 1; j < pieces; j++) {
      const share = j / pieces;
      points.push([
        ...betweenOnGreatCircle(from, to, share),
        altitude + share * ((altitudeFt[i + 1] as number) - altitude),
        Math.floor(time + share * ((timeMs[i + 1] as number) - time) + 0.5),
      ]);
    }
  }
  const column = (k: 0 | 1 | 2 | 3) => Float64Array.from(points, (point) => point[k]);
  const [lon, lat] = [column(0), column(1)];
  const empty = () => new Float64Array(points.length);
  const [lengthM, sinA, cosA, alongM] = [empty(), empty(), empty(), empty()];
  segmentGeometryInto({ haversineM: lengthM, sinA, cosA }, lon, lat);
  lengthM[points.length - 1] = 0;
  for (let i = 1; i < points.length; i++) alongM[i] = (alongM[i - 1] as number) + (lengthM[i - 1] as number);
  return {
    ...{ longitude: lon, latitude: lat, altitudeFt: column(2), timeMs: column(3) },
    ...{ lengthM, sinA, cosA, alongM, indexOf, inserted: points.length - timeMs.length },
  };
}

function betweenOnGreatCircle(
  from: readonly [number, number],
  to: readonly [number, number],
  share: number,
): [longitude: number, latitude: number] {
  const [p, q] = [unitVector(from), unitVector(to)];
  const angle = 2 * Math.asin(Math.min(1, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) / 2));
  const [ofFrom, ofTo] = [Math.sin((1 - share) * angle), Math.sin(share * angle)].map(
    (weight) => weight / Math.sin(angle),
  ) as [number, number];
  const [x, y, z] = p.map((value, k) => ofFrom * value + ofTo * (q[k] as number)) as [number, number, number];
  return [
    wrapLongitude(radiansToDegrees(Math.atan2(y, x))),
    radiansToDegrees(Math.atan2(z, Math.hypot(x, y))),
  ];
}

function unitVector([longitude, latitude]: readonly [number, number]): [number, number, number] {
  const [lambda, phi] = [degreesToRadians(longitude), degreesToRadians(latitude)];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

/** Which waypoints of the track may change, first and last. */
export interface CruisePart {
  readonly first: number;
  readonly last: number;
  /** Whether the parts before and after keep their altitudes: a flight under way. */
  readonly isFixedBefore: boolean;
  readonly isFixedAfter: boolean;
}

/**
 * From the first to the last run of level segments that lasts five minutes; undefined where there is none. Waypoints of the request
 * narrow it.
 */
export function cruisePart(
  track: WorkingTrack,
  fromWaypoint?: number | undefined,
  toWaypoint?: number | undefined,
): CruisePart | undefined {
  const { altitudeFt, timeMs, indexOf } = track;
  let [first, last, start] = [-1, -1, -1];
  for (let i = 0; i < timeMs.length; i++) {
    if (i + 1 < timeMs.length && isCruiseSegment(altitudeFt, timeMs, i)) {
      if (start < 0) start = i;
      continue;
    }
    if (start >= 0 && (timeMs[i] as number) - (timeMs[start] as number) >= 1000 * MIN_CRUISE_S) {
      if (first < 0) first = start;
      last = i;
    }
    start = -1;
  }
  if (first < 0) return undefined;
  if (fromWaypoint !== undefined) first = Math.max(first, indexOf[fromWaypoint] ?? Number.POSITIVE_INFINITY);
  if (toWaypoint !== undefined) last = Math.min(last, indexOf[toWaypoint] ?? Number.NEGATIVE_INFINITY);
  if (!(last > first)) return undefined;
  return {
    first,
    last,
    isFixedBefore: fromWaypoint !== undefined,
    isFixedAfter: toWaypoint !== undefined,
  };
}

function isCruiseSegment(altitudeFt: Float64Array, timeMs: Float64Array, i: number): boolean {
  const [from, to] = [altitudeFt[i] as number, altitudeFt[i + 1] as number];
  return Math.min(from, to) >= MIN_CRUISE_FT && isLevelSegment(altitudeFt, timeMs, i);
}

/** Whether the segment from waypoint i climbs and descends at less than 250 ft/min. */
export function isLevelSegment(altitudeFt: Float64Array, timeMs: Float64Array, i: number): boolean {
  const durationS = ((timeMs[i + 1] as number) - (timeMs[i] as number)) / 1000;
  return Math.abs(rocdFtMin(altitudeFt[i] as number, altitudeFt[i + 1] as number, durationS)) < LEVEL_FT_MIN;
}

/**
 * Altitudes [ft] of the flight towards a target inside the cruise part: a higher one prolongs the climb and begins the descent
 * earlier, a lower one ends the climb and begins the descent where the flight itself passes it.
 */
export function rowAltitudes(
  { altitudeFt, alongM }: WorkingTrack,
  { first, last, isFixedBefore, isFixedAfter }: CruisePart,
  targetFt: (waypoint: number) => number,
): Float64Array {
  const at = (i: number) => altitudeFt[i] as number;
  const between = (from: number, to: number) => (alongM[to] as number) - (alongM[from] as number);
  const [firstTarget, lastTarget] = [targetFt(first), targetFt(last)];
  return altitudeFt.map((own, i) => {
    if ((isFixedBefore && i <= first) || (isFixedAfter && i >= last)) return own;
    const up = i <= first ? own : at(first) + CLIMB_FT_PER_M * between(first, i);
    const down = i >= last ? own : at(last) + DESCENT_FT_PER_M * between(i, last);
    const target = i < first ? firstTarget : i > last ? lastTarget : targetFt(i);
    let altitude = Math.min(up, down, target);
    if (isFixedBefore) altitude = Math.max(altitude, at(first) - DESCENT_FT_PER_M * between(first, i));
    if (isFixedAfter) altitude = Math.max(altitude, at(last) - CLIMB_FT_PER_M * between(i, last));
    return altitude;
  });
}
