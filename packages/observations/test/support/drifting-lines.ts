/** Small frames with a line that stands still and one that drifts. */
import { FRAME_STEP_MS, type Frame } from '../../src/frame/index.ts';
import { type FixedGrid, fullDisk, windowOf } from '../../src/navigation/index.ts';

export const SIZE = 128;
const GRID = windowOf(fullDisk('goes-east'), 1200, 2300, SIZE, SIZE);
const START_MS = Date.UTC(2024, 2, 7, 15);

export interface Line {
  /** Middle and half length [px], direction of the axis [rad]. */
  readonly column: number;
  readonly row: number;
  readonly half: number;
  readonly angle: number;
}

export const VALLEY: Line = { column: 40, row: 40, half: 20, angle: 0.5 };
export const CONTRAIL: Line = { column: 80, row: 90, half: 22, angle: -0.4 };

/** A number of about −1 … 1 for each pixel and seed. */
function noise(i: number, seed: number): number {
  let h = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca77);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 2 ** 31 - 1;
}

function depth(lines: readonly Line[], column: number, row: number): number {
  return Math.max(
    ...lines.map(({ half, angle, ...middle }) => {
      const [dc, dr] = [column - middle.column, row - middle.row];
      const along = dc * Math.cos(angle) + dr * Math.sin(angle);
      const across = dr * Math.cos(angle) - dc * Math.sin(angle);
      return Math.abs(along) > half ? 0 : Math.exp((-across * across) / 3);
    }),
  );
}

export function frameAt(step: number, lines: readonly Line[], grid: FixedGrid = GRID): Frame {
  const image = (of: (depth: number, i: number) => number) =>
    Float32Array.from({ length: SIZE * SIZE }, (_, i) => of(depth(lines, i % SIZE, Math.floor(i / SIZE)), i));
  const t12 = image((deep, i) => 280 - 3 * deep + 0.08 * noise(i, 10 + step));
  const t11 = image((deep, i) => (t12[i] as number) + 1.5 + 0.6 * deep + 0.08 * noise(i, 50 + step));
  const time = START_MS + step * FRAME_STEP_MS;
  return { satellite: grid.name, gridName: grid.name, time, grid, t11, t12, rows: SIZE, columns: SIZE };
}

/** A valley that stands still, and a contrail that drifts by so many pixels in ten minutes. */
export function frames(drift: readonly [columns: number, rows: number]): [Frame, Frame, Frame] {
  const at = (step: number) => {
    const [column, row] = [CONTRAIL.column + step * drift[0], CONTRAIL.row + step * drift[1]];
    return frameAt(step, [VALLEY, { ...CONTRAIL, column, row }]);
  };
  return [at(-2), at(-1), at(0)];
}
