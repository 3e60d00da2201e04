import { liesInside, RingLocator } from './locate.ts';
import { APART, CROSS, meetingOf, TOUCH, turn } from './predicates.ts';
import { boxOf, type Polygon, type Ring, signedArea } from './ring.ts';
import { type Segments, segmentsOf, somePair } from './segments.ts';
import { crossWhereTouching, TouchChains, touchingPosition } from './touching.ts';

/** Whether a ring without repeated positions encloses one area and meets itself nowhere. */
export function isSimple(ring: Ring): boolean {
  const sides = ring.length / 2 - 1;
  if (sides < 3) return false;
  const crosses = (a: number, b: number) => {
    if (b === a + 1) return turnsBack(ring, a, b);
    if (a === 0 && b === sides - 1) return turnsBack(ring, b, a);
    return meetingOf(ring, 2 * a, 2 * b) !== APART;
  };
  if (sides > FEW_SIDES) return !somePair(segmentsOf([ring]), crosses);
  for (let b = 1; b < sides; b++) for (let a = 0; a < b; a++) if (crosses(a, b)) return false;
  return true;
}

/** Up to here it is quicker to compare all pairs. */
const FEW_SIDES = 20;

/** Whether the second of two successive sides goes back over the first. */
function turnsBack(ring: Ring, a: number, b: number): boolean {
  const ax = ring[2 * a] as number;
  const ay = ring[2 * a + 1] as number;
  const bx = ring[2 * b] as number;
  const by = ring[2 * b + 1] as number;
  const cx = ring[2 * b + 2] as number;
  const cy = ring[2 * b + 3] as number;
  return turn(ax, ay, bx, by, cx, cy) === 0 && (bx - ax) * (cx - bx) + (by - ay) * (cy - by) < 0;
}

/**
 * Whether a polygon of simple rings is valid: interiors lie inside the exterior and beside each other, meet only in single
 * positions, and leave the inside in one piece.
 */
export function isValidPolygon(polygon: Polygon): boolean {
  const [exterior, ...interiors] = polygon;
  if (exterior === undefined || interiors.length === 0) return true;
  const segments = segmentsOf(polygon);
  const chains = new TouchChains(polygon.length);
  const crosses = somePair(segments, (a, b) => {
    const ringA = segments.ringOf[a] as number;
    const ringB = segments.ringOf[b] as number;
    if (ringA === ringB) return false;
    const meeting = meetingOf(segments.positions, 2 * a, 2 * b);
    if (meeting !== TOUCH) return meeting === CROSS;
    const at = touchingPosition(segments, a, b);
    if (crossWhereTouching(segments, a, b, at)) return true;
    const { positions } = segments;
    return chains.touch(ringA, ringB, positions[2 * at] as number, positions[2 * at + 1] as number);
  });
  if (crosses) return false;
  const outline = new RingLocator(exterior);
  return interiors.every((ring) => liesInside(ring, outline)) && !areNested(interiors);
}

function areNested(rings: readonly Ring[]): boolean {
  const locators = new Map<number, RingLocator>();
  return enclosingBoxes(rings).some(([inner, outer]) => {
    const locator = locators.get(outer) ?? new RingLocator(rings[outer] as Ring);
    locators.set(outer, locator);
    return liesInside(rings[inner] as Ring, locator);
  });
}

/** Pairs of valid polygons that overlap; touching in single positions is not an overlap. */
export function overlaps(polygons: readonly Polygon[]): [number, number][] {
  const found = new Map<number, [number, number]>();
  const keyOf = (p: number, q: number) => Math.min(p, q) * polygons.length + Math.max(p, q);
  const segments = segmentsOf(polygons.flat());
  const polygonOf = polygons.flatMap((polygon, p) => polygon.map(() => p));
  somePair(segments, (a, b) => {
    const p = polygonOf[segments.ringOf[a] as number] as number;
    const q = polygonOf[segments.ringOf[b] as number] as number;
    if (p !== q && cross(segments, a, b)) found.set(keyOf(p, q), [p, q]);
    return false;
  });
  const contained = new Containment(polygons);
  for (const [inner, outer] of enclosingBoxes(polygons.map(([exterior]) => exterior as Ring))) {
    const key = keyOf(inner, outer);
    if (!found.has(key) && contained.isWithin(inner, outer)) found.set(key, [inner, outer]);
  }
  return [...found.values()];
}

function cross(segments: Segments, a: number, b: number): boolean {
  const meeting = meetingOf(segments.positions, 2 * a, 2 * b);
  if (meeting !== TOUCH) return meeting === CROSS;
  return crossWhereTouching(segments, a, b, touchingPosition(segments, a, b));
}

/**
 * Pairs of rings of which the box of the second encloses that of the first. Goes through them from west to east, with
 * those in mind that reach far enough.
 */
function enclosingBoxes(rings: readonly Ring[]): [number, number][] {
  const order = rings
    .map((ring, r) => ({ r, ...boxOf(ring), area: Math.abs(signedArea(ring)) }))
    .sort((a, b) => a.west - b.west || b.area - a.area);
  const pairs: [number, number][] = [];
  let reaching: typeof order = [];
  for (const inner of order) {
    reaching = reaching.filter((outer) => outer.east >= inner.west);
    for (const outer of reaching) {
      if (outer.east >= inner.east && outer.south <= inner.south && outer.north >= inner.north)
        pairs.push([inner.r, outer.r]);
    }
    reaching.push(inner);
  }
  return pairs;
}

/** Which of some polygons that do not cross are within others. */
class Containment {
  private readonly polygons: readonly Polygon[];
  private readonly locators = new Map<Ring, RingLocator>();

  constructor(polygons: readonly Polygon[]) {
    this.polygons = polygons;
  }

  isWithin(inner: number, outer: number): boolean {
    const [exterior] = this.polygons[inner] as Polygon;
    const [outline, ...interiors] = this.polygons[outer] as Polygon;
    return (
      this.lies(exterior as Ring, outline as Ring) &&
      !interiors.some((interior) => this.lies(exterior as Ring, interior))
    );
  }

  private lies(inner: Ring, outer: Ring): boolean {
    let locator = this.locators.get(outer);
    if (locator === undefined) {
      locator = new RingLocator(outer);
      this.locators.set(outer, locator);
    }
    return liesInside(inner, locator);
  }
}
