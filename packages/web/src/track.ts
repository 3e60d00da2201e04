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
}

/** Great-circle distance [km]. */
export function distanceKm(a: Position, b: Position): number {
  const radians = Math.PI / 180;
  const [lat1, lat2] = [a.latitude * radians, b.latitude * radians];
  const half = (angle: number) => Math.sin(angle / 2) ** 2;
  const h = half(lat2 - lat1) + Math.cos(lat1) * Math.cos(lat2) * half((b.longitude - a.longitude) * radians);
  return 2 * 6371 * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** The position at a share of the great circle between two others. */
export function onGreatCircle(from: Position, to: Position, share: number): Position {
  const radians = Math.PI / 180;
  const vector = ({ longitude, latitude }: Position) => {
    const [lon, lat] = [longitude * radians, latitude * radians];
    return [Math.cos(lat) * Math.cos(lon), Math.cos(lat) * Math.sin(lon), Math.sin(lat)] as const;
  };
  const [a, b] = [vector(from), vector(to)];
  const angle = distanceKm(from, to) / 6371;
  if (angle < 1e-9) return { longitude: from.longitude, latitude: from.latitude };
  const [wa, wb] = [Math.sin((1 - share) * angle), Math.sin(share * angle)].map((w) => w / Math.sin(angle));
  const mix = (k: 0 | 1 | 2) => (wa ?? 0) * a[k] + (wb ?? 0) * b[k];
  const [x, y, z] = [mix(0), mix(1), mix(2)];
  return { longitude: Math.atan2(y, x) / radians, latitude: Math.atan2(z, Math.hypot(x, y)) / radians };
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
