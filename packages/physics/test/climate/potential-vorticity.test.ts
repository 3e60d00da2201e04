import { expect, test } from 'vitest';
import { derivativeWeights, potentialVorticityPvu } from '../../src/climate/index.ts';

const RADIUS = 6_371_229;
const ROTATION = 7.292115e-5;

test('derivatives on an uneven axis are exact for parabolas, at the ends too', () => {
  const knots = [-2, -0.5, 1, 4, 4.5];
  const values = knots.map((x) => 3 * x * x - 5 * x + 1);
  knots.forEach((x, node) => {
    const { nodes, weights } = derivativeWeights(knots, node);
    const slope = nodes.reduce((sum, n, k) => sum + (weights[k] as number) * (values[n] as number), 0);
    expect(slope).toBeCloseTo(6 * x - 5, 11);
  });
});

test('solid rotation has the vorticity of a sphere that turns faster', () => {
  const speed = 30;
  const dThetaDp = -4e-3;
  for (const phi of [-1.2, -0.3, 0.4, 1.5]) {
    const pv = potentialVorticityPvu(phi, {
      dvdLambda: 0,
      // u cos φ = U cos² φ
      dUCosPhi: -2 * speed * Math.cos(phi) * Math.sin(phi),
      dThetaDLambda: 0,
      dThetaDPhi: 0,
      dThetaDp,
      dudp: 0,
      dvdp: 0,
    });
    const expected = -9.80665e6 * (2 * ROTATION + (2 * speed) / RADIUS) * Math.sin(phi) * dThetaDp;
    expect(pv / expected).toBeCloseTo(1, 12);
  }
});
