/** Transformations of uniform numbers; the method of each is fixed, so a seed means the same numbers in every release. */
import { normalQuantile } from './normal.ts';
import { type DrawIndex, uniformsAt } from './philox.ts';

/** Triangular between `low` and `high`, most likely at `mode`. */
export function triangular(u: number, low: number, mode: number, high: number): number {
  const width = high - low;
  return u < (mode - low) / width
    ? low + Math.sqrt(u * width * (mode - low))
    : high - Math.sqrt((1 - u) * width * (high - mode));
}

/** Log-normal with mean 1. */
export function logNormal(u: number, sigma: number): number {
  return Math.exp(sigma * normalQuantile(u) - (sigma * sigma) / 2);
}

/** The draws of a shape below 1 need a second uniform, so many draws further. */
const SMALL_SHAPE_DRAWS = 64;

/** Gamma of a shape and scale 1 (Marsaglia and Tsang 2000). */
export function gammaAt(index: DrawIndex, draw: number, shape: number): number {
  const d = (shape >= 1 ? shape : shape + 1) - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (let attempt = 0; ; attempt++) {
    const { a, b } = uniformsAt(index, draw, attempt);
    const x = normalQuantile(a);
    const v = (1 + c * x) ** 3;
    if (!(v > 0 && Math.log(b) < (x * x) / 2 + d - d * v + d * Math.log(v))) continue;
    if (shape >= 1) return d * v;
    return d * v * uniformsAt(index, draw + SMALL_SHAPE_DRAWS).a ** (1 / shape);
  }
}

/** Weights that sum to 1; component k is drawn at `firstDraw + k`. */
export function dirichletAt(index: DrawIndex, firstDraw: number, shapes: readonly number[]): number[] {
  const gammas = shapes.map((shape, k) => gammaAt(index, firstDraw + k, shape));
  const sum = gammas.reduce((total, gamma) => total + gamma, 0);
  return gammas.map((gamma) => gamma / sum);
}
