import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  ACCF_NAMES,
  type AccfHorizon,
  type AccfInput,
  type AccfName,
  type AccfValues,
  type AccfVersion,
  accfModel,
  contrailArea,
  DEFAULT_ACCF_PARAMS,
  type EmissionScenario,
  noonRadiationWM2,
} from '../../src/climate/index.ts';

interface Point {
  readonly input: {
    readonly air_temperature: number;
    readonly geopotential: number;
    readonly latitude: number;
    readonly date: string;
    readonly potential_vorticity: number;
    readonly olr: number;
    readonly rhi: number;
    readonly day: boolean;
  };
  readonly query: {
    readonly accf_v: AccfVersion;
    readonly efficacy: boolean;
    readonly emission_scenario: EmissionScenario;
    readonly time_horizon: AccfHorizon;
    readonly pmo: boolean;
    readonly issr_rhi_threshold: number;
    readonly issr_temp_threshold: number;
  };
  readonly output: Partial<Record<AccfName, number>> & { readonly pcfa: number; readonly Fin: number };
}

const points: Point[] = JSON.parse(
  readFileSync(new URL('../reference/climate/points.json', import.meta.url), 'utf8'),
);

test('the functions of 60 points are those of the reference', () => {
  expect(points).toHaveLength(60);
  let worst = 0;
  for (const { input, query, output } of points) {
    const params = {
      ...DEFAULT_ACCF_PARAMS,
      version: query.accf_v,
      efficacy: query.efficacy,
      scenario: query.emission_scenario,
      horizonYears: query.time_horizon,
      pmo: query.pmo,
      rhiThreshold: query.issr_rhi_threshold,
      temperatureThresholdK: query.issr_temp_threshold,
    };
    const pcfa = contrailArea(input.rhi, input.air_temperature, params);
    const noon = noonRadiationWM2(input.latitude, Date.parse(`${input.date}T12:00:00Z`));
    expect(pcfa).toBe(output.pcfa);
    expect(Math.abs(noon - output.Fin)).toBeLessThan(1e-8);
    const values = evaluate(params, {
      temperatureK: input.air_temperature,
      geopotential: input.geopotential,
      potentialVorticityPvu: input.potential_vorticity,
      olrWM2: input.olr,
      noonRadiationWM2: noon,
      pcfa,
      isDay: input.day,
    });
    for (const name of ACCF_NAMES) {
      const expected = output[name];
      if (expected === undefined) continue;
      // Results are differences of terms some thousand times as large.
      const scale = Math.max(Math.abs(expected), 1e-13);
      const deviation = Math.abs(values[name] - expected) / scale;
      worst = Math.max(worst, deviation);
      expect(deviation, name).toBeLessThan(1e-9);
    }
  }
  console.log(`worst deviation ${worst.toExponential(1)}`);
});

const AIR: AccfInput = {
  temperatureK: 220,
  geopotential: 105_000,
  potentialVorticityPvu: 3,
  olrWM2: 250,
  noonRadiationWM2: 900,
  pcfa: 1,
  isDay: true,
};

test('contrails of the day warm above an outgoing longwave radiation of 193 W/m²', () => {
  expect(evaluate(DEFAULT_ACCF_PARAMS, AIR).aCCF_Cont).toBeGreaterThan(0);
  expect(evaluate(DEFAULT_ACCF_PARAMS, { ...AIR, olrWM2: 190 }).aCCF_Cont).toBeLessThan(0);
});

test('an unknown outgoing radiation leaves the contrails of the night and outside the area known', () => {
  const dark = { ...AIR, olrWM2: Number.NaN };
  expect(evaluate(DEFAULT_ACCF_PARAMS, dark).aCCF_merged).toBeNaN();
  expect(evaluate(DEFAULT_ACCF_PARAMS, { ...dark, isDay: false }).aCCF_merged).toBeGreaterThan(0);
  expect(evaluate(DEFAULT_ACCF_PARAMS, { ...dark, pcfa: 0 }).aCCF_Cont).toBe(0);
});

test('the merged function is the sum of its parts', () => {
  const values = evaluate(DEFAULT_ACCF_PARAMS, AIR);
  const sum = values.aCCF_CO2 + values.aCCF_H2O + 0.013 * values.aCCF_NOx + 0.16 * values.aCCF_Cont;
  expect(values.aCCF_merged).toBeCloseTo(sum, 28);
});

test('there is no sun at noon in polar night', () => {
  expect(noonRadiationWM2(80, Date.parse('2025-12-21T12:00:00Z'))).toBe(0);
});

function evaluate(params: typeof DEFAULT_ACCF_PARAMS, input: AccfInput): AccfValues {
  const out = Object.fromEntries(ACCF_NAMES.map((name) => [name, Number.NaN])) as AccfValues;
  accfModel(params)(out, input);
  return out;
}
