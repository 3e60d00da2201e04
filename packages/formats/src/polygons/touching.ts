import { DisjointSets } from './disjoint-sets.ts';
import { turn } from './predicates.ts';
import type { Segments } from './segments.ts';

/** The position at which two touching sides of different rings meet: an end of one of them that lies on the other. */
export function touchingPosition({ positions }: Segments, a: number, b: number): number {
  if (isOn(positions, a, b)) return a;
  if (isOn(positions, a + 1, b)) return a + 1;
  return isOn(positions, b, a) ? b : b + 1;
}

/** Whether the rings of two touching sides change sides where they meet. */
export function crossWhereTouching(segments: Segments, a: number, b: number, at: number): boolean {
  const { positions } = segments;
  const [a0, a1] = neighbours(segments, a, at);
  const [b0, b1] = neighbours(segments, b, at);
  return isBetween(positions, at, a0, a1, b0) !== isBetween(positions, at, a0, a1, b1);
}

function isOn(positions: Float64Array, position: number, side: number): boolean {
  const x = positions[2 * position] as number;
  const y = positions[2 * position + 1] as number;
  const ax = positions[2 * side] as number;
  const ay = positions[2 * side + 1] as number;
  const bx = positions[2 * side + 2] as number;
  const by = positions[2 * side + 3] as number;
  if (x < Math.min(ax, bx) || x > Math.max(ax, bx) || y < Math.min(ay, by) || y > Math.max(ay, by))
    return false;
  return turn(ax, ay, bx, by, x, y) === 0;
}

/** The positions before and after the one at which a ring passes `at` on the given side. */
function neighbours({ positions, ringOf, first }: Segments, side: number, at: number): [number, number] {
  const ring = ringOf[side] as number;
  const start = first[ring] as number;
  const end = (first[ring + 1] as number) - 1;
  if (same(positions, side, at)) return [side === start ? end - 1 : side - 1, side + 1];
  if (same(positions, side + 1, at)) return [side, side + 1 === end ? start + 1 : side + 2];
  return [side, side + 1];
}

function same(positions: Float64Array, a: number, b: number): boolean {
  return positions[2 * a] === positions[2 * b] && positions[2 * a + 1] === positions[2 * b + 1];
}

/** Whether the way from `at` to `to` lies in the sector that opens counter-clockwise from one way to another. */
export function isBetween(
  positions: Float64Array,
  at: number,
  from: number,
  until: number,
  to: number,
): boolean {
  const opening = turnAt(positions, at, from, until);
  if (opening > 0) return turnAt(positions, at, from, to) > 0 && turnAt(positions, at, to, until) > 0;
  if (opening < 0) return !(turnAt(positions, at, until, to) >= 0 && turnAt(positions, at, to, from) >= 0);
  return turnAt(positions, at, from, to) > 0;
}

function turnAt(positions: Float64Array, a: number, b: number, c: number): number {
  return turn(
    positions[2 * a] as number,
    positions[2 * a + 1] as number,
    positions[2 * b] as number,
    positions[2 * b + 1] as number,
    positions[2 * c] as number,
    positions[2 * c + 1] as number,
  );
}

/**
 * Rings that touch each other in single positions. A closed chain of them cuts the plane in pieces; the rings of one
 * polygon may not form any.
 */
export class TouchChains {
  private readonly rings: number;
  private readonly sets: DisjointSets;
  private readonly nodes = new Map<string, number>();
  private readonly links = new Set<number>();

  constructor(rings: number) {
    this.rings = rings;
    this.sets = new DisjointSets(rings);
  }

  /** Records that two rings touch; returns whether this closes a chain. */
  touch(ringA: number, ringB: number, x: number, y: number): boolean {
    const node = this.nodeAt(x, y);
    return this.closes(node, ringA) || this.closes(node, ringB);
  }

  private nodeAt(x: number, y: number): number {
    const key = `${x} ${y}`;
    const node = this.nodes.get(key) ?? this.sets.add();
    this.nodes.set(key, node);
    return node;
  }

  private closes(node: number, ring: number): boolean {
    const key = node * this.rings + ring;
    if (this.links.has(key)) return false;
    this.links.add(key);
    return !this.sets.join(node, ring);
  }
}
