/**
 * Random numbers by index: Philox 4×32-10 (Salmon et al. 2011). A draw is a function of seed, sample, parameter and draw, never of
 * what was drawn before, so any thread may compute any sample.
 */

const [MULTIPLIER_0, MULTIPLIER_1] = [0xd2511f53, 0xcd9e8d57];
const [WEYL_0, WEYL_1] = [0x9e3779b9, 0xbb67ae85];
const ROUNDS = 10;

/** Four unsigned 32-bit words of a counter and a key, written into `out`. */
export function philoxInto(
  out: Uint32Array,
  c0: number,
  c1: number,
  c2: number,
  c3: number,
  key0: number,
  key1: number,
): void {
  let [a, b, c, d] = [c0 >>> 0, c1 >>> 0, c2 >>> 0, c3 >>> 0];
  let [k0, k1] = [key0 >>> 0, key1 >>> 0];
  for (let round = 0; round < ROUNDS; round++) {
    const highA = multiplyHigh(MULTIPLIER_0, a);
    const lowA = Math.imul(MULTIPLIER_0, a) >>> 0;
    const highC = multiplyHigh(MULTIPLIER_1, c);
    const lowC = Math.imul(MULTIPLIER_1, c) >>> 0;
    a = (highC ^ b ^ k0) >>> 0;
    b = lowC;
    c = (highA ^ d ^ k1) >>> 0;
    d = lowA;
    k0 = (k0 + WEYL_0) >>> 0;
    k1 = (k1 + WEYL_1) >>> 0;
  }
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}

/** Upper 32 bits of the product of two unsigned 32-bit words. */
function multiplyHigh(x: number, y: number): number {
  const [x0, x1] = [x & 0xffff, x >>> 16];
  const [y0, y1] = [y & 0xffff, y >>> 16];
  const middle = x1 * y0 + ((x0 * y0) >>> 16);
  const carry = x0 * y1 + (middle & 0xffff);
  return (x1 * y1 + Math.floor(middle / 65_536) + Math.floor(carry / 65_536)) >>> 0;
}

/** Where a pair of uniforms is drawn. */
export interface DrawIndex {
  readonly seed: number;
  readonly sample: number;
  readonly parameter: number;
  /** 0: the sample, 1: the second sample of a sensitivity analysis, 2 and 3: the orders of Latin hypercubes. */
  readonly stream: number;
}

/** Two uniform numbers in (0, 1), exact in a double. */
export interface UniformPair {
  a: number;
  b: number;
}

const words = new Uint32Array(4);

export function wordsAt(index: DrawIndex, draw = 0, attempt = 0): Uint32Array {
  const { seed, sample, parameter, stream } = index;
  const high = Math.floor(seed / 2 ** 32);
  philoxInto(words, sample, parameter + 65_536 * stream, draw, attempt, seed % 2 ** 32, high);
  return words;
}

/** The uniforms of an index; the returned pair is a new object. */
export function uniformsAt(index: DrawIndex, draw = 0, attempt = 0): UniformPair {
  const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = wordsAt(index, draw, attempt);
  return { a: uniformOf(w0, w1), b: uniformOf(w2, w3) };
}

function uniformOf(high: number, low: number): number {
  return (high * 2 ** 20 + (low >>> 12) + 0.5) / 2 ** 52;
}
