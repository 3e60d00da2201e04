/** The basemap: Natural Earth from the package world-atlas, cut at the antimeridian and written as GeoJSON. */
import type { Feature, FeatureCollection, Geometry, MultiPolygon, Polygon, Position } from 'geojson';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

type Ring = Position[];

/** Land, borders and names as one collection; `kind` of a feature is `land`, `coast`, `border` or `name`. */
export function basemapOf(topology: Topology): FeatureCollection {
  const { land, countries } = topology.objects as Record<'land' | 'countries', GeometryCollection>;
  const landPolygons = polygonsIn(feature(topology, land)).flatMap(cutPolygon);
  const shapes = feature(topology, countries).features as Feature<Geometry, { name?: string }>[];
  return {
    type: 'FeatureCollection',
    features: [
      shape('land', { type: 'MultiPolygon', coordinates: landPolygons.map((rings) => rings.map(rounded)) }),
      shape('coast', lines(mesh(topology, countries, (a, b) => a === b).coordinates)),
      shape('border', lines(mesh(topology, countries, (a, b) => a !== b).coordinates)),
      ...shapes.flatMap(nameOf),
    ],
  };
}

export function shape(kind: string, geometry: Geometry, more: object = {}): Feature {
  return { type: 'Feature', properties: { kind, ...more }, geometry };
}

function lines(coordinates: Position[][]): Geometry {
  return { type: 'MultiLineString', coordinates: coordinates.flatMap(cutLine).map(rounded) };
}

export function polygonsIn(given: Feature | FeatureCollection): Ring[][] {
  const features = given.type === 'FeatureCollection' ? given.features : [given];
  return features.flatMap(({ geometry }) => {
    if (geometry.type === 'Polygon') return [geometry.coordinates];
    return geometry.type === 'MultiPolygon' ? geometry.coordinates : [];
  });
}

/** A polygon as the pieces of it that lie on each side of the antimeridian. */
export function cutPolygon([outer = [], ...holes]: Ring[]): Ring[][] {
  const whole = closedAtPole(unwrapped(outer));
  const turns = turnsOf(whole);
  return turns.flatMap((turn) => {
    const piece = clipped(whole, turn);
    if (piece.length < 4) return [];
    const inner = holes
      .map((hole) => clipped(nextTo(unwrapped(hole), whole), turn))
      .filter((ring) => ring.length >= 4);
    return [[piece, ...inner]];
  });
}

/** Longitudes that go on beyond 180° instead of jumping. */
function unwrapped(ring: Ring): Ring {
  let shift = 0;
  return ring.map(([longitude = 0, latitude = 0], k) => {
    const before = ring[k - 1]?.[0] ?? longitude;
    if (longitude - before > 180) shift -= 360;
    else if (before - longitude > 180) shift += 360;
    return [longitude + shift, latitude];
  });
}

/** A ring around a pole does not close by itself: it ends one turn from where it began. */
function closedAtPole(ring: Ring): Ring {
  const [first, last] = [ring[0], ring.at(-1)];
  if (first === undefined || last === undefined) return ring;
  if (Math.abs((last[0] ?? 0) - (first[0] ?? 0)) < 180) return ring;
  const pole = (first[1] ?? 0) < 0 ? -90 : 90;
  return [...ring, [last[0] ?? 0, pole], [first[0] ?? 0, pole], first];
}

function turnsOf(ring: Ring): number[] {
  const longitudes = ring.map(([longitude = 0]) => longitude);
  const first = Math.floor((Math.min(...longitudes) + 180) / 360);
  const last = Math.floor((Math.max(...longitudes) + 180 - 1e-9) / 360);
  return Array.from({ length: last - first + 1 }, (_, k) => first + k);
}

function nextTo(hole: Ring, outer: Ring): Ring {
  const distance = (hole[0]?.[0] ?? 0) - (outer[0]?.[0] ?? 0);
  const shift = -360 * Math.round(distance / 360);
  return hole.map(([longitude = 0, latitude = 0]) => [longitude + shift, latitude]);
}

/** What of a ring lies within one turn of the globe, moved to −180…180. */
function clipped(ring: Ring, turn: number): Ring {
  const [west, east] = [-180 + 360 * turn, 180 + 360 * turn];
  const half = clipHalf(
    clipHalf(ring, (longitude) => longitude - west),
    (longitude) => east - longitude,
  );
  return half.map(([longitude = 0, latitude = 0]) => [longitude - 360 * turn, latitude]);
}

/** Sutherland–Hodgman for one edge: keeps what `inside` is not negative for. */
function clipHalf(ring: Ring, inside: (longitude: number) => number): Ring {
  const kept: Ring = [];
  ring.forEach((position, k) => {
    const [x = 0, y = 0] = position;
    const [px = x, py = y] = ring[k - 1] ?? position;
    const [here, before] = [inside(x), inside(px)];
    if (here >= 0 !== before >= 0) {
      const share = before / (before - here);
      kept.push([px + share * (x - px), py + share * (y - py)]);
    }
    if (here >= 0) kept.push([x, y]);
  });
  const [first, last] = [kept[0], kept.at(-1)];
  if (first !== undefined && (first[0] !== last?.[0] || first[1] !== last?.[1])) kept.push(first);
  return kept;
}

function cutLine(line: Position[]): Position[][] {
  const pieces: Position[][] = [[]];
  line.forEach((position, k) => {
    const before = line[k - 1];
    if (before !== undefined && Math.abs((position[0] ?? 0) - (before[0] ?? 0)) > 180) pieces.push([]);
    pieces.at(-1)?.push(position);
  });
  return pieces.filter((piece) => piece.length > 1);
}

/** About a kilometre: the data are coarser. */
function rounded(positions: Position[]): Position[] {
  return positions.map(([longitude = 0, latitude = 0]) => [
    Math.round(longitude * 100) / 100,
    Math.round(latitude * 100) / 100,
  ]);
}

/** Smaller countries would be named where nobody finds them [square degrees]. */
const MIN_AREA = 0.05;

/** The name in the middle of the largest part of a country. */
function nameOf({ properties, geometry }: Feature<Geometry, { name?: string }>): Feature[] {
  const { name } = properties;
  const rings = polygonsIn({ type: 'Feature', properties: {}, geometry: geometry as Polygon | MultiPolygon })
    .flatMap(cutPolygon)
    .map(([outer = []]) => ({ outer, ...centre(outer) }))
    .sort((a, b) => b.area - a.area);
  const [largest] = rings;
  if (name === undefined || largest === undefined || largest.area < MIN_AREA) return [];
  return [
    shape(
      'name',
      { type: 'Point', coordinates: largest.position },
      { name, area: Number(largest.area.toPrecision(2)) },
    ),
  ];
}

export function centre(ring: Ring): { readonly area: number; readonly position: Position } {
  let [area, x, y] = [0, 0, 0];
  for (let k = 1; k < ring.length; k++) {
    const [ax = 0, ay = 0] = ring[k - 1] ?? [];
    const [bx = 0, by = 0] = ring[k] ?? [];
    const cross = ax * by - bx * ay;
    area += cross / 2;
    x += ((ax + bx) * cross) / 6;
    y += ((ay + by) * cross) / 6;
  }
  if (area === 0) return { area: 0, position: [0, 0] };
  return {
    area: Math.abs(area),
    position: [Math.round((100 * x) / area) / 100, Math.round((100 * y) / area) / 100],
  };
}
