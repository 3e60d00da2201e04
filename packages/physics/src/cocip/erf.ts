/** Error function to double precision: a series near zero, a continued fraction beyond (Abramowitz and Stegun 7.1.6, 7.1.14). */
export function erf(x: number): number {
  const a = Math.abs(x);
  if (Number.isNaN(x)) return Number.NaN;
  if (a > 6) return Math.sign(x);
  return a < 2.5 ? series(x) : Math.sign(x) * (1 - complement(a));
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
