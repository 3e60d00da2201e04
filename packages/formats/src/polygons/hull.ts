import { turn } from './predicates.ts';
import type { Ring } from './ring.ts';

/** Convex hull of a ring, counter-clockwise from its southernmost (then westernmost) position, without straight corners. */
export function convexHull(ring: Ring): Ring {
  const order = Array.from({ length: ring.length / 2 - 1 }, (_, k) => 2 * k).sort(
    (a, b) => (ring[a + 1] as number) - (ring[b + 1] as number) || (ring[a] as number) - (ring[b] as number),
  );
  const eastern = halfHull(ring, order);
  const western = halfHull(ring, order.reverse());
  const indices = [...eastern.slice(0, -1), ...western];
  return Float64Array.from(indices.flatMap((at) => [ring[at] as number, ring[at + 1] as number]));
}

/** The chain that turns left all the way from the first to the last position. */
function halfHull(ring: Ring, order: readonly number[]): number[] {
  const chain: number[] = [];
  for (const at of order) {
    while (chain.length >= 2 && turnAt(ring, chain.at(-2) as number, chain.at(-1) as number, at) <= 0)
      chain.pop();
    chain.push(at);
  }
  return chain;
}

function turnAt(ring: Ring, a: number, b: number, c: number): number {
  return turn(
    ring[a] as number,
    ring[a + 1] as number,
    ring[b] as number,
    ring[b + 1] as number,
    ring[c] as number,
    ring[c + 1] as number,
  );
}
