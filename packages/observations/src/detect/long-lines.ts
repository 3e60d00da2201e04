/**
 * How far the line of a pixel goes on. The filters of the pixel stage look eight pixels ahead; contrails are straight for
 * ten times as long, while fibres of cirrus, river bends and accidents of noise are not.
 */
import { DIRECTIONS } from '../ridge/filter.ts';
import type { PixelStage } from './ridge.ts';

/** Pixels below do not belong to an object, even if more of it lies ahead. */
const MIN_PROBABILITY = 0.05;
/** Along the line, on both sides [pixels]: closer ones share the filter of the pixel itself. */
const FIRST = 4;
const LAST = 36;
const STEP = 2;
/** Directions that are tried, as parts of the step between two directions of the pixel stage. */
const TURNS = [-0.5, -0.25, 0, 0.25, 0.5];
/** So many pixels have to be inside the image. */
const MIN_SAMPLES = LAST / STEP;

/** Pixels that may belong to a line, in the order of the image, with the mean probability of what continues them. */
export interface LineSupport {
  readonly pixels: Int32Array;
  readonly support: Float32Array;
}

/** The mean over the best of the rays, of pixels whose direction is the same or the next. */
export function lineSupport(stage: PixelStage): LineSupport {
  const { rows, columns, probability } = stage;
  let count = 0;
  for (let i = 0; i < probability.length; i++) if ((probability[i] as number) >= MIN_PROBABILITY) count++;
  const pixels = new Int32Array(count);
  const support = new Float32Array(count);
  const rays = Array.from({ length: DIRECTIONS }, (_, k) => raysOf(k, columns));
  let next = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const pixel = row * columns + column;
      if (!((probability[pixel] as number) >= MIN_PROBABILITY)) continue;
      const own = rays[stage.direction[pixel] as number] as Rays;
      const isInside = row >= LAST && column >= LAST && row < rows - LAST && column < columns - LAST;
      pixels[next] = pixel;
      support[next++] = isInside ? supportInside(stage, own, pixel) : supportAtEdge(stage, own, row, column);
    }
  }
  return { pixels, support };
}

/** Samples of the rays of a direction, one ray after the other. */
interface Rays {
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  /** From a pixel, as positions in an image. */
  readonly positions: Int32Array;
}

/** Of one ray, on both sides. */
const SAMPLES = 2 * ((LAST - FIRST) / STEP + 1);

function raysOf(direction: number, columns: number): Rays {
  const pixels = TURNS.flatMap((turn) => {
    const angle = ((direction + turn) * Math.PI) / DIRECTIONS;
    return Array.from({ length: SAMPLES / 2 }, (_, j) => {
      const distance = FIRST + j * STEP;
      const [c, r] = [Math.round(distance * Math.cos(angle)), Math.round(distance * Math.sin(angle))];
      // Symmetric, so a line looks the same from both of its ends.
      return [
        { c, r },
        { c: -c, r: -r },
      ];
    }).flat();
  });
  return {
    columns: Int32Array.from(pixels, ({ c }) => c),
    rows: Int32Array.from(pixels, ({ r }) => r),
    positions: Int32Array.from(pixels, ({ c, r }) => r * columns + c),
  };
}

function supportInside({ probability, direction }: PixelStage, { positions }: Rays, pixel: number): number {
  // Directions have no sign: the last is next to the first.
  const before = (direction[pixel] as number) - 1 + DIRECTIONS;
  let best = 0;
  for (let start = 0; start < positions.length; start += SAMPLES) {
    let sum = 0;
    for (let k = start; k < start + SAMPLES; k++) {
      const other = pixel + (positions[k] as number);
      if (((direction[other] as number) - before + 2 * DIRECTIONS) % DIRECTIONS <= 2) {
        sum += probability[other] as number;
      }
    }
    if (sum > best) best = sum;
  }
  return best / SAMPLES;
}

/** The same where some samples may be outside the image. */
function supportAtEdge(stage: PixelStage, own: Rays, row: number, column: number): number {
  const { probability, direction } = stage;
  const pixel = row * stage.columns + column;
  const before = (direction[pixel] as number) - 1 + DIRECTIONS;
  let best = 0;
  for (let start = 0; start < own.positions.length; start += SAMPLES) {
    let sum = 0;
    let samples = 0;
    for (let k = start; k < start + SAMPLES; k++) {
      const [c, r] = [column + (own.columns[k] as number), row + (own.rows[k] as number)];
      if (c < 0 || r < 0 || c >= stage.columns || r >= stage.rows) continue;
      samples++;
      const other = r * stage.columns + c;
      if (((direction[other] as number) - before + 2 * DIRECTIONS) % DIRECTIONS <= 2) {
        sum += probability[other] as number;
      }
    }
    if (samples >= MIN_SAMPLES && sum / samples > best) best = sum / samples;
  }
  return best;
}
