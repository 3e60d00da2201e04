import { turn } from './predicates.ts';
import { type Box, boxOf, type Ring } from './ring.ts';

/** Locates positions with respect to a ring. Bands of latitude hold the sides, so few are checked. */
export class RingLocator {
  readonly box: Box;
  private readonly ring: Ring;
  private readonly bandHeight: number;
  private readonly heads: Int32Array;
  /** Pairs of a side and the index of the next entry of its band. */
  private readonly entries: number[] = [];

  constructor(ring: Ring) {
    this.ring = ring;
    this.box = boxOf(ring);
    const bands = (ring.length >> 3) + 1;
    this.bandHeight = (this.box.north - this.box.south) / bands || 1;
    this.heads = new Int32Array(bands + 1).fill(-1);
    for (let side = 0; side + 3 < ring.length; side += 2) {
      const a = this.band(ring[side + 1] as number);
      const b = this.band(ring[side + 3] as number);
      for (let band = Math.min(a, b); band <= Math.max(a, b); band++) {
        this.entries.push(side, this.heads[band] as number);
        this.heads[band] = this.entries.length - 2;
      }
    }
  }

  locate(x: number, y: number): 'inside' | 'outside' | 'boundary' {
    const { box, ring, entries } = this;
    if (x < box.west || x > box.east || y < box.south || y > box.north) return 'outside';
    let inside = false;
    for (let entry = this.heads[this.band(y)] as number; entry >= 0; entry = entries[entry + 1] as number) {
      const side = entries[entry] as number;
      const ax = ring[side] as number;
      const ay = ring[side + 1] as number;
      const bx = ring[side + 2] as number;
      const by = ring[side + 3] as number;
      if (ay === y && by === y) {
        if (x >= Math.min(ax, bx) && x <= Math.max(ax, bx)) return 'boundary';
        continue;
      }
      if ((ay < y && by < y) || (ay > y && by > y)) continue;
      const turning = turn(ax, ay, bx, by, x, y);
      if (turning === 0) return 'boundary';
      if (ay > y !== by > y && turning > 0 === by > ay) inside = !inside;
    }
    return inside ? 'inside' : 'outside';
  }

  private band(y: number): number {
    return Math.floor((y - this.box.south) / this.bandHeight);
  }
}

/** Whether a ring that does not cross another one lies inside it. */
export function liesInside(inner: Ring, outer: RingLocator): boolean {
  for (let k = 0; k < inner.length; k += 2) {
    const side = outer.locate(inner[k] as number, inner[k + 1] as number);
    if (side !== 'boundary') return side === 'inside';
  }
  for (let k = 0; k + 3 < inner.length; k += 2) {
    const x = ((inner[k] as number) + (inner[k + 2] as number)) / 2;
    const y = ((inner[k + 1] as number) + (inner[k + 3] as number)) / 2;
    const side = outer.locate(x, y);
    if (side !== 'boundary') return side === 'inside';
  }
  return true;
}
