import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as physics from '../support/physics.ts';

const { eiH2o, qFuelJKg } = physics.JET_A1;

function both(q: Float64Array, T: Float64Array, pressurePa: number, engineEfficiency: number) {
  const [quick, plain] = [new Float64Array(q.length), new Float64Array(q.length)];
  physics.sacLevel({ pressurePa, engineEfficiency, fuel: physics.JET_A1 })(quick, q, T);
  physics.sacInto(
    { sac: plain },
    {
      specificHumidity: q,
      temperatureK: T,
      pressurePa: new Float64Array(q.length).fill(pressurePa),
      engineEfficiency,
      eiH2o,
      qFuelJKg,
    },
    'grid',
  );
  return { quick, plain };
}

const weird = fc.constantFrom(0, -1e-6, Number.NaN, Number.POSITIVE_INFINITY, 1e-300, 0.02, 0.5);

test('every flag is that of the plain loop, whatever air and engine', () => {
  const air = fc.record({
    q: fc.oneof(
      { weight: 20, arbitrary: fc.double({ min: 0, max: 5e-3, noNaN: true }) },
      { weight: 1, arbitrary: weird },
    ),
    T: fc.oneof(
      { weight: 20, arbitrary: fc.double({ min: 180, max: 280, noNaN: true }) },
      { weight: 1, arbitrary: fc.constantFrom(Number.NaN, 0, 150, 400) },
    ),
  });
  fc.assert(
    fc.property(
      fc.array(air, { minLength: 1, maxLength: 60 }),
      fc.double({ min: 1000, max: 101_325, noNaN: true }),
      fc.oneof(fc.double({ min: 0.01, max: 1, noNaN: true }), fc.constantFrom(0.3, 1)),
      (points, pressurePa, efficiency) => {
        const { quick, plain } = both(
          Float64Array.from(points, ({ q }) => q),
          Float64Array.from(points, ({ T }) => T),
          pressurePa,
          efficiency,
        );
        expect(quick).toEqual(plain);
      },
    ),
    { numRuns: 500 },
  );
});

test('every flag is that of the plain loop next to the threshold too', () => {
  const [steps, humidities] = [400, 50];
  for (const pressurePa of [15_474, 23_842, 34_433]) {
    for (let k = 0; k < humidities; k++) {
      const q = 1e-6 * 1.17 ** k;
      const slope = physics.mixingLineSlope(q, pressurePa, 0.3, eiH2o, qFuelJKg);
      const thresholdK = physics.thresholdTemperature(slope);
      const critical =
        thresholdK +
        (physics.vapourPressure(q, pressurePa) - physics.saturationPressureLiquid(thresholdK)) / slope;
      const T = Float64Array.from({ length: 2 * steps }, (_, i) => {
        const off = (i % 2 === 0 ? 1 : -1) * 10 ** (-14 + (i / (2 * steps)) * 14);
        return (i % 3 === 0 ? thresholdK : critical) + off;
      });
      const { quick, plain } = both(new Float64Array(T.length).fill(q), T, pressurePa, 0.3);
      expect(quick).toEqual(plain);
    }
  }
});
