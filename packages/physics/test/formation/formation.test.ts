import { describe, expect, test } from 'vitest';
import * as physics from '../support/physics.ts';

const { eiH2o, qFuelJKg } = physics.JET_A1;

function sacOf(
  q: number,
  T: number,
  p: number,
  domain: 'trajectory' | 'grid' = 'trajectory',
  engineEfficiency: physics.ColumnOrConstant = 0.3,
) {
  const out = {
    sac: new Float64Array(1),
    slope: new Float64Array(1),
    thresholdK: new Float64Array(1),
    rh: new Float64Array(1),
    rhCritical: new Float64Array(1),
  };
  physics.sacInto(
    out,
    {
      specificHumidity: Float64Array.of(q),
      temperatureK: Float64Array.of(T),
      pressurePa: Float64Array.of(p),
      engineEfficiency,
      eiH2o,
      qFuelJKg,
    },
    domain,
  );
  return {
    sac: out.sac[0] as number,
    slope: out.slope[0] as number,
    thresholdK: out.thresholdK[0] as number,
    rh: out.rh[0] as number,
    rhCritical: out.rhCritical[0] as number,
  };
}

describe('Schmidt–Appleman criterion over columns', () => {
  test.each([
    [5e-5, 220, 25000, 0.3],
    [1e-4, 226, 25000, 0.35],
    [3.5e-4, 236, 28000, 0.3],
    [1.2e-4, 228, 22000, 0.4],
  ])('agrees with the scalar functions at q %d, T %d, p %d, η %d', (q, T, p, efficiency) => {
    const actual = sacOf(q, T, p, 'trajectory', efficiency);
    const slope = physics.mixingLineSlope(q, p, efficiency, eiH2o, qFuelJKg);
    const thresholdK = physics.thresholdTemperature(slope);
    const rh = physics.relativeHumidityLiquid(q, T, p);
    const rhCritical = physics.criticalRelativeHumidity(T, slope, thresholdK);
    expect(actual.slope).toBe(slope);
    expect(actual.thresholdK).toBe(thresholdK);
    expect(actual.rh / rh).toBeCloseTo(1, 9);
    expect(actual.rhCritical).toBeCloseTo(rhCritical, 8);
    expect(actual.sac).toBe(physics.sacFlag(rh, rhCritical));
  });

  test('a column of efficiencies is the same as a constant', () => {
    expect(sacOf(5e-5, 220, 25000, 'trajectory', Float64Array.of(0.4))).toEqual(
      sacOf(5e-5, 220, 25000, 'trajectory', 0.4),
    );
  });

  test('an unknown humidity, temperature or pressure makes the flag unknown, on grids too', () => {
    for (const domain of ['trajectory', 'grid'] as const) {
      expect(sacOf(Number.NaN, 220, 25000, domain).sac).toBeNaN();
      expect(sacOf(5e-5, Number.NaN, 25000, domain).sac).toBeNaN();
      expect(sacOf(5e-5, 220, Number.NaN, domain).sac).toBeNaN();
    }
  });

  test('far above all traffic a threshold does not exist: unknown on a trajectory, no contrail on a grid', () => {
    expect(sacOf(5e-5, 220, 700, 'trajectory').sac).toBeNaN();
    expect(sacOf(5e-5, 220, 700, 'grid')).toMatchObject({ sac: 0, rhCritical: Number.POSITIVE_INFINITY });
  });

  test('where the critical humidity is 0, any vapour at all forms a contrail and none does not', () => {
    expect(sacOf(1e-12, 210, 25000).sac).toBe(1);
    expect(sacOf(0, 210, 25000).sac).toBe(0);
    expect(sacOf(-1e-9, 210, 25000).sac).toBe(0);
  });

  test('the threshold temperature itself still allows contrails', () => {
    const slope = physics.mixingLineSlope(2e-4, 25000, 0.3, eiH2o, qFuelJKg);
    const thresholdK = physics.thresholdTemperature(slope);
    expect(physics.criticalRelativeHumidity(thresholdK, slope, thresholdK)).toBe(1);
    expect(physics.criticalRelativeHumidity(thresholdK + 1e-9, slope, thresholdK)).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  test('an engine that leaves no heat behind leaves a contrail in any moist air', () => {
    const slope = physics.mixingLineSlope(2e-4, 25000, 1, eiH2o, qFuelJKg);
    expect(physics.criticalRelativeHumidity(260, slope, physics.thresholdTemperature(slope))).toBe(0);
    const columns = [2e-4, 260, 25000].map((value) => Float64Array.of(value));
    const [specificHumidity, temperatureK, pressurePa] = columns as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const sac = new Float64Array(1);
    physics.sacInto(
      { sac },
      { specificHumidity, temperatureK, pressurePa, engineEfficiency: 1, eiH2o, qFuelJKg },
      'grid',
    );
    expect(sac[0]).toBe(1);
  });

  test('a slope up to 0.053 has no threshold temperature', () => {
    expect(physics.thresholdTemperature(0.053)).toBeNaN();
    expect(physics.refinedThresholdTemperature(0.05)).toBeNaN();
    expect(physics.criticalTemperature(0.5, 0.05, Number.NaN)).toBeNaN();
  });
});

describe('critical temperature', () => {
  test.each([0.999, 1.2, Number.NaN])('with humidity %d is the threshold temperature', (rh) => {
    expect(physics.criticalTemperature(rh, 1.6, 231)).toBe(231);
  });

  test('is where the mixing line starts at the ambient humidity', () => {
    const slope = 1.65;
    const thresholdK = physics.thresholdTemperature(slope);
    const T = physics.criticalTemperature(0.4, slope, thresholdK);
    const ambient = 0.4 * physics.saturationPressureLiquid(T);
    const reached = ambient + slope * (thresholdK - T);
    expect(reached).toBeCloseTo(physics.saturationPressureLiquid(thresholdK), 7);
  });
});

test('vapour pressure follows the mixing line', () => {
  expect(physics.mixingLineVapourPressure(5e-5, 25000, 225, 220, 1.64)).toBeCloseTo(10.2097108518, 9);
});

describe('ice-supersaturated and persistent-contrail regions', () => {
  test('the threshold is strict and belongs to ice', () => {
    expect(physics.issrFlag(1, 220)).toBe(0);
    expect(physics.issrFlag(1 + 1e-12, 220)).toBe(1);
    expect(physics.issrFlag(1.5, 273.15)).toBe(0);
    expect(physics.issrFlag(1.05, 220, 1.1)).toBe(0);
  });

  test('an unknown humidity is unknown, an unknown temperature alone is no', () => {
    expect(physics.issrFlag(Number.NaN, 220)).toBeNaN();
    expect(physics.issrFlag(1.2, Number.NaN)).toBe(0);
  });

  test.each([
    [1, 1, 1],
    [1, 0, 0],
    [0, 1, 0],
    [0, Number.NaN, Number.NaN],
    [Number.NaN, 1, Number.NaN],
  ])('issr %d and sac %d give pcr %d', (issr, sac, pcr) => {
    expect(physics.pcrFlag(issr, sac)).toBe(pcr);
  });
});

describe('potential contrail cover of unknown points', () => {
  const cover = (cloudModel: physics.CloudModel, q: number, T: number, p: number, ps: number) =>
    physics.potentialContrailCover(q, T, p, 1e-6, ps, { ...physics.DEFAULT_PCC_PARAMS, cloudModel });

  test.each([
    [Number.NaN, 220, 25000, 100000],
    [5e-5, Number.NaN, 25000, 100000],
    [5e-5, 220, Number.NaN, 100000],
    [5e-5, 220, 25000, Number.NaN],
  ])('is unknown at q %d, T %d, p %d, surface %d', (q, T, p, ps) => {
    expect(cover('Smith1990', q, T, p, ps)).toBe(0);
    expect(cover('Slingo1980', q, T, p, ps)).toBeNaN();
    expect(cover('Sundqvist1989', q, T, p, ps)).toBeNaN();
  });
});
