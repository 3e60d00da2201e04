/**
 * Error function to double precision: expanded around the nearest of evenly spaced nodes, whose values are from a series near zero
 * and a continued fraction beyond (Abramowitz and Stegun 7.1.6, 7.1.14).
 */
const NODES_PER_UNIT = 32;
const END = 6;
const ORDER = 9;

let coefficients: Float64Array | undefined;

export function erf(x: number): number {
  const a = Math.abs(x);
  if (!(a <= END)) return Number.isNaN(x) ? Number.NaN : Math.sign(x);
  coefficients ??= expandAll();
  const node = Math.round(a * NODES_PER_UNIT);
  const d = a - node / NODES_PER_UNIT;
  const at = node * (ORDER + 1);
  let value = 0;
  for (let n = ORDER; n >= 0; n--) value = value * d + (coefficients[at + n] as number);
  return x < 0 ? -value : value;
}

/** Coefficients of the powers of the distance from each node. */
function expandAll(): Float64Array {
  const all = new Float64Array((END * NODES_PER_UNIT + 1) * (ORDER + 1));
  for (let node = 0; node <= END * NODES_PER_UNIT; node++) {
    const x = node / NODES_PER_UNIT;
    const slope = (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x);
    const at = node * (ORDER + 1);
    all[at] = x < 2.5 ? series(x) : 1 - complement(x);
    // Derivatives of the bell curve are Hermite polynomials, H(n+1) = 2x·H(n) − 2n·H(n−1), with alternating signs.
    let [hermite, before, scale] = [1, 0, slope];
    for (let n = 1; n <= ORDER; n++) {
      scale /= n;
      all[at + n] = (n % 2 === 1 ? 1 : -1) * scale * hermite;
      [hermite, before] = [2 * x * hermite - 2 * (n - 1) * before, hermite];
    }
  }
  return all;
}

function series(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

function complement(x: number): number {
  let fraction = x;
  for (let n = 60; n > 0; n--) fraction = x + n / 2 / fraction;
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction);
}
