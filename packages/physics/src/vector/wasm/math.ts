/** Arithmetic and elementary functions of vectors as instructions of WebAssembly. */

import { chebyshevPolynomial } from '../chebyshev.ts';
import type { Operand, Vector, VectorMath } from '../expression.ts';
import type { WasmLoop } from './loop.ts';

const INSTRUCTION = {
  not: 0x4d,
  and: 0x4e,
  or: 0x50,
  exclusiveOr: 0x51,
  bitselect: 0x52,
  equal: 0x47,
  less: 0x49,
  atMost: 0x4b,
  abs: 0xec,
  negate: 0xed,
  sqrt: 0xef,
  add: 0xf0,
  subtract: 0xf1,
  multiply: 0xf2,
  divide: 0xf3,
  min: 0xf4,
  max: 0xf5,
  pseudoMin: 0xf6,
  pseudoMax: 0xf7,
  shiftLeft: 0xcb,
  shiftRight: 0xcd,
  addIntegers: 0xce,
  subtractIntegers: 0xd1,
} as const;

/** Adding and subtracting 1.5·2⁵² rounds to a whole number, which is then in the lowest bits. */
const ROUNDING = 6_755_399_441_055_744;
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const MIN_EXPONENT = -700;
const EXP_POLYNOMIAL = /* @__PURE__ */ chebyshevPolynomial(Math.exp, Math.LN2 / 2, 9);
const LOG_SERIES = Array.from({ length: 9 }, (_, k) => 2 / (2 * k + 1));
/** Bits of √½: a number between √½ and √2 keeps the exponent 0. */
const ROOT_HALF_BITS = 0x3fe6a09e667f3bcdn;
const EXPONENT_BIAS = 1022;
const FRACTION_BITS = 52;
const WHOLE_NUMBER_BITS = 0x4330000000000000n;
const TWO_52 = 2 ** FRACTION_BITS;
const HALF_PI_HIGH = 1.5707963267341256;
const HALF_PI_MIDDLE = 6.077100506303966e-11;
const HALF_PI_LOW = 2.0222662487959506e-21;
const SINE_SERIES = Array.from({ length: 8 }, (_, k) => (-1) ** k / factorial(2 * k + 1));
const COSINE_SERIES = Array.from({ length: 9 }, (_, k) => (-1) ** k / factorial(2 * k));
const DEGREE = Math.PI / 180;

function factorial(n: number): number {
  return n < 2 ? 1 : n * factorial(n - 1);
}

export class WasmMath implements VectorMath {
  private readonly loop: WasmLoop<string>;

  constructor(loop: WasmLoop<string>) {
    this.loop = loop;
  }

  constant(value: number): Vector {
    return this.loop.vector(value);
  }

  add(first: Operand, ...others: readonly Operand[]): Vector {
    return this.chain(INSTRUCTION.add, first, others);
  }

  mul(first: Operand, ...others: readonly Operand[]): Vector {
    return this.chain(INSTRUCTION.multiply, first, others);
  }

  sub(a: Operand, b: Operand): Vector {
    return this.loop.apply(INSTRUCTION.subtract, a, b);
  }

  div(a: Operand, b: Operand): Vector {
    return this.loop.apply(INSTRUCTION.divide, a, b);
  }

  neg(a: Operand): Vector {
    return this.loop.apply(INSTRUCTION.negate, a);
  }

  abs(a: Operand): Vector {
    return this.loop.apply(INSTRUCTION.abs, a);
  }

  sqrt(a: Operand): Vector {
    return this.loop.apply(INSTRUCTION.sqrt, a);
  }

  square(a: Operand): Vector {
    return this.mul(a, a);
  }

  atLeast(a: Operand, bound: Operand): Vector {
    return this.loop.apply(INSTRUCTION.pseudoMax, a, bound);
  }

  atMost(a: Operand, bound: Operand): Vector {
    return this.loop.apply(INSTRUCTION.pseudoMin, a, bound);
  }

  max(a: Operand, b: Operand): Vector {
    return this.loop.apply(INSTRUCTION.max, a, b);
  }

  min(a: Operand, b: Operand): Vector {
    return this.loop.apply(INSTRUCTION.min, a, b);
  }

  /** Masks are all bits where they hold, none elsewhere. */
  isLess(a: Operand, b: Operand): Vector {
    return this.loop.apply(INSTRUCTION.less, a, b);
  }

  isAtMost(a: Operand, b: Operand): Vector {
    return this.loop.apply(INSTRUCTION.atMost, a, b);
  }

  isEqual(a: Operand, b: Operand): Vector {
    return this.loop.apply(INSTRUCTION.equal, a, b);
  }

  both(a: Vector, b: Vector): Vector {
    return this.loop.apply(INSTRUCTION.and, a, b);
  }

  not(mask: Vector): Vector {
    return this.loop.apply(INSTRUCTION.not, mask);
  }

  select(mask: Vector, where: Operand, elsewhere: Operand): Vector {
    return this.loop.apply(INSTRUCTION.bitselect, where, elsewhere, mask);
  }

  only(mask: Vector, value: Operand): Vector {
    return this.loop.apply(INSTRUCTION.and, value, mask);
  }

