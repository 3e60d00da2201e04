import { APART, CROSS, meetingOf, turn } from './predicates.ts';
import { type Ring, withoutRepeats } from './ring.ts';
import { type Segments, segmentsOf, somePair } from './segments.ts';

/**
 * Rings of whole numbers with a position wherever they meet, so their sides share ends and nothing else. Crossings
 * are rounded to whole numbers too, which may bend sides across others; so it is done again until nothing is left to do.
 * That ends: a split leaves two sides within the box of the old one, and sides cannot be shorter than 1. Most rings meet
 * no other: those that do are processed among themselves before all are checked again.
 */
export function noded(rings: readonly Ring[]): Ring[] {
  const current = rings.map((ring) => withoutRepeats(ring.slice()));
  for (let indices = [...current.keys()]; ; ) {
    const splits = findSplits(segmentsOf(indices.map((index) => current[index] as Ring)));
    if (splits.count === 0) {
      if (indices.length === current.length) return current;
      indices = [...current.keys()];
      continue;
    }
    for (const r of splits.rings) {
      const index = indices[r] as number;
      current[index] = splits.insertInto(current[index] as Ring, r);
    }
    indices = [...splits.rings].map((r) => indices[r] as number);
  }
}

function findSplits(segments: Segments): Splits {
  const splits = new Splits(segments);
  const { positions } = segments;
  somePair(segments, (a, b) => {
    const meeting = meetingOf(positions, 2 * a, 2 * b);
    if (meeting === APART) return false;
    const before = splits.count;
    const crossing = meeting === CROSS ? crossingOf(positions, 2 * a, 2 * b) : undefined;
    if (crossing === undefined) {
      splits.addIfOn(a, b);
      splits.addIfOn(a, b + 1);
      splits.addIfOn(b, a);
      splits.addIfOn(b, a + 1);
    } else {
      splits.add(a, crossing[0], crossing[1]);
      splits.add(b, crossing[0], crossing[1]);
    }
    if (splits.count > before)
      splits.rings.add(segments.ringOf[a] as number).add(segments.ringOf[b] as number);
    return false;
  });
  return splits;
}

/** Whole numbers nearest to where two sides cross; undefined when they are on one line. */
function crossingOf(positions: Float64Array, a: number, b: number): [number, number] | undefined {
  const ax = positions[a] as number;
  const ay = positions[a + 1] as number;
  const dx = (positions[a + 2] as number) - ax;
  const dy = (positions[a + 3] as number) - ay;
  const cx = positions[b] as number;
  const cy = positions[b + 1] as number;
  const ex = (positions[b + 2] as number) - cx;
  const ey = (positions[b + 3] as number) - cy;
  const determinant = dx * ey - dy * ex;
  if (determinant === 0) return undefined;
  const along = ((cx - ax) * ey - (cy - ay) * ex) / determinant;
  return [Math.round(ax + along * dx), Math.round(ay + along * dy)];
}

/** One new position for each side that needs any: the one nearest to its middle. */
class Splits {
  count = 0;
  /** The rings that meet where a side is split. */
  readonly rings = new Set<number>();
  private readonly segments: Segments;
  private readonly x: Float64Array;
  private readonly y: Float64Array;

  constructor(segments: Segments) {
    this.segments = segments;
    this.x = new Float64Array(segments.ringOf.length).fill(Number.NaN);
    this.y = new Float64Array(segments.ringOf.length);
  }

  /** Splits a side at a position that lies on it. */
  addIfOn(side: number, position: number): void {
    const { positions } = this.segments;
    const x = positions[2 * position] as number;
    const y = positions[2 * position + 1] as number;
    const ax = positions[2 * side] as number;
    const ay = positions[2 * side + 1] as number;
    const bx = positions[2 * side + 2] as number;
    const by = positions[2 * side + 3] as number;
    if (x < Math.min(ax, bx) || x > Math.max(ax, bx) || y < Math.min(ay, by) || y > Math.max(ay, by)) return;
    if (turn(ax, ay, bx, by, x, y) === 0) this.add(side, x, y);
  }

  add(side: number, x: number, y: number): void {
    const { positions } = this.segments;
    const ax = positions[2 * side] as number;
    const ay = positions[2 * side + 1] as number;
    const bx = positions[2 * side + 2] as number;
    const by = positions[2 * side + 3] as number;
    if ((x === ax && y === ay) || (x === bx && y === by)) return;
    const fromMiddle = (px: number, py: number) => Math.abs(2 * px - ax - bx) + Math.abs(2 * py - ay - by);
    const oldX = this.x[side] as number;
    if (Number.isNaN(oldX)) this.count++;
    else if (fromMiddle(oldX, this.y[side] as number) <= fromMiddle(x, y)) return;
    this.x[side] = x;
    this.y[side] = y;
  }

  insertInto(ring: Ring, r: number): Ring {
    const first = this.segments.first[r] as number;
    const result: number[] = [];
    for (let k = 0; 2 * k < ring.length; k++) {
      result.push(ring[2 * k] as number, ring[2 * k + 1] as number);
      const x = this.x[first + k] as number;
      if (!Number.isNaN(x)) result.push(x, this.y[first + k] as number);
    }
    return Float64Array.from(result);
  }
}
