import { type Ring, withoutRepeats } from './ring.ts';

/**
 * A ring kept within ±180° and ±90° less a margin. Outlines of cells on the edge of the world reach half a cell beyond it; what
 * is beyond moves to the edge, without the stretches that would then run back and forth along it.
 */
export function heldInWorld(ring: Ring, marginDeg: number): Ring {
  const east = 180 - marginDeg;
  const north = 90 - marginDeg;
  if (isWithin(ring, east, north)) return ring;
  const held = new Float64Array(ring.length);
  for (let k = 0; k < ring.length; k += 2) {
    held[k] = Math.min(Math.max(ring[k] as number, -east), east);
    held[k + 1] = Math.min(Math.max(ring[k + 1] as number, -north), north);
  }
  return withoutReversals(withoutRepeats(held), east, north);
}

function isWithin(ring: Ring, east: number, north: number): boolean {
  for (let k = 0; k < ring.length; k += 2)
    if (Math.abs(ring[k] as number) > east || Math.abs(ring[k + 1] as number) > north) return false;
  return true;
}

function withoutReversals(ring: Ring, east: number, north: number): Ring {
  const kept: number[] = [];
  const reverses = (a: number, b: number, c: number) => {
    const at = (index: number) => kept.at(index) as number;
    if (Math.abs(at(b + 1)) === north && at(a + 1) === at(b + 1) && at(c + 1) === at(b + 1))
      return (at(b) - at(a)) * (at(c) - at(b)) < 0;
    if (Math.abs(at(b)) === east && at(a) === at(b) && at(c) === at(b))
      return (at(b + 1) - at(a + 1)) * (at(c + 1) - at(b + 1)) < 0;
    return false;
  };
  for (let k = 0; k < ring.length; k += 2) {
    kept.push(ring[k] as number, ring[k + 1] as number);
    while (kept.length >= 6 && reverses(-6, -4, -2)) kept.splice(-4, 2);
  }
  while (kept.length > 8 && reverses(-4, 0, 2)) {
    kept.splice(0, 2);
    kept.splice(-2, 2, kept[0] as number, kept[1] as number);
  }
  return Float64Array.from(kept);
}
