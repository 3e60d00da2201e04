/** Areas that a route must not enter: polygons with a range of levels and of times. */
import { InputError } from '../errors.ts';

/** Closed rings as longitude and latitude [°] in turn; even–odd, so holes are outside. */
export interface Area {
  readonly polygons: readonly (readonly Float64Array[])[];
  /** Flight levels, both included. */
  readonly minFlightLevel: number;
  readonly maxFlightLevel: number;
  /** [s since 1970], both included. */
  readonly fromS: number;
  readonly toS: number;
}

/** Whether a position [°] lies inside, at any level and time. */
export function isInArea({ polygons }: Area, longitudeDeg: number, latitudeDeg: number): boolean {
  return polygons.some((rings) => {
    let isInside = false;
    for (const ring of rings) if (isInRing(ring, longitudeDeg, latitudeDeg)) isInside = !isInside;
    return isInside;
  });
}

/** Whether an area is closed at a level and time [s since 1970]. */
export function isAreaClosed(area: Area, flightLevel: number, timeS: number): boolean {
  return (
    flightLevel >= area.minFlightLevel &&
    flightLevel <= area.maxFlightLevel &&
    timeS >= area.fromS &&
    timeS <= area.toS
  );
}

function isInRing(ring: Float64Array, longitudeDeg: number, latitudeDeg: number): boolean {
  const first = ring[0] as number;
  const lon = nearTo(first, longitudeDeg);
  const points = ring.length / 2;
  let isInside = false;
  for (let i = 0, before = points - 1; i < points; before = i++) {
    const [xa, ya] = [nearTo(first, ring[2 * i] as number), ring[2 * i + 1] as number];
    const [xb, yb] = [nearTo(first, ring[2 * before] as number), ring[2 * before + 1] as number];
    if (ya > latitudeDeg === yb > latitudeDeg) continue;
    if (lon < xa + ((latitudeDeg - ya) * (xb - xa)) / (yb - ya)) isInside = !isInside;
  }
  return isInside;
}

/** The longitude [°] within 180° of another. */
function nearTo(reference: number, longitudeDeg: number): number {
  const difference = longitudeDeg - reference;
  return longitudeDeg - 360 * Math.floor((difference + 180) / 360);
}

const MAX_AREAS = 100;
const MAX_VERTICES = 10_000;

/** Areas of a GeoJSON FeatureCollection of polygons; `min_flight_level`, `max_flight_level`, `from` and `to` are open if absent. */
export function areasOf(collection: unknown): Area[] {
  const { type, features } = (collection ?? {}) as { type?: unknown; features?: unknown };
  if (type !== 'FeatureCollection' || !Array.isArray(features))
    throw new InputError('avoid is not a GeoJSON FeatureCollection', { path: 'avoid', value: type });
  const areas = features.map((feature, i) => areaOf(feature, `avoid.features[${i}]`));
  const vertices = areas
    .flatMap(({ polygons }) => polygons.flat())
    .reduce((sum, ring) => sum + ring.length / 2, 0);
  if (areas.length > MAX_AREAS || vertices > MAX_VERTICES)
    throw new InputError(
      `avoid has ${areas.length} areas with ${vertices} vertices; at most ${MAX_AREAS} with ${MAX_VERTICES} are allowed`,
      { path: 'avoid', areas: areas.length, vertices },
    );
  return areas;
}

function areaOf(feature: unknown, path: string): Area {
  const { geometry, properties } = (feature ?? {}) as Record<
    string,
    Record<string, unknown> | null | undefined
  >;
  const coordinates = geometry?.coordinates;
  const type = geometry?.type;
  if ((type !== 'Polygon' && type !== 'MultiPolygon') || !Array.isArray(coordinates))
    throw new InputError(`${path}.geometry is not a Polygon or MultiPolygon`, { path, type });
  const polygons = (type === 'Polygon' ? [coordinates] : coordinates) as unknown[];
  const level = (name: string, open: number) => {
    const value = properties?.[name] ?? open;
    if (typeof value === 'number') return value;
    throw new InputError(`${path}.properties.${name} is not a flight level`, { path, name, value });
  };
  const time = (name: string, open: number) => {
    const value = properties?.[name];
    if (value === undefined || value === null) return open;
    const isZoned = typeof value === 'string' && /(Z|[+-]\d\d(:?\d\d)?)$/i.test(value.slice(10));
    const seconds =
      typeof value === 'string'
        ? Date.parse(isZoned || value.length <= 10 ? value : `${value}Z`) / 1000
        : Number.NaN;
    if (!Number.isNaN(seconds)) return seconds;
    throw new InputError(`${path}.properties.${name} is not a time such as 2027-02-03T20:00:00Z`, {
      path,
      name,
      value,
    });
  };
  const minFlightLevel = level('min_flight_level', Number.NEGATIVE_INFINITY);
  const maxFlightLevel = level('max_flight_level', Number.POSITIVE_INFINITY);
  const [fromS, toS] = [time('from', Number.NEGATIVE_INFINITY), time('to', Number.POSITIVE_INFINITY)];
  if (minFlightLevel > maxFlightLevel)
    throw new InputError(`${path}.properties.min_flight_level is above max_flight_level`, { path });
  if (fromS > toS) throw new InputError(`${path}.properties.from is after to`, { path });
  return {
    polygons: polygons.map((rings, i) => ringsOf(rings, `${path}.geometry.coordinates[${i}]`)),
    ...{ minFlightLevel, maxFlightLevel, fromS, toS },
  };
}

function ringsOf(rings: unknown, path: string): Float64Array[] {
  if (!Array.isArray(rings) || rings.length === 0) throw new InputError(`${path} has no rings`, { path });
  return rings.map((ring: unknown) => {
    const points = Array.isArray(ring) ? (ring as unknown[][]) : [];
    const numbers = points.flatMap((point) => (Array.isArray(point) ? point.slice(0, 2) : []));
    const isValid =
      points.length >= 4 &&
      numbers.length === 2 * points.length &&
      numbers.every((value) => typeof value === 'number' && Number.isFinite(value)) &&
      [0, 1].every((axis) => numbers[axis] === numbers.at(axis - 2));
    if (!isValid)
      throw new InputError(`${path} has a ring that is not a closed list of at least four positions`, {
        path,
      });
    const latitude = points.map(([, value]) => value as number).find((value) => Math.abs(value) > 90);
    if (latitude !== undefined)
      throw new InputError(`${path} has the latitude ${latitude}; positions are longitude, then latitude`, {
        path,
      });
    return Float64Array.from(numbers as number[]);
  });
}
