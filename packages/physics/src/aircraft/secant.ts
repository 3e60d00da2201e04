/**
 * Secant iterations with the stopping rules of the field's reference. Only these rules, not the roots alone,
 * reproduce its nominal-cruise masses, because its tolerance is wide and its points step together.
 */

/** A function of one variable at every point of a batch: reads `x`, writes `out`. */
export type BatchFunction = (out: Float64Array, x: Float64Array) => void;

const BATCH_STEP = 2.220446049250313e-16 ** 0.33;
const SINGLE_STEP = 1e-4;

/** Roots near `start` of a batch, written over `start`. One point goes by the rules of a single root. */
export function secantInto(
  start: Float64Array,
  evaluate: BatchFunction,
  tolerance: number,
  maxSteps: number,
): Float64Array {
  if (start.length === 1) {
    start[0] = single(start[0] as number, scalarOf(evaluate), tolerance, maxSteps);
    return start;
  }
  return batch(start, evaluate, tolerance, maxSteps);
}

/**
 * All points step together until each has moved by less than the tolerance. A point whose two values are equal
 * is moved to the middle once and then stays. Without convergence the answer is the iterate before the newest.
 */
function batch(
  start: Float64Array,
  evaluate: BatchFunction,
  tolerance: number,
  maxSteps: number,
): Float64Array {
  const n = start.length;
  let a = start.slice();
  let b = start.map((x) => x * (1 + BATCH_STEP) + BATCH_STEP);
  let q0 = new Float64Array(n);
  let q1 = new Float64Array(n);
  const halved = new Uint8Array(n);
  evaluate(q0, a);
  evaluate(q1, b);
  for (let step = 0; step < maxSteps; step++) {
    if (everyEqual(q0, q1)) {
      for (let i = 0; i < n; i++) start[i] = ((a[i] as number) + (b[i] as number)) / 2;
      return start;
    }
    if (advance(a, b, q0, q1, halved, tolerance)) break;
    [a, b] = [b, a];
    [q0, q1] = [q1, q0];
    evaluate(q1, b);
  }
  start.set(a);
  return start;
}

/** One step of every point, written over `a`; true when all of them have converged. */
function advance(
  a: Float64Array,
  b: Float64Array,
  q0: Float64Array,
  q1: Float64Array,
  halved: Uint8Array,
  tolerance: number,
): boolean {
  let converged = true;
  for (let i = 0; i < a.length; i++) {
    const oldest = a[i] as number;
    const newest = b[i] as number;
    const before = q0[i] as number;
    const now = q1[i] as number;
    if (now === before) {
      if (halved[i] === 0) a[i] = (oldest + newest) / 2;
      halved[i] = 1;
      continue;
    }
    const move = (now * (newest - oldest)) / (now - before);
    a[i] = newest - move;
    if (Math.abs(move) >= tolerance) converged = false;
  }
  return converged;
}

function everyEqual(q0: Float64Array, q1: Float64Array): boolean {
  for (let i = 0; i < q0.length; i++) if (q0[i] !== q1[i]) return false;
  return true;
}

function single(start: number, evaluate: (x: number) => number, tolerance: number, maxSteps: number): number {
  let a = start;
  let b = start * (1 + SINGLE_STEP) + SINGLE_STEP;
  let q0 = evaluate(a);
  let q1 = evaluate(b);
  if (Math.abs(q1) < Math.abs(q0)) {
    [a, b] = [b, a];
    [q0, q1] = [q1, q0];
  }
  let next = b;
  for (let step = 0; step < maxSteps; step++) {
    if (q1 === q0) return (a + b) / 2;
    next =
      Math.abs(q1) > Math.abs(q0)
        ? ((-q0 / q1) * b + a) / (1 - q0 / q1)
        : ((-q1 / q0) * a + b) / (1 - q1 / q0);
    if (Math.abs(next - b) <= tolerance) return next;
    [a, q0] = [b, q1];
    b = next;
    q1 = evaluate(b);
  }
  return next;
}

function scalarOf(evaluate: BatchFunction): (x: number) => number {
  const x = new Float64Array(1);
  const out = new Float64Array(1);
  return (value) => {
    x[0] = value;
    evaluate(out, x);
    return out[0] as number;
  };
}
