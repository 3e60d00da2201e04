/** Where countries are named on a map that shows a part of them: points on lattices, finer from zoom to zoom. */
import type { Feature, FeatureCollection, Geometry, MultiPolygon, Polygon, Position } from 'geojson';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { centre, cutPolygon, polygonsIn, shape } from './basemap.ts';

/** The zoom from which a lattice is used, and its distances [°]; each is about half a screen. */
const LATTICES = [3, 4, 5, 6, 7, 8].map((zoom, k) => ({ zoom, east: 44.8 / 2 ** k, north: 22.4 / 2 ** k }));
/** Below this zoom the middle of every country has its name. Large ones need more [square degrees]. */
const [MIDDLE_ZOOM, LARGE_AREA] = [5, 200];

/** One feature for each country and lattice: `name`, and `zoom` from which its points are used. */
export function countryNamesOf(topology: Topology): FeatureCollection {
  const { countries } = topology.objects as Record<'countries', GeometryCollection>;
  const features = feature(topology, countries).features as Feature<Geometry, { name?: string }>[];
  return {
    type: 'FeatureCollection',
    features: features.flatMap(({ properties, geometry }) => {
      const rings = polygonsIn({
        type: 'Feature',
        properties: {},
        geometry: geometry as Polygon | MultiPolygon,
      });
      const polygons = rings.flatMap(cutPolygon);
      const area = polygons.reduce((sum, [outer = []]) => sum + centre(outer).area, 0);
      const lattices = LATTICES.filter(({ zoom }) => zoom >= MIDDLE_ZOOM || area >= LARGE_AREA);
      return lattices.flatMap(({ zoom, east, north }, k) => {
        const isNew = ([i, j]: readonly [number, number]) => k === 0 || i % 2 !== 0 || j % 2 !== 0;
        const points = polygons.flatMap((polygon) => pointsIn(polygon, east, north, isNew));
        if (points.length === 0) return [];
        const geometry: Geometry = { type: 'MultiPoint', coordinates: points };
        return [shape('name', geometry, { name: properties.name, zoom })];
      });
    }),
  };
}

/** Points of a lattice in a polygon. */
function pointsIn(
  polygon: readonly Position[][],
  east: number,
  north: number,
  isWanted: (index: readonly [number, number]) => boolean,
): Position[] {
  const latitudes = (polygon[0] ?? []).map(([, latitude = 0]) => latitude);
  const points: Position[] = [];
  const last = Math.max(...latitudes) / north;
  for (let j = Math.ceil(Math.min(...latitudes) / north); j <= last; j++) {
    for (const [west, end] of stretches(polygon, j * north)) {
      for (let i = Math.ceil(west / east); i * east <= end; i++) {
        if (isWanted([i, j])) points.push([rounded(i * east), rounded(j * north)]);
      }
    }
  }
  return points;
}

/** Where a parallel lies in a polygon and not in its holes, from west to east. */
function stretches(polygon: readonly Position[][], latitude: number): [west: number, east: number][] {
  const crossings = polygon
    .flatMap((ring) =>
      ring.flatMap(([x = 0, y = 0], k) => {
        const [px = x, py = y] = ring[k - 1] ?? ring.at(-1) ?? [];
        return y > latitude !== py > latitude ? [((px - x) * (latitude - y)) / (py - y) + x] : [];
      }),
    )
    .sort((a, b) => a - b);
  return Array.from({ length: Math.floor(crossings.length / 2) }, (_, k) => [
    crossings[2 * k] as number,
    crossings[2 * k + 1] as number,
  ]);
}

function rounded(degrees: number): number {
  return Math.round(degrees * 10) / 10;
}
