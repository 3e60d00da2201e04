/**
 * Arithmetic and elementary functions of vectors in WGSL. Exponentials, logarithms and angles have functions here, because those
 * of the language may be off by many units of the last place, and differ between devices; formulas that bear it take the latter.
 */

import { chebyshevPolynomial } from '../chebyshev.ts';
import type { Operand, Vector, VectorMath } from '../expression.ts';
import { LARGEST, literal, type WgslLoop } from './loop.ts';

const DEGREE = Math.PI / 180;

export class WgslMath implements VectorMath {
  private readonly loop: WgslLoop<string>;
  private readonly isNative: boolean;

  /** `isNative`: exponentials and logarithms are those of the device. */
  constructor(loop: WgslLoop<string>, isNative = false) {
    this.loop = loop;
    this.isNative = isNative;
  }

  constant(value: number): Vector {
    return this.loop.vector(value);
  }

  add(first: Operand, ...others: readonly Operand[]): Vector {
    return this.chain('+', first, others);
  }

  mul(first: Operand, ...others: readonly Operand[]): Vector {
    return this.chain('*', first, others);
  }

  sub(a: Operand, b: Operand): Vector {
    return this.binary('-', a, b);
  }

  div(a: Operand, b: Operand): Vector {
    return this.binary('/', a, b);
  }

  neg(a: Operand): Vector {
    return this.loop.apply('f32', 'neg', (x) => `-(${x})`, a);
  }

  abs(a: Operand): Vector {
    return this.call('abs', a);
  }

  sqrt(a: Operand): Vector {
    return this.call('sqrt', a);
  }

  square(a: Operand): Vector {
    return this.mul(a, a);
  }

  atLeast(a: Operand, bound: Operand): Vector {
    return this.call('max', a, bound);
  }

  atMost(a: Operand, bound: Operand): Vector {
    return this.call('min', a, bound);
  }

  max(a: Operand, b: Operand): Vector {
    return this.call('max', a, b);
  }

  min(a: Operand, b: Operand): Vector {
    return this.call('min', a, b);
  }

  isLess(a: Operand, b: Operand): Vector {
    return this.compare('<', a, b);
  }

  isAtMost(a: Operand, b: Operand): Vector {
    return this.compare('<=', a, b);
  }

  isEqual(a: Operand, b: Operand): Vector {
    return this.compare('==', a, b);
  }

  both(a: Vector, b: Vector): Vector {
    return this.loop.apply('bool', 'both', (x, y) => `${x} && ${y}`, a, b);
  }

  not(mask: Vector): Vector {
    return this.loop.apply('bool', 'not', (x) => `!(${x})`, mask);
  }

  select(mask: Vector, where: Operand, elsewhere: Operand): Vector {
    return this.loop.apply(
      this.loop.typeOf(this.loop.vector(where)),
      'select',
      (condition, yes, no) => `select(${no}, ${yes}, ${condition})`,
      mask,
      where,
      elsewhere,
    );
  }

  only(mask: Vector, value: Operand): Vector {
    return this.select(mask, value, 0);
  }

  zeroForNaN(a: Vector): Vector {
    return this.call('zero_for_nan', a);
  }

  countOf(masks: readonly Vector[]): Vector {
    return this.loop.apply(
      'i32',
      'count',
      (...names) => names.map((name) => `select(0, 1, ${name})`).join(' + '),
      ...masks,
    );
  }

  nearestInteger(x: Operand): Vector {
    return this.loop.apply('i32', 'nearest', (name) => `i32(round(${name}))`, x);
  }

  polynomial(x: Vector, coefficients: readonly number[]): Vector {
    return this.loop.apply(
      'f32',
      `polynomial ${coefficients.join(' ')}`,
      (name) => horner(name, coefficients),
      x,
    );
  }

  exp(x: Operand): Vector {
    return this.call(this.isNative ? 'exp' : 'exp_of', x);
  }

  oneMinusExp(x: Operand): Vector {
    return this.call('one_minus_exp', x);
  }

  log(x: Operand): Vector {
    return this.call(this.isNative ? 'log' : 'log_of', x);
  }

  sineAndCosine(x: Operand): { sine: Vector; cosine: Vector } {
    return { sine: this.call('sine_of', x), cosine: this.call('cosine_of', x) };
  }

  radians(degrees: Operand): Vector {
    return this.mul(degrees, DEGREE);
  }

  private chain(operator: string, first: Operand, others: readonly Operand[]): Vector {
    return others.reduce<Vector>((sum, other) => this.binary(operator, sum, other), this.loop.vector(first));
  }

  private binary(operator: string, a: Operand, b: Operand): Vector {
    return this.loop.apply('f32', operator, (x, y) => `${x} ${operator} ${y}`, a, b);
  }

  private compare(operator: string, a: Operand, b: Operand): Vector {
    return this.loop.apply('bool', operator, (x, y) => `${x} ${operator} ${y}`, a, b);
  }

