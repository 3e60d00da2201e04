/** Ertel's potential vorticity from derivatives on pressure levels of a sphere. */
import { EARTH_RADIUS_M, GRAVITY_M_S2 } from '../constants.ts';

const ROTATION_S = 7.292115e-5;
const PVU = 1e6;

/** Derivatives along radians of longitude λ and latitude φ, and along pressure [Pa]. */
export interface WindAndHeatGradients {
  readonly dvdLambda: number;
  /** Of u cos φ. */
  readonly dUCosPhi: number;
  readonly dThetaDLambda: number;
  readonly dThetaDPhi: number;
  readonly dThetaDp: number;
  readonly dudp: number;
  readonly dvdp: number;
}

/** [PVU] at a latitude [rad] away from the poles. */
export function potentialVorticityPvu(phi: number, gradients: WindAndHeatGradients): number {
  const { dvdLambda, dUCosPhi, dThetaDLambda, dThetaDPhi, dThetaDp, dudp, dvdp } = gradients;
  const circle = EARTH_RADIUS_M * Math.cos(phi);
  const vorticity = (dvdLambda - dUCosPhi) / circle + 2 * ROTATION_S * Math.sin(phi);
  return (
    -GRAVITY_M_S2 *
    (vorticity * dThetaDp - (dvdp * dThetaDLambda) / circle + (dudp * dThetaDPhi) / EARTH_RADIUS_M) *
    PVU
  );
}

/** Potential temperature [K] for which the vorticity is defined: by 1000 hPa and the exponent 2/7. */
export function potentialTemperature1000(temperatureK: number, pressurePa: number): number {
  return temperatureK * (1e5 / pressurePa) ** (2 / 7);
}

/** Weights of three neighbours in a derivative of second order at one of them. */
export interface DerivativeWeights {
  readonly nodes: readonly [number, number, number];
  readonly weights: readonly [number, number, number];
}

/** At a node of an uneven axis, of itself and the neighbours on both sides; at an end, of the three nodes there. */
export function derivativeWeights(knots: ArrayLike<number>, node: number): DerivativeWeights {
  const last = knots.length - 1;
  const first = Math.min(Math.max(node - 1, 0), last - 2);
  const [x0, x1, x2] = [knots[first], knots[first + 1], knots[first + 2]] as [number, number, number];
  return { nodes: [first, first + 1, first + 2], weights: threePoint(x1 - x0, x2 - x1, node - first) };
}

/** Weights of three nodes at distances h1 and h2 of the derivative at the first (0), middle (1) or last (2). */
export function threePoint(h1: number, h2: number, at: number): readonly [number, number, number] {
  const sum = h1 + h2;
  if (at === 1) return [-h2 / (h1 * sum), (h2 - h1) / (h1 * h2), h1 / (h2 * sum)];
  if (at === 0) return [-(2 * h1 + h2) / (h1 * sum), sum / (h1 * h2), -h1 / (h2 * sum)];
  return [h2 / (h1 * sum), -sum / (h1 * h2), (h1 + 2 * h2) / (h2 * sum)];
}
