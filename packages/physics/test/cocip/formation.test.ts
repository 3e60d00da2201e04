import { expect, test } from 'vitest';
import {
  contrailSources,
  DEFAULT_COCIP_PARAMS,
  evaluateFlightInAir,
  formContrails,
  type ScaleHumidity,
  type Weather,
} from '../../src/cocip/index.ts';

const COUNT = 3;
const LEVEL_HPA = 238.42;
const fill = (value: number) => new Float64Array(COUNT).fill(value);

/** The air below the flight, which is all that formation looks up. */
const below: Weather = {
  radiationPair: 'upward',
  sample(out, _, count) {
    for (const [k, value] of [218.3, 9.6, 5, 9e-5].entries()) out[k]?.fill(value, 0, count);
  },
  sampleRadiation() {
    throw new TypeError('formation looks at no radiation');
  },
  locate() {
    throw new TypeError('formation locates nothing');
  },
};
const unscaled: ScaleHumidity = (_humidity, rhi, _temperature, _pressure, _latitude, count) => {
  rhi.fill(1.2, 0, count);
};

function formedAt(pressurePa: number) {
  const track = {
    timeMs: Float64Array.from({ length: COUNT }, (_, i) => Date.UTC(2024, 1, 29, 6, i)),
    longitude: Float64Array.from({ length: COUNT }, (_, i) => 0.2 * i),
    latitude: fill(48),
    altitudeM: fill(10_668),
    levelHpa: fill(LEVEL_HPA),
    airPressurePa: fill(pressurePa),
  };
  const air = { temperature: fill(218), humidity: fill(9e-5), rhi: fill(1.1), u: fill(10), v: fill(5) };
  const attributes = { wingspanM: 34.1, engineCount: 2 };
  const given = {
    trueAirspeedMS: fill(230),
    aircraftMassKg: fill(64_000),
    engineEfficiency: fill(0.3),
    fuelFlowKgS: fill(0.7),
    nvpmEiN: fill(1e15),
  };
  const flight = evaluateFlightInAir({ ...track, ...given }, air, attributes, DEFAULT_COCIP_PARAMS);
  const sources = contrailSources(flight, 0, attributes, DEFAULT_COCIP_PARAMS);
  const { report } = formContrails(sources, below, unscaled, DEFAULT_COCIP_PARAMS);
  const { thetaGradient, maxDescent, iceWaterContent1 } = report;
  return [thetaGradient[1], maxDescent[1], iceWaterContent1[1]];
}

/** Gradient of potential temperature, descent of the wake and ice after it, by the functions of pycontrails 0.63. */
test.each([
  [0.98, [0.012303618629, 121.982349586543, 3.269024955742e-5]],
  [1.02, [0.012163694281, 118.881786797615, 4.520298249476e-5]],
])('a pressure %d times that of the level enters wake vortex and initial ice', (factor, expected) => {
  const formed = formedAt(factor * 100 * LEVEL_HPA);
  for (const [k, value] of expected.entries()) expect((formed[k] ?? 0) / value).toBeCloseTo(1, 6);
});
