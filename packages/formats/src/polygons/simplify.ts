import type { Ring } from './ring.ts';

/** Positions that stay inside a counter-clockwise ring. */
export interface Guarded {
  /** One for each position of the ring, near it and inside. */
  readonly centres: Float64Array;
  /** How far they stay from new sides. */
  readonly clearanceDeg: number;
}

/**
 * Douglas–Peucker: as few of the ring's positions as keep every other within `tolerance` of the result, and more where
 * a side would cut a guarded position off. Undefined when fewer than three different ones would remain.
 */
export function simplified(ring: Ring, tolerance: number, guarded?: Guarded): Ring | undefined {
  const last = ring.length / 2 - 1;
  const keep = new Uint8Array(last + 1);
  keep[0] = 1;
  keep[last] = 1;
  const pending = [0, last];
  while (pending.length > 0) {
    const to = pending.pop() as number;
    const from = pending.pop() as number;
    const farthest = farthestBetween(ring, from, to, tolerance);
    if (farthest >= 0) {
      keep[farthest] = 1;
      pending.push(from, farthest, farthest, to);
    } else if (guarded !== undefined) keepGuards(ring, tolerance, guarded, from, to, keep);
  }
  let next = 1;
  while (keep[next] === 0) next++;
  let previous = last - 1;
  while (keep[previous] === 0) previous--;
  let count = keep.reduce((sum, flag) => sum + flag, 0);
  const canLeaveFirst =
    count >= 4 &&
    distanceTo(ring, previous, next, 0) <= tolerance &&
    (guarded === undefined ||
      (!cutsOff(ring, guarded, previous, next, previous, last) &&
        !cutsOff(ring, guarded, previous, next, 0, next)));
  if (canLeaveFirst) {
    keep[0] = 0;
    count--;
  }
  return count < 4 ? undefined : keptPositions(ring, keep, count);
}

/** Keeps enough positions to cut nothing off between two of them: goes each time to the last one within reach. */
function keepGuards(
  ring: Ring,
  tolerance: number,
  guarded: Guarded,
  from: number,
  to: number,
  keep: Uint8Array,
): void {
  for (let at = from; at < to; ) {
    let next = to;
    while (
      next > at + 1 &&
      (cutsOff(ring, guarded, at, next, at, next) || farthestBetween(ring, at, next, tolerance) >= 0)
    )
      next--;
    keep[next] = 1;
    at = next;
  }
}

/** Whether the side from one position to another would have a guarded one of those between on its right or too near. */
function cutsOff(
  ring: Ring,
  { centres, clearanceDeg }: Guarded,
  from: number,
  to: number,
  firstBetween: number,
  lastBetween: number,
): boolean {
  const ax = ring[2 * from] as number;
  const ay = ring[2 * from + 1] as number;
  const dx = (ring[2 * to] as number) - ax;
  const dy = (ring[2 * to + 1] as number) - ay;
  const min = clearanceDeg * Math.sqrt(dx * dx + dy * dy);
  for (let k = firstBetween; k <= lastBetween; k++) {
    const left = dx * ((centres[2 * k + 1] as number) - ay) - dy * ((centres[2 * k] as number) - ax);
    if (!(left > min)) return true;
  }
  return false;
}

function keptPositions(ring: Ring, keep: Uint8Array, count: number): Ring {
  const result = new Float64Array(2 * count);
  let used = 0;
  for (let k = 0; k < keep.length - 1; k++) {
    if (keep[k] === 0) continue;
    result[used++] = ring[2 * k] as number;
    result[used++] = ring[2 * k + 1] as number;
  }
  result[used] = result[0] as number;
  result[used + 1] = result[1] as number;
  return result;
}

/** The position farthest from the segment between two others, the first among equals; −1 when all are near enough. */
function farthestBetween(ring: Ring, from: number, to: number, tolerance: number): number {
  const ax = ring[2 * from] as number;
  const ay = ring[2 * from + 1] as number;
  const bx = ring[2 * to] as number;
  const by = ring[2 * to + 1] as number;
  let worst = tolerance;
  let index = -1;
  for (let k = from + 1; k < to; k++) {
    const distance = distanceToSegment(ring[2 * k] as number, ring[2 * k + 1] as number, ax, ay, bx, by);
    if (distance > worst) {
      worst = distance;
      index = k;
    }
  }
  return index;
}

function distanceTo(ring: Ring, from: number, to: number, at: number): number {
  return distanceToSegment(
    ring[2 * at] as number,
    ring[2 * at + 1] as number,
    ring[2 * from] as number,
    ring[2 * from + 1] as number,
    ring[2 * to] as number,
    ring[2 * to + 1] as number,
  );
}

/** Of (x, y) to the segment from a to b; where a and b are one, to that position. */
function distanceToSegment(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  const lengthSquared = dx * dx + dy * dy;
  const along = lengthSquared === 0 ? 0 : ((x - ax) * dx + (y - ay) * dy) / lengthSquared;
  if (along <= 0) return Math.sqrt((x - ax) * (x - ax) + (y - ay) * (y - ay));
  if (along >= 1) return Math.sqrt((x - bx) * (x - bx) + (y - by) * (y - by));
  return Math.abs(((ay - y) * dx - (ax - x) * dy) / lengthSquared) * Math.sqrt(lengthSquared);
}
