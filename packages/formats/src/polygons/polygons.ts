import { type Borders, followBorders } from './borders.ts';
import { convexHull } from './hull.ts';
import { type CellTest, type LabelImage, labelImage } from './mask.ts';
import { type Cell, expanded, outlineOf } from './outline.ts';
import { type MultiPolygon, oriented, type Polygon, type Ring, rounded, signedArea } from './ring.ts';
import { simplified } from './simplify.ts';
import { isSimple, isValidPolygon, overlaps } from './validity.ts';
import { enclosedArea } from './winding.ts';
import { heldInWorld } from './world.ts';

export interface PolygonOptions {
  readonly test: CellTest;
  /** Rings that enclose less are left out, holes filled; square degrees. */
  readonly minAreaDeg2?: number;
  /** How far a simplified ring may be from the full one. */
  readonly toleranceDeg?: number;
  /** Decimals of the coordinates; more where a ring needs them to stay valid. All digits by default. */
  readonly precision?: number;
  /** Whether holes are kept; true by default. Without them, islands in holes are left out too. */
  readonly interiors?: boolean;
  /** Whether exteriors are replaced by their convex hulls, which have no holes. */
  readonly convexHull?: boolean;
  /** Whether rings end at ±180° and ±90°, as readers expect; true by default. */
  readonly withinWorld?: boolean;
  /** Size of a cell where the axes have one value only; 0.25 by default. */
  readonly cellSizeDeg?: number;
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
  const group = polygons.map((_, p) => p);
  const root = (p: number): number => (group[p] === p ? p : root(group[p] as number));
  for (const [p, q] of pairs) group[root(p)] = root(q);
  const members = Map.groupBy(polygons.keys(), root);
  const united = [...members.values()].flatMap((places) => {
    const rings = places.flatMap((place) => polygons[place] as Polygon);
    if (places.length === 1) return [rings];
    const areas = enclosedArea(rings);
    if (interiors) return areas;
    return areas.map(([exterior]) => [hulls ? convexHull(exterior as Ring) : (exterior as Ring)]);
  });
  return withoutOverlaps(united, interiors, hulls);
}

/** Makes rings of borders. */
class RingShaper {
  private readonly longitude: ArrayLike<number>;
  private readonly latitude: ArrayLike<number>;
  private readonly stride: number;
  private readonly options: PolygonOptions;
  private readonly cell: Cell;
  private readonly halfCell: number;

  constructor(
    longitude: ArrayLike<number>,
    latitude: ArrayLike<number>,
    { stride }: LabelImage,
    options: PolygonOptions,
  ) {
    this.longitude = longitude;
    this.latitude = latitude;
    this.stride = stride;
    this.options = options;
    this.cell = cellOf(longitude, latitude, options.cellSizeDeg);
    this.halfCell = Math.min(this.cell.width, this.cell.height) / 2;
  }

  /** Undefined when the ring is too small. */
  exterior(borders: Borders, border: number): Ring | undefined {
    const outline = outlineOf(this.corners(borders, border), this.cell);
    if (signedArea(outline) < (this.options.minAreaDeg2 ?? 0)) return undefined;
    const shape = this.options.convexHull ? convexHull(outline) : outline;
    return this.finish(shape, 0, 'counter-clockwise');
  }

  /** Interiors stay half a cell off the edge of the world: the cells of the edge have an outer half to show. */
  interior(borders: Borders, border: number): Ring | undefined {
    const corners = this.corners(borders, border);
    const ring = isSimple(corners) ? corners : this.widened(corners);
    if (ring === undefined || -signedArea(ring) < (this.options.minAreaDeg2 ?? 0)) return undefined;
    return this.finish(ring, this.halfCell, 'clockwise');
  }

  /** A hole whose ring meets itself, a little wider so that it does not. */
  private widened(corners: Ring): Ring | undefined {
    const largest = largestOf(
      enclosedArea([expanded(oriented(corners, 'counter-clockwise'), this.halfCell / 10)]),
    );
    return largest && oriented(largest, 'clockwise');
  }

  private finish(
    shape: Ring,
    marginDeg: number,
    direction: 'counter-clockwise' | 'clockwise',
  ): Ring | undefined {
    const { toleranceDeg = 0, precision, withinWorld = true } = this.options;
    const held = withinWorld ? heldInWorld(shape, marginDeg) : shape;
    const reduced = toleranceDeg > 0 ? simplified(held, toleranceDeg) : held;
    const simple = reduced === shape ? shape : repaired(reduced, direction);
    if (simple === undefined) return undefined;
    return precision === undefined ? simple : roundedSimple(simple, precision);
  }

  private corners({ first, corners }: Borders, border: number): Ring {
    const start = first[border] as number;
    const count = (first[border + 1] as number) - start;
    const ring = new Float64Array(2 * count + 2);
    for (let k = 0; k <= count; k++) {
      const cell = corners[start + (k === count ? 0 : k)] as number;
      const column = Math.floor(cell / this.stride);
      ring[2 * k] = this.longitude[column - 1] as number;
      ring[2 * k + 1] = this.latitude[cell - column * this.stride - 1] as number;
    }
    return ring;
  }
}

/** Spacing of the axes to six decimals. */
function cellOf(longitude: ArrayLike<number>, latitude: ArrayLike<number>, cellSizeDeg = 0.25): Cell {
  const step = (axis: ArrayLike<number>) =>
    axis.length < 2 ? undefined : Number(((axis[1] as number) - (axis[0] as number)).toFixed(6));
  return {
    width: step(longitude) ?? step(latitude) ?? cellSizeDeg,
    height: step(latitude) ?? step(longitude) ?? cellSizeDeg,
  };
}

/** The largest part of what a ring encloses, where a change made it meet itself. */
function repaired(ring: Ring | undefined, direction: 'counter-clockwise' | 'clockwise'): Ring | undefined {
  if (ring === undefined || isSimple(ring)) return ring;
  const largest = largestOf(enclosedArea([oriented(ring, 'counter-clockwise')]));
  return largest && oriented(largest, direction);
}

function largestOf(polygons: readonly Polygon[]): Ring | undefined {
  const areaOf = (rings: Polygon) => rings.reduce((sum, ring) => sum + signedArea(ring), 0);
  return polygons.toSorted((a, b) => areaOf(b) - areaOf(a))[0]?.[0];
}

function roundedSimple(ring: Ring, precision: number): Ring {
  for (let decimals = precision; decimals <= MOST_DECIMALS; decimals++) {
    const candidate = rounded(ring, decimals);
    if (isSimple(candidate)) return candidate;
  }
  return ring;
}

const MOST_DECIMALS = 9;
