import { type ConfidenceImage, STORED_FILL, STORED_PER_UNIT } from '../l1/index.ts';
import type { FixedGrid } from '../navigation/index.ts';
import type { Picture } from './picture.ts';

type Colour = readonly [red: number, green: number, blue: number];

const DETECTED: Colour = [255, 64, 255];
const SEGMENT: Colour = [255, 255, 0];
/** Segments are drawn as two lines beside what they mark, which stays visible [px]. */
const BESIDE_PX = 4;
const MIN_CONFIDENCE = 0.5;

/** Outlines the pixels of a confidence of at least one half. */
export function drawDetections(
  picture: Picture,
  { stored, grid }: Pick<ConfidenceImage, 'stored' | 'grid'>,
): void {
  const { rows, columns } = grid;
  const isDetected = (row: number, column: number) => {
    if (row < 0 || column < 0 || row >= rows || column >= columns) return false;
    const value = stored[row * columns + column] as number;
    return value !== STORED_FILL && value >= MIN_CONFIDENCE * STORED_PER_UNIT;
  };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (isDetected(row, column)) continue;
      const isOutline =
        isDetected(row - 1, column) ||
        isDetected(row + 1, column) ||
        isDetected(row, column - 1) ||
        isDetected(row, column + 1);
      if (isOutline) paint(picture, row, column, DETECTED);
    }
  }
}

/** Draws segments as L2 gives them: `LINESTRING (x0 y0, x1 y1)` in metres of the grid's own system. */
export function drawSegments(
  picture: Picture,
  grid: FixedGrid,
  segments: readonly { readonly wkt: string }[],
): void {
  for (const { wkt } of segments) {
    const numbers = (wkt.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
    const [x0, y0, x1, y1] = numbers.map((metres) => metres / grid.height);
    if (x0 === undefined || y0 === undefined || x1 === undefined || y1 === undefined) continue;
    const [c0, r0] = [(x0 - grid.x0) / grid.dx, (y0 - grid.y0) / grid.dy];
    const [c1, r1] = [(x1 - grid.x0) / grid.dx, (y1 - grid.y0) / grid.dy];
    const length = Math.hypot(c1 - c0, r1 - r0) || 1;
    const [across, along] = [(-(r1 - r0) * BESIDE_PX) / length, ((c1 - c0) * BESIDE_PX) / length];
    for (const side of [-1, 1]) {
      line(picture, c0 + side * across, r0 + side * along, c1 + side * across, r1 + side * along, SEGMENT);
    }
  }
}

function line(picture: Picture, c0: number, r0: number, c1: number, r1: number, colour: Colour): void {
  const steps = Math.max(1, Math.ceil(Math.max(Math.abs(c1 - c0), Math.abs(r1 - r0))));
  for (let k = 0; k <= steps; k++) {
    const t = k / steps;
    paint(picture, Math.round(r0 + (r1 - r0) * t), Math.round(c0 + (c1 - c0) * t), colour);
  }
}

function paint({ width, height, pixels }: Picture, row: number, column: number, colour: Colour): void {
  if (row < 0 || column < 0 || row >= height || column >= width) return;
  pixels.set(colour, 3 * (row * width + column));
}
