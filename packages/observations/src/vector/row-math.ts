/** Elementary functions of rows, to the precision of float32. */
import type { Lanes, RowLoop } from './row-code.ts';

const FRACTION_BITS = 23;
/** Bits of √½: a number between √½ and √2 keeps the exponent 0. */
const ROOT_HALF_BITS = 0x3f3504f3;
/** Adding and subtracting 1.5·2²³ rounds to a whole number, which is then in the lowest bits. */
const ROUNDING = 12_582_912;
const MAX_EXPONENT = 87;
const LN2_HIGH = 0.693359375;
const LN2_LOW = -2.1219444e-4;

/** ln x of positive, normal numbers. */
export function log(loop: RowLoop, x: Lanes): Lanes {
  const { constant, integers, add, sub, mul, div } = bound(loop);
  const exponent = loop.shiftRight(loop.subtractIntegers(x, integers(ROOT_HALF_BITS)), FRACTION_BITS);
  const fraction = loop.subtractIntegers(x, loop.shiftLeft(exponent, FRACTION_BITS));
  const s = div(sub(fraction, constant(1)), add(fraction, constant(1)));
  const square = mul(s, s);
  const series = [9, 7, 5, 3].reduce((sum, n) => add(constant(2 / n), mul(sum, square)), constant(2 / 11));
  const whole = loop.fromIntegers(exponent);
  const small = add(mul(whole, constant(LN2_LOW)), mul(mul(s, square), series));
  return add(mul(whole, constant(LN2_HIGH)), add(mul(s, constant(2)), small));
}

/** eˣ; beyond ±87 the value there. */
export function exp(loop: RowLoop, x: Lanes): Lanes {
  const { constant, add, sub, mul } = bound(loop);
  const limited = loop.min(loop.max(x, constant(-MAX_EXPONENT)), constant(MAX_EXPONENT));
  const rounded = add(mul(limited, constant(Math.LOG2E)), constant(ROUNDING));
  const whole = sub(rounded, constant(ROUNDING));
  const rest = sub(sub(limited, mul(whole, constant(LN2_HIGH))), mul(whole, constant(LN2_LOW)));
  const series = [120, 24, 6, 2, 1, 1].reduce(
    (sum, factorial) => add(constant(1 / factorial), mul(sum, rest)),
    constant(1 / 720),
  );
  return loop.addIntegers(series, loop.shiftLeft(rounded, FRACTION_BITS));
}

function bound(loop: RowLoop) {
  const { add, sub, mul, div } = loop;
  const constant = (value: number) => loop.constant(value);
  const integers = (value: number) => loop.integers(value);
  return { constant, integers, add, sub, mul, div };
}
