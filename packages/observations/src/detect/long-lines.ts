/**
 * How far the line of a pixel goes on. The filters of the pixel stage look eight pixels ahead; contrails are straight for
 * ten times as long, while fibres of cirrus, river bends and accidents of noise are not.
 */
import { DIRECTIONS } from '../ridge/filter.ts';
import type { PixelStage } from './ridge.ts';

/** Pixels below are no part of an object, whatever lies ahead of them. */
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

interface Ray {
  /** Column and row of each sample from the pixel, one after the other. */
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  /** The same as positions in an image. */
  readonly positions: Int32Array;
}

/** The mean over the best of the rays, of pixels whose direction is the same or the next. */
export function lineSupport({ rows, columns, probability, direction }: PixelStage): LineSupport {
  let count = 0;
  for (let i = 0; i < probability.length; i++) if ((probability[i] as number) >= MIN_PROBABILITY) count++;
  const pixels = new Int32Array(count);
  const support = new Float32Array(count);
  const rays = raysOf(columns);
  let next = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const pixel = row * columns + column;
      if (!((probability[pixel] as number) >= MIN_PROBABILITY)) continue;
      const own = direction[pixel] as number;
      const isInside = row >= LAST && column >= LAST && row < rows - LAST && column < columns - LAST;
      let best = 0;
      for (const ray of rays[own] as readonly Ray[]) {
        let sum = 0;
        let samples = ray.positions.length;
        for (let k = 0; k < ray.positions.length; k++) {
          if (!isInside) {
            const [c, r] = [column + (ray.columns[k] as number), row + (ray.rows[k] as number)];
            if (c < 0 || r < 0 || c >= columns || r >= rows) {
              samples--;
              continue;
            }
          }
          const other = pixel + (ray.positions[k] as number);
          const p = probability[other] as number;
          if (p === 0) continue;
          const turn = Math.abs((direction[other] as number) - own);
          if (turn <= 1 || turn === DIRECTIONS - 1) sum += p;
        }
        if (samples >= MIN_SAMPLES && sum / samples > best) best = sum / samples;
      }
      pixels[next] = pixel;
      support[next++] = best;
    }
  }
  return { pixels, support };
}

/** By direction; steps are symmetric, so that a line looks the same from both of its ends. */
function raysOf(columns: number): Ray[][] {
  return Array.from({ length: DIRECTIONS }, (_, k) =>
    TURNS.map((turn) => {
      const angle = ((k + turn) * Math.PI) / DIRECTIONS;
      const distances = Array.from({ length: (LAST - FIRST) / STEP + 1 }, (__, j) => FIRST + j * STEP);
      const ahead = distances.map((distance) => [
        Math.round(distance * Math.cos(angle)),
        Math.round(distance * Math.sin(angle)),
      ]) as [number, number][];
      const places = ahead.flatMap(([c, r]) => [
        [c, r],
        [-c, -r],
      ]) as [number, number][];
      return {
        columns: Int32Array.from(places, ([c]) => c),
        rows: Int32Array.from(places, ([, r]) => r),
        positions: Int32Array.from(places, ([c, r]) => r * columns + c),
      };
    }),
  );
}