  private call(name: string, ...operands: readonly Operand[]): Vector {
    return this.loop.apply('f32', name, (...names) => `${name}(${names.join(', ')})`, ...operands);
  }
}

function horner(x: string, coefficients: readonly number[]): string {
  const [last = 0, ...others] = coefficients.toReversed();
  return others.reduce((sum, coefficient) => `fma(${sum}, ${x}, ${literal(coefficient)})`, literal(last));
}

function factorial(n: number): number {
  return n < 2 ? 1 : n * factorial(n - 1);
}

const SINE_SERIES = Array.from({ length: 6 }, (_, k) => (-1) ** k / factorial(2 * k + 1));
const COSINE_SERIES = Array.from({ length: 6 }, (_, k) => (-1) ** k / factorial(2 * k));
const LOG_SERIES = Array.from({ length: 5 }, (_, k) => 2 / (2 * k + 1));
const ARCTANGENT_SERIES = Array.from({ length: 8 }, (_, k) => (-1) ** k / (2 * k + 1));
const ONE_MINUS_EXP_SERIES = Array.from({ length: 6 }, (_, k) => (-1) ** k / factorial(k + 1));
const EXP_POLYNOMIAL = /* @__PURE__ */ chebyshevPolynomial(Math.exp, Math.LN2 / 2, 7);

/**
 * Functions that formulas call. Products with the high parts of ln 2 and π/2 are exact for the numbers that occur, so
 * little is lost where a multiple is taken away.
 */
export const WGSL_FUNCTIONS = /* @__PURE__ */ [
  `fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }`,
  `fn zero_for_nan(x: f32) -> f32 { return select(x, 0.0, is_nan(x)); }`,
  `fn exp_of(x: f32) -> f32 {
  let within = clamp(x, -87.0, 88.0);
  let power = round(within * ${literal(Math.LOG2E)});
  let rest = fma(power, 2.12194440e-4, fma(power, -0.693359375, within));
  return bitcast<f32>(bitcast<i32>(${horner('rest', EXP_POLYNOMIAL)}) + (i32(power) << 23));
}`,
  `fn one_minus_exp(x: f32) -> f32 {
  return select(1.0 - exp_of(-x), x * ${horner('x', ONE_MINUS_EXP_SERIES)}, abs(x) < 0.25);
}`,
  // Bits of √½: a number between √½ and √2 keeps the exponent 0.
  `fn log_of(x: f32) -> f32 {
  let exponent = (bitcast<i32>(x) - 0x3f3504f3) >> 23;
  let mantissa = bitcast<f32>(bitcast<i32>(x) - (exponent << 23));
  let s = (mantissa - 1.0) / (mantissa + 1.0);
  let squared = s * s;
  let series = s * ${horner('squared', LOG_SERIES)};
  return fma(f32(exponent), 0.693359375, fma(f32(exponent), -2.12194440e-4, series));
}`,
  `fn quarter_turn(x: f32) -> f32 { return round(x * ${literal(2 / Math.PI)}); }`,
  `fn rest_of_turn(x: f32, quarters: f32) -> f32 {
  return fma(quarters, -7.54978995489e-8, fma(quarters, -4.83751296997e-4, fma(quarters, -1.5703125, x)));
}`,
  `fn sine_near(x: f32) -> f32 { let squared = x * x; return x * ${horner('squared', SINE_SERIES)}; }`,
  `fn cosine_near(x: f32) -> f32 { let squared = x * x; return ${horner('squared', COSINE_SERIES)}; }`,
  `fn turned(x: f32, quarters: i32, rest: f32) -> f32 {
  let value = select(sine_near(rest), cosine_near(rest), (quarters & 1) == 1);
  return select(value, -value, (quarters & 2) == 2);
}`,
  `fn sine_of(x: f32) -> f32 { let q = quarter_turn(x); return turned(x, i32(q), rest_of_turn(x, q)); }`,
  `fn cosine_of(x: f32) -> f32 { let q = quarter_turn(x); return turned(x, i32(q) + 1, rest_of_turn(x, q)); }`,
  `fn arctangent_of(y: f32, x: f32) -> f32 {
  let largest = max(abs(x), abs(y));
  let ratio = select(min(abs(x), abs(y)) / largest, 0.0, largest == 0.0);
  let is_steep = ratio > 0.41421356;
  let t = select(ratio, (ratio - 1.0) / (ratio + 1.0), is_steep);
  let squared = t * t;
  var angle = t * ${horner('squared', ARCTANGENT_SERIES)} + select(0.0, ${literal(Math.PI / 4)}, is_steep);
  if (abs(y) > abs(x)) { angle = ${literal(Math.PI / 2)} - angle; }
  if (x < 0.0) { angle = ${literal(Math.PI)} - angle; }
  return select(angle, -angle, y < 0.0);
}`,
].join('\n');

/** A number as a shader can be given it: infinite ones are the largest. */
export function finite(value: number): number {
  return Math.min(Math.max(value, -LARGEST), LARGEST);
}
