import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ContrailSources,
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

/** Air below the flight, which is all that formation looks up: temperature, winds and humidity. */
const airBelow = (...values: readonly number[]): Weather => ({
  radiationPair: 'upward',
  sample(out, _, count) {
    for (const [k, value] of values.entries()) out[k]?.fill(value, 0, count);
  },
  sampleRadiation() {
    throw new TypeError('formation looks at no radiation');
  },
  locate() {
    throw new TypeError('formation locates nothing');
  },
});
const below = airBelow(218.3, 9.6, 5, 9e-5);
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
  const { thetaGradient, maxDescent, iceWaterContent } = report.wakes;
  const k = report.rows.indexOf(1);
  return [thetaGradient[k], maxDescent[k], iceWaterContent[k]];
}

/** Gradient of potential temperature, descent of the wake and ice after it, by the functions of pycontrails 0.63. */
test.each([
  [0.98, [0.012303618629, 121.982349586543, 3.269024955742e-5]],
  [1.02, [0.012163694281, 118.881786797615, 4.520298249476e-5]],
])('a pressure %d times that of the level enters wake vortex and initial ice', (factor, expected) => {
  const formed = formedAt(factor * 100 * LEVEL_HPA);
  for (const [k, value] of expected.entries()) expect((formed[k] ?? 0) / value).toBeCloseTo(1, 6);
});

/** A row of the sources, and the air below all rows. */
const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const orUnknown = (min: number, max: number) =>
  fc.oneof({ weight: 9, arbitrary: between(min, max) }, { weight: 1, arbitrary: fc.constant(Number.NaN) });
const anyRow = fc.record({
  level: between(150, 400),
  temperature: orUnknown(195, 240),
  humidity: orUnknown(0, 2e-4),
  u: orUnknown(-60, 60),
  v: orUnknown(-60, 60),
  trueAirspeed: between(120, 280),
  fuelFlow: orUnknown(0.1, 5),
  aircraftMass: between(5000, 500_000),
  wingspan: between(10, 80),
});
const anyBelow = fc.tuple(orUnknown(180, 250), orUnknown(-60, 60), orUnknown(-60, 60), orUnknown(0, 2e-4));

test('rows that are left out as too dry would not have persisted', () => {
  let leftOut = 0;
  fc.assert(
    fc.property(fc.array(anyRow, { minLength: 1, maxLength: 20 }), anyBelow, (rows, air) => {
      const column = (of: (row: (typeof rows)[number], k: number) => number) => Float64Array.from(rows, of);
      const sources: ContrailSources = {
        count: rows.length,
        flight: column(() => 0),
        waypoint: column((_, k) => k),
        longitude: column((_, k) => 0.2 * k),
        latitude: column(() => 48),
        level: column(({ level }) => level),
        pressure: column(({ level }) => 100 * level),
        timeMs: column((_, k) => 60_000 * k),
        temperature: column(({ temperature }) => temperature),
        humidity: column(({ humidity }) => humidity),
        u: column(({ u }) => u),
        v: column(({ v }) => v),
        sac: column(() => 1),
        mixingSlope: column(() => 1.5),
        thresholdK: column(() => 230),
        rh: column(() => 0.5),
        trueAirspeed: column(({ trueAirspeed }) => trueAirspeed),
        fuelFlow: column(({ fuelFlow }) => fuelFlow),
        aircraftMass: column(({ aircraftMass }) => aircraftMass),
        wingspan: column(({ wingspan }) => wingspan),
        nvpmEiN: column(() => 1e15),
        eiH2o: column(() => 1.23),
      };
      const formed = (filterInitiallyPersistent: boolean) =>
        formContrails(sources, airBelow(...air), unscaled, {
          ...DEFAULT_COCIP_PARAMS,
          filterInitiallyPersistent,
        }).report;
      const [some, all] = [formed(true), formed(false)];
      expect(some.persistent1).toEqual(all.persistent1);
      leftOut += all.rows.length - some.rows.length;
    }),
    { numRuns: 2000 },
  );
  expect(leftOut).toBeGreaterThan(1000);
});
