/** GEOS, the geometry library behind shapely and PostGIS, as judge of our own geometry. */
import initGeos from 'geos-wasm';
import { geojsonToGeosGeom } from 'geos-wasm/helpers';
import type { MultiPolygon } from '../../src/polygons/ring.ts';

const geos = await initGeos();

/** "Valid Geometry", or what is wrong and where. */
export function validity(polygons: MultiPolygon): string {
  return withGeometry(polygons, (geometry) => {
    const reason = geos.GEOSisValidReason(geometry);
    const text = typeof reason === 'number' ? geos.Module.UTF8ToString(reason) : String(reason);
    return text;
  });
}

export function isValid(polygons: MultiPolygon): boolean {
  return validity(polygons) === 'Valid Geometry';
}

export function areaOf(polygons: MultiPolygon): number {
  return withGeometry(polygons, measureArea);
}

/** Area of what one of two has and the other has not; both must be valid. */
export function differenceArea(a: MultiPolygon, b: MultiPolygon): number {
  return withGeometry(a, (first) =>
    withGeometry(b, (second) => consume(geos.GEOSSymDifference(first, second), measureArea)),
  );
}

/** Area that polygons cover together; each must be valid. */
export function unionArea(polygons: MultiPolygon): number {
  return withGeometry(polygons, (geometry) => consume(geos.GEOSUnaryUnion(geometry), measureArea));
}

/** Area that two polygons have in common. */
export function commonArea(a: MultiPolygon, b: MultiPolygon): number {
  return withGeometry(a, (first) =>
    withGeometry(b, (second) => consume(geos.GEOSIntersection(first, second), measureArea)),
  );
}

/** Whether no point of the second lies outside the first, exactly. */
export function covers(a: MultiPolygon, b: MultiPolygon): boolean {
  if (b.length === 0) return true;
  return withGeometry(a, (first) => withGeometry(b, (second) => geos.GEOSCovers(first, second) === 1));
}

/** How many positions lie outside; those on the boundary do not. */
export function countOutside(
  polygons: MultiPolygon,
  positions: readonly (readonly [number, number])[],
): number {
  const outside = withGeometry(polygons, (region) =>
    consume(
      geojsonToGeosGeom(
        { type: 'MultiPoint', coordinates: positions.map(([x, y]) => [x, y]) },
        geos,
      ) as number,
      (points) => consume(geos.GEOSDifference(points, region), (left) => geos.GEOSGetNumCoordinates(left)),
    ),
  );
  return outside;
}

/** Nested arrays as in GeoJSON, without altitude. */
export function coordinatesOf(polygons: MultiPolygon): [number, number][][][] {
  return polygons.map((polygon) =>
    polygon.map((ring) =>
      Array.from({ length: ring.length / 2 }, (_, k) => [ring[2 * k] as number, ring[2 * k + 1] as number]),
    ),
  );
}

/** The other way round; altitudes are ignored. */
export function polygonsFrom(
  coordinates: readonly (readonly (readonly (readonly number[])[])[])[],
): MultiPolygon {
  return coordinates.map((polygon) =>
    polygon.map((ring) => Float64Array.from(ring.flatMap(([x, y]) => [x as number, y as number]))),
  );
}

function withGeometry<T>(polygons: MultiPolygon, use: (geometry: number) => T): T {
  return consume(
    geojsonToGeosGeom({ type: 'MultiPolygon', coordinates: coordinatesOf(polygons) }, geos) as number,
    use,
  );
}

function consume<T>(geometry: number, use: (geometry: number) => T): T {
  if (geometry === 0) throw new Error('GEOS could not make the geometry');
  try {
    return use(geometry);
  } finally {
    geos.GEOSGeom_destroy(geometry);
  }
}

function measureArea(geometry: number): number {
  const place = geos.Module._malloc(8);
  geos.GEOSArea(geometry, place);
  const area = geos.Module.getValue(place, 'double') as number;
  geos.Module._free(place);
  return area;
}