  zeroForNaN(a: Vector): Vector {
    return this.only(this.isEqual(a, a), a);
  }

  countOf(masks: readonly Vector[]): Vector {
    return masks.reduce(
      (count, mask) => this.loop.apply(INSTRUCTION.subtractIntegers, count, mask),
      this.loop.bits(0n),
    );
  }

  nearestInteger(x: Operand): Vector {
    return this.add(x, ROUNDING);
  }

  /** Σ cₖ xᵏ by Estrin's scheme, whose terms do not wait for each other. */
  polynomial(x: Vector, coefficients: readonly number[]): Vector {
    let terms: Operand[] = [...coefficients];
    for (let power = x; terms.length > 1; power = this.square(power)) {
      terms = Array.from({ length: Math.ceil(terms.length / 2) }, (_, k) => {
        const [low, high] = [terms[2 * k] as Operand, terms[2 * k + 1]];
        return high === undefined ? low : this.add(low, this.mul(high, power));
      });
    }
    return this.loop.vector(terms[0] as Operand);
  }

  /** Within 1e-13. */
  exp(x: Operand): Vector {
    const within = this.atLeast(x, MIN_EXPONENT);
    const rounded = this.add(this.mul(within, Math.LOG2E), ROUNDING);
    const rest = this.sub(within, this.mul(this.sub(rounded, ROUNDING), Math.LN2));
    const power = this.polynomial(rest, EXP_POLYNOMIAL);
    const exponent = this.loop.shift(INSTRUCTION.shiftLeft, rounded, FRACTION_BITS);
    return this.loop.apply(INSTRUCTION.addIntegers, power, exponent);
  }

  /** Within 1e-16 of 1: relative to small results less. */
  oneMinusExp(x: Operand): Vector {
    return this.sub(1, this.exp(this.neg(x)));
  }

  /** Within 1e-15. */
  log(x: Operand): Vector {
    const bits = this.loop.apply(
      INSTRUCTION.subtractIntegers,
      this.loop.vector(x),
      this.loop.bits(ROOT_HALF_BITS - (BigInt(EXPONENT_BIAS) << BigInt(FRACTION_BITS))),
    );
    const biased = this.loop.shift(INSTRUCTION.shiftRight, bits, FRACTION_BITS);
    const exponent = this.sub(
      this.loop.apply(INSTRUCTION.or, biased, this.loop.bits(WHOLE_NUMBER_BITS)),
      TWO_52 + EXPONENT_BIAS,
    );
    const shift = this.loop.shift(
      INSTRUCTION.shiftLeft,
      this.loop.apply(INSTRUCTION.subtractIntegers, biased, this.loop.bits(BigInt(EXPONENT_BIAS))),
      FRACTION_BITS,
    );
    const mantissa = this.loop.apply(INSTRUCTION.subtractIntegers, this.loop.vector(x), shift);
    const s = this.div(this.sub(mantissa, 1), this.add(mantissa, 1));
    const series = this.mul(s, this.polynomial(this.square(s), LOG_SERIES));
    // The bits of NaN and ∞ were taken for those of numbers.
    const valid = this.sub(x, x);
    return this.add(this.mul(exponent, LN2_HIGH), this.add(series, this.mul(exponent, LN2_LOW), valid));
  }

  /** Within 1e-15. */
  sineAndCosine(x: Operand): { sine: Vector; cosine: Vector } {
    const rounded = this.add(this.mul(x, 2 / Math.PI), ROUNDING);
    const quadrants = this.sub(rounded, ROUNDING);
    const rest = this.sub(
      this.sub(this.sub(x, this.mul(quadrants, HALF_PI_HIGH)), this.mul(quadrants, HALF_PI_MIDDLE)),
      this.mul(quadrants, HALF_PI_LOW),
    );
    const squared = this.square(rest);
    const sine = this.mul(rest, this.polynomial(squared, SINE_SERIES));
    const cosine = this.polynomial(squared, COSINE_SERIES);
    const odd = this.loop.apply(
      INSTRUCTION.subtractIntegers,
      this.loop.bits(0n),
      this.loop.apply(INSTRUCTION.and, rounded, this.loop.bits(1n)),
    );
    const flip = (quadrant: Vector) =>
      this.loop.shift(
        INSTRUCTION.shiftLeft,
        this.loop.apply(INSTRUCTION.and, quadrant, this.loop.bits(2n)),
        62,
      );
    const next = this.loop.apply(INSTRUCTION.addIntegers, rounded, this.loop.bits(1n));
    return {
      sine: this.loop.apply(INSTRUCTION.exclusiveOr, this.select(odd, cosine, sine), flip(rounded)),
      cosine: this.loop.apply(INSTRUCTION.exclusiveOr, this.select(odd, sine, cosine), flip(next)),
    };
  }

  radians(degrees: Operand): Vector {
    return this.mul(degrees, DEGREE);
  }

  private chain(opcode: number, first: Operand, others: readonly Operand[]): Vector {
    return others.reduce<Vector>(
      (sum, other) => this.loop.apply(opcode, sum, other),
      this.loop.vector(first),
    );
  }
}
