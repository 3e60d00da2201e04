/**
 * A stretched vertical coordinate in which specific humidity is close to linear: a monotone cubic curve (Fritsch and
 * Carlson 1980; slopes after Fritsch and Butland 1984) through the mean humidity profile.
 */
import { type Column, requireSameLength } from '../numerics/columns.ts';
import { lastKnotNotAbove } from '../numerics/lerp.ts';

const LEVELS_HPA = [
  50, 100, 125, 150, 175, 200, 225, 250, 300, 350, 400, 450, 500, 550, 600, 650, 700, 750, 775, 800, 825, 850,
  875, 900, 925, 950, 975, 1000,
];
const HUMIDITIES = [
  1.8550577e-6, 2.6863474e-6, 3.437121e-6, 5.6529648e-6, 1.0849595e-5, 2.0879523e-5, 3.7430935e-5,
  6.1511033e-5, 1.3460252e-4, 2.4769874e-4, 4.0938452e-4, 6.2360929e-4, 8.9822523e-4, 1.2304801e-3,
  1.5927359e-3, 2.0140875e-3, 2.5222234e-3, 3.125194e-3, 3.4660504e-3, 3.8333545e-3, 4.2424337e-3,
  4.7023618e-3, 5.1869694e-3, 5.6702676e-3, 6.1630723e-3, 6.6630659e-3, 7.003617e-3, 7.1794386e-3,
];
const X = Float64Array.from(LEVELS_HPA);
const Y = Float64Array.from(HUMIDITIES);
const SLOPES = monotoneSlopes(X, Y);

/** Stretched coordinate of a level [hPa]; NaN outside 50–1000 hPa. */
export function stretchLevel(levelHpa: number): number {
  if (!(levelHpa >= 50 && levelHpa <= 1000)) return Number.NaN;
  const k = lastKnotNotAbove(levelHpa, X);
  const x0 = X[k] as number;
  const width = (X[k + 1] as number) - x0;
  const t = (levelHpa - x0) / width;
  const rest = 1 - t;
  return (
    (1 + 2 * t) * rest * rest * (Y[k] as number) +
    t * rest * rest * width * (SLOPES[k] as number) +
    t * t * (3 - 2 * t) * (Y[k + 1] as number) +
    t * t * (t - 1) * width * (SLOPES[k + 1] as number)
  );
}

/** Loop over {@link stretchLevel}. */
export function stretchLevelInto(out: Column, levelHpa: Column): Column {
  requireSameLength(out, levelHpa);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = stretchLevel(levelHpa[i] as number);
  return out;
}

function monotoneSlopes(x: Float64Array, y: Float64Array): Float64Array {
  const last = x.length - 1;
  const width = (k: number) => (x[k + 1] as number) - (x[k] as number);
  const secant = (k: number) => ((y[k + 1] as number) - (y[k] as number)) / width(k);
  return Float64Array.from(x, (_, k) => {
    if (k === 0) return endSlope(width(0), width(1), secant(0), secant(1));
    if (k === last) return endSlope(width(k - 1), width(k - 2), secant(k - 1), secant(k - 2));
    return interiorSlope(width(k - 1), width(k), secant(k - 1), secant(k));
  });
}

function interiorSlope(widthBefore: number, widthAfter: number, before: number, after: number): number {
  if (before * after <= 0) return 0;
  const w1 = 2 * widthAfter + widthBefore;
  const w2 = widthAfter + 2 * widthBefore;
  return (w1 + w2) / (w1 / before + w2 / after);
}

function endSlope(width: number, nextWidth: number, secant: number, nextSecant: number): number {
  const slope = ((2 * width + nextWidth) * secant - width * nextSecant) / (width + nextWidth);
  if (Math.sign(slope) !== Math.sign(secant)) return 0;
  if (Math.sign(secant) !== Math.sign(nextSecant) && Math.abs(slope) > 3 * Math.abs(secant))
    return 3 * secant;
  return slope;
}
