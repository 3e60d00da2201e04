import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createEmissionsModel,
  type EmissionIndices,
  emissionIndicesInto,
} from '../../src/emissions/emissions.ts';
import {
  defaultEngine,
  gaseousEngine,
  knownEngineUids,
  nvpmEngine,
  resolveEngineUid,
  selectEngine,
} from '../../src/emissions/engines.ts';
import { coHcProfile, noxProfile } from '../../src/emissions/gaseous.ts';
import { nvpmMeasurements, t4t2Profiles } from '../../src/emissions/nvpm.ts';
import { makeProfile, profileAt } from '../../src/emissions/profile.ts';
import { emissionTotals } from '../../src/emissions/totals.ts';
import { InputError } from '../../src/errors.ts';
import { type Fuel, HYDROGEN, JET_A1, safBlend } from '../../src/fuel.ts';

interface Point {
  readonly airspeed: number;
  readonly temperature: number;
  readonly pressure: number;
  readonly humidity: number;
  readonly fuelFlow: number;
}

const anyPoint: fc.Arbitrary<Point> = fc.record({
  airspeed: fc.double({ min: 60, max: 280, noNaN: true }),
  temperature: fc.double({ min: 195, max: 310, noNaN: true }),
  pressure: fc.double({ min: 15000, max: 102000, noNaN: true }),
  humidity: fc.double({ min: 0, max: 0.02, noNaN: true }),
  fuelFlow: fc.double({ min: 0.01, max: 5, noNaN: true }),
});
const anyEngine = fc.constantFrom(...knownEngineUids());

function indicesAt(
  uid: string | undefined,
  points: readonly Point[],
  fuel: Fuel = JET_A1,
  useMeem = false,
): EmissionIndices {
  const column = (pick: (point: Point) => number): Float64Array => Float64Array.from(points, pick);
  const zero = (): Float64Array => new Float64Array(points.length);
  const out = {
    thrustSetting: zero(),
    noxEi: zero(),
    coEi: zero(),
    hcEi: zero(),
    nvpmEiM: zero(),
    nvpmEiN: zero(),
  };
  emissionIndicesInto(
    out,
    {
      trueAirspeedMS: column((point) => point.airspeed),
      airTemperatureK: column((point) => point.temperature),
      airPressurePa: column((point) => point.pressure),
      specificHumidity: column((point) => point.humidity),
      fuelFlowPerEngineKgS: column((point) => point.fuelFlow),
    },
    createEmissionsModel(selectEngine({ engineUid: uid }), fuel, { useMeem, defaultNvpmNumberEi: 1e15 }),
  );
  return out;
}

describe('engines', () => {
  test('every line of successors ends in the databank', () => {
    for (const uid of knownEngineUids()) expect(resolveEngineUid(uid), uid).not.toBeNull();
  });

  test('every profile of every engine can be built', () => {
    for (const uid of knownEngineUids()) {
      const engine = gaseousEngine(uid);
      if (engine === null) throw new Error(uid);
      noxProfile(engine);
      coHcProfile(engine, engine.coEi);
      coHcProfile(engine, engine.hcEi);
      const measured = nvpmMeasurements(engine, nvpmEngine(uid));
      if (measured !== null) t4t2Profiles(measured, 13.8);
    }
  });

  test('the default engine of a type is used only when no uid is given', () => {
    expect(selectEngine({ aircraftType: 'A320' }).engineUid).toBe(defaultEngine('A320')?.engineUid);
    expect(selectEngine({ aircraftType: 'A320', engineUid: '3CM026' }).engineUid).toBe('3CM026');
    expect(selectEngine({ aircraftType: 'A320' }, { useDefaultEngine: false }).engineUid).toBeNull();
  });

  test('the default engines do not follow synonyms', () => {
    expect(defaultEngine('A350')).toEqual(defaultEngine('A359'));
    expect(defaultEngine('ZZZZ')).toBeUndefined();
  });
});

