import type { Flight } from '@contrails/client';
import { greatCirclePoint, haversineM } from '@contrails/physics/geodesy';

/** A flight as files, forms and telemetry give it, and positions on the globe. */
export interface Position {
  readonly longitude: number;
  readonly latitude: number;
}

export interface Waypoint extends Position {
  readonly timeMs: number;
  readonly altitudeFt: number;
}

export interface FlightInput {
  readonly name: string;
  /** ICAO designator; undefined where the source has none. */
  readonly aircraftType: string | undefined;
  readonly points: readonly Waypoint[];
  /** What a reader of its results should know of the source. */
  readonly notes?: readonly string[];
  /** The request that gives its published numbers; made of the points unless given. */
  readonly body?: Flight;
}

/** Great-circle distance [km]. */
export function distanceKm(a: Position, b: Position): number {
  return haversineM(a.longitude, a.latitude, b.longitude, b.latitude) / 1000;
}

/** The position at a share of the great circle between two others. */
export function onGreatCircle(from: Position, to: Position, share: number): Position {
  const [longitude, latitude] = greatCirclePoint(
    from.longitude,
    from.latitude,
    to.longitude,
    to.latitude,
    share,
  );
  return { longitude, latitude };
}

/** West, south, east and north of the points, beyond 180° where the track crosses the antimeridian. */
export function boundsOf(points: readonly Position[]): [number, number, number, number] {
  let [west, south, east, north] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];
  let before = points[0]?.longitude ?? 0;
  for (const { longitude, latitude } of points) {
    const unwrapped = longitude - 360 * Math.round((longitude - before) / 360);
    before = unwrapped;
    west = Math.min(west, unwrapped);
    east = Math.max(east, unwrapped);
    south = Math.min(south, latitude);
    north = Math.max(north, latitude);
  }
  return [west, south, east, north];
}
