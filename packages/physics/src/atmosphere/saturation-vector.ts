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

/** Over liquid water (Murphy and Koop 2005, eq. 10). */
export function lnSaturationLiquid(m: VectorMath, T: Vector): Vector {
  const lnT = m.log(T);
  const doubled = m.mul(2 * 0.0415, m.sub(T, 218.8));
  const tau = m.sub(1, m.div(2, m.add(m.exp(doubled), 1)));
  const supercooled = m.sub(m.add(m.div(-1331.22, T), 53.878, m.mul(0.014025, T)), m.mul(9.44523, lnT));
  return m.add(
    m.sub(m.add(m.div(-6763.22, T), 54.842763, m.mul(0.000367, T)), m.mul(4.21, lnT)),
    m.mul(tau, supercooled),
  );
}
