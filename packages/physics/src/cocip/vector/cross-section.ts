import type { Vector, VectorMath } from '../../vector/expression.ts';

/** Effective cross-section [m²] of a Gaussian plume. */
export function effectiveArea(m: VectorMath, width: Vector, depth: Vector, sigmaYz: Vector): Vector {
  return m.mul(2 * Math.PI, m.sqrt(m.sub(m.div(m.mul(width, width, depth, depth), 64), m.square(sigmaYz))));
}
