import { type Borders, followBorders } from './borders.ts';
import { DisjointSets } from './disjoint-sets.ts';
import { convexHull } from './hull.ts';
import { type CellTest, labelImage } from './mask.ts';
import type { MultiPolygon, Polygon, Ring } from './ring.ts';
import { type RingOptions, RingShaper } from './ring-shaper.ts';
import { isValidPolygon, overlaps } from './validity.ts';
import { enclosedArea } from './winding.ts';

export interface PolygonOptions extends RingOptions {
  readonly test: CellTest;
  /** Whether holes are kept; true by default. Without them, islands in holes are left out too. */
  readonly interiors?: boolean;
}

/**
 * Regions of a plane of cells (latitude running fastest; both axes ascend evenly) as valid polygons, planar in degrees.
 * Longitudes that go on at the antimeridian with −180 make two planes, as do those of the whole globe.
 */
export function polygonsOf(
  field: Float32Array | Float64Array,
  longitude: ArrayLike<number>,
  latitude: ArrayLike<number>,
  options: PolygonOptions,
): MultiPolygon {
  const east = antimeridian(longitude);
  if (east === longitude.length) return planePolygons(field, longitude, latitude, options);
  const axis = Float64Array.from(longitude);
  const split = east * latitude.length;
  return [
    ...planePolygons(field.subarray(split), axis.subarray(east), latitude, options),
    ...planePolygons(field.subarray(0, split), axis.subarray(0, east), latitude, options),
  ];
}

/** Where longitudes stop ascending. */
function antimeridian(longitude: ArrayLike<number>): number {
  for (let i = 1; i < longitude.length; i++)
    if ((longitude[i] as number) < (longitude[i - 1] as number)) return i;
  return longitude.length;
}

/** Labels of the last plane: level after level needs as many, and megabytes of garbage are dear. */
let spareLabels: Int32Array = new Int32Array();

function planePolygons(
  field: Float32Array | Float64Array,
  longitude: ArrayLike<number>,
  latitude: ArrayLike<number>,
  options: PolygonOptions,
): MultiPolygon {
  const image = labelImage(field, longitude.length, latitude.length, options.test, spareLabels);
  spareLabels = image.labels;
  const borders = followBorders(image);
  const shaper = new RingShaper(longitude, latitude, image, options);
  const interiors = (options.interiors ?? true) && !options.convexHull;
  const polygons: Polygon[] = [];
  const holes = holesOf(borders);
  for (let border = borders.count - 1; border >= 0; border--) {
    if (borders.isHole[border] || (!interiors && (borders.parent[border] as number) >= 0)) continue;
    const exterior = shaper.exterior(borders, border);
    if (exterior === undefined) continue;
    const rings = [exterior];
    if (interiors) {
      for (const hole of holes.get(border) ?? []) {
        const ring = shaper.interior(borders, hole);
        if (ring !== undefined) rings.push(ring);
      }
    }
    polygons.push(isValidPolygon(rings) ? rings : [exterior]);
  }
  return withoutOverlaps(polygons, interiors, options.convexHull ?? false);
}

/** Holes of every outer border, the last found first. */
function holesOf({ count, isHole, parent }: Borders): Map<number, number[]> {
  const holes = new Map<number, number[]>();
  for (let border = count - 1; border >= 0; border--) {
    if (!isHole[border]) continue;
    const outer = parent[border] as number;
    const known = holes.get(outer);
    if (known === undefined) holes.set(outer, [border]);
    else known.push(border);
  }
  return holes;
}

/** Polygons that overlap are united (islands in a hole that was filled; what simplification or hulls pushed together). */
function withoutOverlaps(polygons: readonly Polygon[], interiors: boolean, hulls: boolean): MultiPolygon {
  const pairs = overlaps(polygons);
  if (pairs.length === 0) return polygons;
  const groups = new DisjointSets(polygons.length);
  for (const [p, q] of pairs) groups.join(p, q);
  const members = Map.groupBy(polygons.keys(), (p) => groups.setOf(p));
  const united = [...members.values()].flatMap((indices) => {
    const rings = indices.flatMap((index) => polygons[index] as Polygon);
    if (indices.length === 1) return [rings];
    const areas = enclosedArea(rings);
    if (interiors) return areas;
    return areas.map(([exterior]) => [hulls ? convexHull(exterior as Ring) : (exterior as Ring)]);
  });
  return withoutOverlaps(united, interiors, hulls);
}

/** Tolerance of each level of simplification, in degrees. */
const TOLERANCES_DEG = [0, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5] as const;

export const DEFAULT_SIMPLIFICATION = 3;
export const MAX_SIMPLIFICATION = TOLERANCES_DEG.length - 1;

/** What a level (0 to 10) leaves out. Level 10 is that of forecast regions. */
export function simplificationOf(
  level: number,
): Required<Pick<PolygonOptions, 'minAreaDeg2' | 'toleranceDeg' | 'precision'>> {
  const toleranceDeg = TOLERANCES_DEG[level];
  if (toleranceDeg === undefined)
    throw new RangeError(`there is no simplification level ${level}: give 0 to ${MAX_SIMPLIFICATION}`);
  return { minAreaDeg2: level / 10, toleranceDeg, precision: level === 0 ? 3 : 2 };
}
