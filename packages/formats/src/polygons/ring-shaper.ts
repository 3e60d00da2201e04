import type { Borders } from './borders.ts';
import { convexHull } from './hull.ts';
import type { LabelImage } from './mask.ts';
import { type Cell, expanded, outlineOf } from './outline.ts';
import { oriented, type Polygon, type Ring, rounded, signedArea } from './ring.ts';
import { simplified } from './simplify.ts';
import { isSimple } from './validity.ts';
import { enclosedArea } from './winding.ts';
import { heldInWorld } from './world.ts';

export interface RingOptions {
  /** Rings that enclose less are left out, holes filled; square degrees. */
  readonly minAreaDeg2?: number;
  /** How far a simplified ring may be from the full one. */
  readonly toleranceDeg?: number;
  /** Decimals of the coordinates; more where a ring needs them to stay valid. All digits by default. */
  readonly precision?: number;
  /** Whether exteriors are replaced by their convex hulls, which have no holes. */
  readonly convexHull?: boolean;
  /** Whether rings end at ±180° and ±90°, as readers expect; true by default. */
  readonly withinWorld?: boolean;
  /** Size of a cell where the axes have one value only; 0.25 by default. */
  readonly cellSizeDeg?: number;
}

/** Makes rings of the borders of a plane: offset, filter, simplify, round. */
export class RingShaper {
  private readonly longitude: ArrayLike<number>;
  private readonly latitude: ArrayLike<number>;
  private readonly stride: number;
  private readonly options: RingOptions;
  private readonly cell: Cell;
  private readonly halfCell: number;

  constructor(
    longitude: ArrayLike<number>,
    latitude: ArrayLike<number>,
    { stride }: LabelImage,
    options: RingOptions,
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

  /** A hole whose ring meets itself, widened until it does not. */
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

  private corners(borders: Borders, border: number): Ring {
    return cornersOf(borders, border, this.longitude, this.latitude, this.stride);
  }
}

/** Centres of the corner cells of a border as a closed ring; `stride` is that of the image. */
export function cornersOf(
  { first, corners }: Borders,
  border: number,
  longitude: ArrayLike<number>,
  latitude: ArrayLike<number>,
  stride: number,
): Ring {
  const start = first[border] as number;
  const count = (first[border + 1] as number) - start;
  const ring = new Float64Array(2 * count + 2);
  for (let k = 0; k <= count; k++) {
    const cell = corners[start + (k === count ? 0 : k)] as number;
    const column = Math.floor(cell / stride);
    ring[2 * k] = longitude[column - 1] as number;
    ring[2 * k + 1] = latitude[cell - column * stride - 1] as number;
  }
  return ring;
}

/** Spacing of the axes to six decimals. */
export function cellOf(longitude: ArrayLike<number>, latitude: ArrayLike<number>, cellSizeDeg = 0.25): Cell {
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

export function roundedSimple(ring: Ring, precision: number): Ring {
  for (let decimals = precision; decimals <= MAX_DECIMALS; decimals++) {
    const candidate = rounded(ring, decimals);
    if (isSimple(candidate)) return candidate;
  }
  return ring;
}

const MAX_DECIMALS = 9;
