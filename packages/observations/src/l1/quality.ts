import { type FixedGrid, VIEW, viewMask } from '../navigation/index.ts';

/** Bits of `quality_flag`. */
export const QUALITY = {
  offEarth: VIEW.offEarth,
  beyondLimit: VIEW.beyondLimit,
  badInput: 4,
  nearEdge: 8,
} as const;

/** Windows of detectors reach this far, and are clipped nearer to the edge of what is seen [pixels]. */
const EDGE_PIXELS = 14;

/** Why pixels have no confidence, or a less certain one. `isInvalid` marks pixels without confidence. */
export function qualityFlags(
  grid: FixedGrid,
  maxViewZenithDeg: number,
  isInvalid: (pixel: number) => boolean,
): Uint8Array<ArrayBuffer> {
  const flags = viewMask(grid, maxViewZenithDeg);
  const isNear = nearEdge(flags, grid.rows, grid.columns);
  for (let i = 0; i < flags.length; i++) {
    if (flags[i] !== VIEW.withinLimit) continue;
    flags[i] = (isInvalid(i) ? QUALITY.badInput : 0) | (isNear[i] === 1 ? QUALITY.nearEdge : 0);
  }
  return flags;
}

/** Pixels whose square of `EDGE_PIXELS` around them leaves the image or what is seen within the limit. */
function nearEdge(view: Uint8Array, rows: number, columns: number): Uint8Array {
  const near = new Uint8Array(view.length);
  spread((i) => (view[i] === VIEW.withinLimit ? 0 : 1), near, rows, columns, columns, 1);
  const alongRows = near.slice();
  spread((i) => alongRows[i] as number, near, columns, rows, 1, columns);
  return near;
}

/** Marks pixels within reach of a marked one, or of the end, along each line of pixels `step` apart. */
function spread(
  isMarked: (index: number) => number,
  into: Uint8Array,
  lines: number,
  length: number,
  lineStep: number,
  step: number,
): void {
  for (let line = 0; line < lines; line++) {
    const start = line * lineStep;
    // Both ends of the line count as marked.
    let last = -1;
    for (let k = 0; k < length; k++) {
      if (isMarked(start + k * step) === 1) last = k;
      into[start + k * step] = k - last <= EDGE_PIXELS ? 1 : 0;
    }
    last = length;
    for (let k = length - 1; k >= 0; k--) {
      if (isMarked(start + k * step) === 1) last = k;
      if (last - k <= EDGE_PIXELS) into[start + k * step] = 1;
    }
  }
}
