import { InputError } from '../errors.ts';
import { requireSameLength } from '../numerics/columns.ts';

/** A window of such numbers has an exact sum. */
const MAX_WHOLE = 2 ** 32;

/**
 * Savitzky–Golay smoothing of first order (Savitzky and Golay 1964): a centred mean inside, the least-squares
 * straight line through the outermost window at either end. The window shrinks to the largest odd number that
 * fits; a window of one turns every value into the mean of the finite ones. `out` must not be `values`.
 */
export function smoothLinearInto(out: Float64Array, values: Float64Array, window = 7): Float64Array {
  requireSameLength(out, values);
  const width = oddWindow(window, values.length);
  if (width <= 1) return out.fill(meanOfFinite(values));
  requireFinite(values);
  const half = (width - 1) / 2;
  const last = values.length - 1;
  meansInto(out, values, width);
  lineInto(out, values, 0, width, 0, half);
  lineInto(out, values, last - width + 1, width, last - half + 1, last + 1);
  return out;
}

/** Largest odd window that neither exceeds the wish nor the number of samples; 0 or less if there is none. */
export function oddWindow(wish: number, samples: number): number {
  const width = Math.min(Math.floor(wish), samples);
  return width % 2 === 0 ? width - 1 : width;
}

/** Sums of whole numbers are exact in any order, so the window moves; other sums are computed again. */
function meansInto(out: Float64Array, values: Float64Array, width: number): void {
  const half = (width - 1) / 2;
  let sum = 0;
  let whole = 0;
  for (let end = 0; end < values.length; end++) {
    const value = values[end] as number;
    whole = Math.abs(value) <= MAX_WHOLE && Math.floor(value) === value ? whole + 1 : 0;
    if (end < width - 1) continue;
    if (whole > width) sum += value - (values[end - width] as number);
    else sum = windowSum(values, end - width + 1, width);
    out[end - half] = sum / width;
  }
}

function windowSum(values: Float64Array, from: number, width: number): number {
  let sum = 0;
  for (let k = from; k < from + width; k++) sum += values[k] as number;
  return sum;
}

function windowMean(values: Float64Array, from: number, width: number): number {
  return windowSum(values, from, width) / width;
}

/** Writes the straight line fitted to `values[from … from + width − 1]` to `out[begin … end − 1]`. */
function lineInto(
  out: Float64Array,
  values: Float64Array,
  from: number,
  width: number,
  begin: number,
  end: number,
): void {
  const centre = from + (width - 1) / 2;
  let moment = 0;
  for (let k = from; k < from + width; k++) moment += (k - centre) * (values[k] as number);
  const slope = moment / ((width * (width * width - 1)) / 12);
  const mean = windowMean(values, from, width);
  for (let i = begin; i < end; i++) out[i] = mean + slope * (i - centre);
}

function meanOfFinite(values: Float64Array): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isFinite(value)) continue;
    sum += value;
    count++;
  }
  return sum / count;
}

function requireFinite(values: Float64Array): void {
  for (let index = 0; index < values.length; index++) {
    if (Number.isFinite(values[index])) continue;
    throw new InputError(
      `value ${index} to be smoothed is ${values[index]}; remove repeated times and unknown positions first`,
      { index, value: values[index] },
    );
  }
}