describe('emission indices', () => {
  test('do not depend on the other points or their order', () => {
    fc.assert(
      fc.property(
        anyEngine,
        fc.array(anyPoint, { minLength: 2, maxLength: 10 }),
        fc.boolean(),
        (uid, points, meem) => {
          const forward = indicesAt(uid, points, JET_A1, meem);
          const backward = indicesAt(uid, points.toReversed(), JET_A1, meem);
          for (const name of ['noxEi', 'coEi', 'hcEi', 'nvpmEiM', 'nvpmEiN', 'thrustSetting'] as const) {
            expect(backward[name].toReversed()).toEqual(forward[name]);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test('thrust settings stay between idle and take-off', () => {
    fc.assert(
      fc.property(anyEngine, anyPoint, (uid, point) => {
        const thrust = indicesAt(uid, [point]).thrustSetting[0] as number;
        expect(thrust).toBeGreaterThanOrEqual(0.03);
        expect(thrust).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('moister air gives less NOx', () => {
    fc.assert(
      fc.property(anyEngine, anyPoint, (uid, point) => {
        const { noxEi } = indicesAt(uid, [point, { ...point, humidity: point.humidity + 0.001 }]);
        expect(noxEi[1]).toBeLessThan(noxEi[0] as number);
      }),
    );
  });

  test('more hydrogen in the fuel gives no more particles at the same fuel flow', () => {
    fc.assert(
      fc.property(anyEngine, anyPoint, (uid, point) => {
        const fossil = indicesAt(uid, [point], JET_A1, true).nvpmEiN[0] as number;
        const blend = indicesAt(uid, [point], safBlend(60), true).nvpmEiN[0] as number;
        expect(Number.isNaN(blend) ? Number.isNaN(fossil) : blend < fossil).toBe(true);
      }),
    );
  });

  test('an unknown value of the air makes all that needs it unknown', () => {
    const point = { airspeed: 230, temperature: 220, pressure: 25000, humidity: 5e-5, fuelFlow: 0.3 };
    const { noxEi, coEi, nvpmEiN } = indicesAt('3CM026', [
      { ...point, temperature: Number.NaN },
      { ...point, humidity: Number.NaN },
    ]);
    expect([noxEi[0], coEi[0], nvpmEiN[0]]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    expect([Number.isNaN(noxEi[1]), Number.isNaN(coEi[1]), Number.isNaN(nvpmEiN[1])]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('no fuel flow reads the first knot', () => {
    const point = { airspeed: 0, temperature: 288.15, pressure: 101325, humidity: 0.00634, fuelFlow: 0 };
    expect(indicesAt('3CM026', [point]).noxEi[0]).toBeCloseTo(
      gaseousEngine('3CM026')?.noxEi[0] as number,
      15,
    );
  });

  test('a negative fuel flow has no known gases', () => {
    const point = { airspeed: 230, temperature: 220, pressure: 25000, humidity: 5e-5, fuelFlow: -0.1 };
    expect(indicesAt('3CM026', [point]).noxEi[0]).toBeNaN();
  });

  test('hydrogen as a fuel has no known particles', () => {
    const point = { airspeed: 230, temperature: 220, pressure: 25000, humidity: 5e-5, fuelFlow: 0.3 };
    expect(indicesAt('3CM026', [point], HYDROGEN).nvpmEiN[0]).toBeNaN();
  });
});

describe('a profile', () => {
  const profile = makeProfile([0, 1, 3], [10, 20, 0]);

  test.each([
    [-1, 10],
    [0, 10],
    [0.5, 15],
    [1, 20],
    [2, 10],
    [3, 0],
    [9, 0],
    [Number.NaN, Number.NaN],
  ])('at %d is %d', (x, y) => expect(profileAt(profile, x)).toBe(y));

  test('has six knots at most', () => {
    const knots = [1, 2, 3, 4, 5, 6, 7];
    expect(() => makeProfile(knots, knots)).toThrow(/7 knots/);
    const profile = makeProfile(knots.slice(1), knots.slice(1));
    expect([0, 2, 2.5, 3.5, 4.5, 5.5, 6.5, 7, 9].map((x) => profileAt(profile, x))).toEqual([
      2, 2, 2.5, 3.5, 4.5, 5.5, 6.5, 7, 7,
    ]);
  });

  test('counts knots that coincide once', () => {
    expect(makeProfile([0, 1, 1, 2], [1, 2, 3, 4]).y).toEqual(Float64Array.of(1, 2, 4));
  });

  test('refuses knots that go back', () =>
    expect(() => makeProfile([0, 2, 1], [1, 2, 3])).toThrow(InputError));
});

test.each([
  [13.3, 1],
  [13.4, 0],
  [15.4, 0],
  [15.5, 1],
  [Number.NaN, 0],
])('a fuel with %d %% hydrogen gives %d warnings', (hydrogenContentPercent, warnings) => {
  const model = createEmissionsModel(selectEngine({ aircraftType: 'A320' }), {
    ...JET_A1,
    hydrogenContentPercent,
  });
  expect(model.warnings).toHaveLength(warnings);
});

test('totals pass over what is unknown', () => {
  const index = Float64Array.of(0.01, Number.NaN, 0.01);
  const indices = { noxEi: index, coEi: index, hcEi: index, nvpmEiM: index, nvpmEiN: index };
  const totals = emissionTotals(
    Float64Array.of(1, 2, 3),
    Float64Array.of(60, 60, Number.NaN),
    indices,
    JET_A1,
  );
  expect(totals.co2).toBeCloseTo(180 * 3.159, 10);
  expect(totals.nox).toBeCloseTo(0.6, 12);
});
