/** Logarithms of saturation vapour pressures [Pa] as formulas of a vector loop. */
import type { Vector, VectorMath } from '../vector/expression.ts';

/**
 * Over ice (Sonntag 1994, eq. 8). Terms are those of the difference to 220 K: large ones that cancel would cost single
 * precision a digit, and with it the ice of thin contrails.
 */
export function lnSaturationIce(m: VectorMath, T: Vector): Vector {
  const from = 220;
  const warmer = m.sub(T, from);
  const ofFrom =
    Math.log(100) -
    6024.5282 / from +
    24.7219 +
    0.010613868 * from -
    1.3198825e-5 * from * from -
    0.49382577 * Math.log(from);
  return m.sub(
    m.add(
      m.mul(6024.5282 / from, m.div(warmer, T)),
      m.mul(0.010613868, warmer),
      m.mul(-1.3198825e-5, warmer, m.add(T, from)),
      ofFrom,
    ),
    m.mul(0.49382577, m.log(m.div(T, from))),
  );
}

/** Over liquid water (Murphy and Koop 2005, eq. 10), in the same way. */
export function lnSaturationLiquid(m: VectorMath, T: Vector): Vector {
  return saturationLiquid(m, T).ln;
}

/** {@link lnSaturationLiquid} and its derivative [K⁻¹]. */
export function saturationLiquid(m: VectorMath, T: Vector): { readonly ln: Vector; readonly slope: Vector } {
  const from = 220;
  const warmer = m.sub(T, from);
  const perT = m.div(1, T);
  const lnRatio = m.log(m.div(T, from));
  /** constant − heat/T + linear·T − power·ln T and its derivative. */
  const fit = (constant: number, heat: number, linear: number, power: number) => ({
    value: m.add(
      m.sub(m.mul(heat / from, warmer, perT), m.mul(power, lnRatio)),
      m.mul(linear, warmer),
      constant - heat / from + linear * from - power * Math.log(from),
    ),
    slope: m.add(m.mul(m.sub(m.mul(heat, perT), power), perT), linear),
  });
  const warm = fit(54.842763, 6763.22, 0.000367, 4.21);
  const supercooled = fit(53.878, 1331.22, 0.014025, 9.44523);
  const tau = m.sub(1, m.div(2, m.add(m.exp(m.mul(2 * 0.0415, m.sub(T, 218.8))), 1)));
  const tauSlope = m.mul(0.0415, m.sub(1, m.square(tau)));
  return {
    ln: m.add(warm.value, m.mul(tau, supercooled.value)),
    slope: m.add(warm.slope, m.mul(tauSlope, supercooled.value), m.mul(tau, supercooled.slope)),
  };
}
