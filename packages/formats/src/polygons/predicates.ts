import { orient2d } from 'robust-predicates';

/** Positive when a → b → c turns left, negative when it turns right, zero when the three are on a line; exact. */
export function turn(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  return -orient2d(ax, ay, bx, by, cx, cy);
}

/** How two segments meet: they share a stretch or cross, share one position that ends one of them, or do neither. */
export type Meeting = typeof APART | typeof TOUCH | typeof CROSS;
export const APART = 0;
export const TOUCH = 1;
export const CROSS = 2;

/** Indices are those of the first ends in `positions`; the second ends follow them. */
export function meetingOf(positions: Float64Array, a: number, b: number): Meeting {
  const ax = positions[a] as number;
  const ay = positions[a + 1] as number;
  const bx = positions[a + 2] as number;
  const by = positions[a + 3] as number;
  const cx = positions[b] as number;
  const cy = positions[b + 1] as number;
  const dx = positions[b + 2] as number;
  const dy = positions[b + 3] as number;
  if (Math.max(ax, bx) < Math.min(cx, dx) || Math.max(cx, dx) < Math.min(ax, bx)) return APART;
  if (Math.max(ay, by) < Math.min(cy, dy) || Math.max(cy, dy) < Math.min(ay, by)) return APART;
  const c = turn(ax, ay, bx, by, cx, cy);
  const d = turn(ax, ay, bx, by, dx, dy);
  if ((c > 0 && d > 0) || (c < 0 && d < 0)) return APART;
  if (c === 0 && d === 0) {
    const overlap = ax === bx ? stretch(ay, by, cy, dy) : stretch(ax, bx, cx, dx);
    return overlap > 0 ? CROSS : overlap === 0 ? TOUCH : APART;
  }
  const p = turn(cx, cy, dx, dy, ax, ay);
  const q = turn(cx, cy, dx, dy, bx, by);
  if ((p > 0 && q > 0) || (p < 0 && q < 0)) return APART;
  return c === 0 || d === 0 || p === 0 || q === 0 ? TOUCH : CROSS;
}

/** Length that two intervals have in common; zero where they only touch, negative where they are apart. */
function stretch(a: number, b: number, c: number, d: number): number {
  return Math.min(Math.max(a, b), Math.max(c, d)) - Math.max(Math.min(a, b), Math.min(c, d));
}
