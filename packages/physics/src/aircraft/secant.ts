const FIRST_STEP = 2.220446049250313e-16 ** 0.33;

/**
 * Root of a function near `start` by the secant method: the first iterate that moves by less than `tolerance`, the
 * middle of the last two where the function is flat. Without convergence it is the iterate before the newest, as in
 * the field's reference.
 */
export function secant(
  start: number,
  evaluate: (x: number) => number,
  tolerance: number,
  maxSteps: number,
): number {
  let older = start;
  let newer = start * (1 + FIRST_STEP) + FIRST_STEP;
  let valueAtOlder = evaluate(older);
  let valueAtNewer = evaluate(newer);
  for (let step = 0; step < maxSteps; step++) {
    if (valueAtNewer === valueAtOlder) return (older + newer) / 2;
    const move = (valueAtNewer * (newer - older)) / (valueAtNewer - valueAtOlder);
    const next = newer - move;
    if (Math.abs(move) < tolerance) return next;
    older = newer;
    valueAtOlder = valueAtNewer;
    newer = next;
    valueAtNewer = evaluate(newer);
  }
  return older;
}
