/** Noise without state: every random number is a hash of where it belongs, so any part of a scene can be made alone. */

/** A number in [0, 1) for a lattice point. */
export function hash(ix: number, iy: number, seed: number): number {
  let h = seed ^ Math.imul(ix, 0x9e3779b1) ^ Math.imul(iy, 0x85ebca77);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  h ^= h >>> 12;
  h = Math.imul(h, 0x297a2d39);
  h ^= h >>> 15;
  return (h >>> 0) / 0x1_0000_0000;
}

/** Smooth noise in [-1, 1] with features about one unit wide. */
export function valueNoise(x: number, y: number, seed: number): number {
  const ix = Math.floor(x);
  const iy = Math.floor(y);
  const fx = fade(x - ix);
  const fy = fade(y - iy);
  const north = hash(ix, iy, seed) * (1 - fx) + hash(ix + 1, iy, seed) * fx;
  const south = hash(ix, iy + 1, seed) * (1 - fx) + hash(ix + 1, iy + 1, seed) * fx;
  return 2 * (north * (1 - fy) + south * fy) - 1;
}

function fade(t: number): number {
  return t * t * t * (t * (6 * t - 15) + 10);
}

/** Noise of several scales, each half as wide as the one before. */
export function fractalNoise(x: number, y: number, seed: number, octaves = 4, gain = 0.5): number {
  let sum = 0;
  let weights = 0;
  let weight = 1;
  let scale = 1;
  for (let i = 0; i < octaves; i++) {
    sum += weight * valueNoise(scale * x, scale * y, seed + 101 * i);
    weights += weight;
    weight *= gain;
    scale *= 2;
  }
  return sum / weights;
}

/** A normally distributed number for a lattice point (Box–Muller). */
export function gaussianNoise(ix: number, iy: number, seed: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - hash(ix, iy, seed)));
  return radius * Math.cos(2 * Math.PI * hash(ix, iy, seed + 7919));
}

/** A sequence of numbers in [0, 1) for discrete choices (mulberry32). */
export function sequence(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
