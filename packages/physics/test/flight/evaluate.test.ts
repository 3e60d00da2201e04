import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/errors.ts';
import { evaluateFleet, evaluateFlight } from '../../src/flight/evaluate.ts';
import { anyFlight, type MadeFlight, madeFlight, namedColumns } from '../support/flights.ts';

function fleetOf(flights: readonly MadeFlight[]) {
  const lengths = flights.map((flight) => flight.columns.timeMs.length);
  const offsets = Uint32Array.from([
    0,
    ...lengths.map((_, f) => lengths.slice(0, f + 1).reduce((a, b) => a + b, 0)),
  ]);
  const join = (name: keyof MadeFlight['columns']): Float64Array =>
    Float64Array.from(flights.flatMap((flight) => [...(flight.columns[name] ?? [])]));
  return {
    offsets,
    columns: {
      timeMs: join('timeMs'),
      longitude: join('longitude'),
      latitude: join('latitude'),
      altitudeFt: join('altitudeFt'),
      airTemperatureK: join('airTemperatureK'),
      specificHumidity: join('specificHumidity'),
      eastwardWindMS: join('eastwardWindMS'),
      northwardWindMS: join('northwardWindMS'),
    },
  };
}

describe('a fleet', () => {
  test('gives every flight the bits it gets alone', () => {
    fc.assert(
      fc.property(fc.array(anyFlight, { minLength: 1, maxLength: 4 }), (flights) => {
        const { columns, offsets } = fleetOf(flights);
        const together = evaluateFleet({
          columns,
          offsets,
          attributes: flights.map((flight) => flight.attributes),
        });
        flights.forEach((flight, f) => {
          const alone = evaluateFlight(flight.columns, flight.attributes);
          expect(together.flights[f]).toEqual(alone.facts);
          const cut = namedColumns(together.columns).map(([name, values]) => [
            name,
            values.slice(offsets[f], offsets[f + 1]),
          ]);
          expect(cut).toEqual(namedColumns(alone.columns));
        });
      }),
      { numRuns: 60 },
    );
  });

  test('refuses offsets that do not fit its waypoints', () => {
    const columns = madeFlight(10);
    expect(() =>
      evaluateFleet({ columns, offsets: Uint32Array.of(0, 4), attributes: [{ aircraftType: 'A320' }] }),
    ).toThrow(InputError);
  });
});

describe('a flight', () => {
  test('does not depend on the day once its payload is given', () => {
    fc.assert(
      fc.property(anyFlight, fc.integer({ min: -4000, max: 4000 }), ({ columns, attributes }, days) => {
        const given = { ...attributes, payloadKg: 9000 };
        const later = { ...columns, timeMs: columns.timeMs.map((time) => time + days * 86_400_000) };
        expect(namedColumns(evaluateFlight(later, given).columns)).toEqual(
          namedColumns(evaluateFlight(columns, given).columns),
        );
      }),
      { numRuns: 40 },
    );
  });

  test('does not depend on the meridian it starts from, across the antimeridian too', () => {
    const at = (longitude: number) => evaluateFlight(madeFlight(60, { longitude }), { aircraftType: 'B738' });
    const home = at(0).facts.totalFuelBurnKg;
    for (const longitude of [-90, 90, 175, 179.5, -180]) {
      expect(at(longitude).facts.totalFuelBurnKg / home).toBeCloseTo(1, 9);
    }
  });

  test('goes over the pole with known values all along', () => {
    const columns = madeFlight(40);
    const polar = {
      ...columns,
      longitude: columns.longitude.map((_, i) => (i < 20 ? 30 : -150)),
      latitude: columns.latitude.map((_, i) => 90 - Math.abs(i - 19.5) * 0.12),
    };
    const { fuelFlowKgS } = evaluateFlight(polar, { aircraftType: 'B77W' }).columns;
    expect(fuelFlowKgS.subarray(0, 39).every(Number.isFinite)).toBe(true);
  });

  test('of one waypoint has no legs and no known values', () => {
    const { columns, facts } = evaluateFlight(madeFlight(1), { aircraftType: 'A320' });
    expect([columns.trueAirspeedMS[0], columns.fuelFlowKgS[0], columns.aircraftMassKg[0]]).toEqual([
      Number.NaN,
      Number.NaN,
      Number.NaN,
    ]);
    expect(facts.totalFuelBurnKg).toBe(0);
  });

  test('of a hundred thousand waypoints burns its mass down step by step', () => {
    const { columns, facts } = evaluateFlight(madeFlight(100_000, { stepS: 1 }), { aircraftType: 'A388' });
    const { aircraftMassKg } = columns;
    const first = aircraftMassKg[0] as number;
    expect(aircraftMassKg.every((mass, i) => i === 0 || mass <= (aircraftMassKg[i - 1] as number))).toBe(
      true,
    );
    expect(first - (aircraftMassKg.at(-1) as number)).toBeCloseTo(facts.totalFuelBurnKg, 3);
  });

  test('with repeated times is refused where ground speeds are smoothed', () => {
    const columns = madeFlight(10);
    columns.timeMs[4] = columns.timeMs[3] as number;
    expect(() => evaluateFlight(columns, { aircraftType: 'A320' })).toThrow(/repeated times/);
  });

  test('with repeated times and its own airspeed is unknown there and nowhere else', () => {
    const columns = madeFlight(12);
    columns.timeMs[4] = columns.timeMs[3] as number;
    const { fuelFlowKgS } = evaluateFlight(columns, { aircraftType: 'A320', trueAirspeedMS: 200 }).columns;
    const unknown = [...fuelFlowKgS.keys()].filter((i) => Number.isNaN(fuelFlowKgS[i]));
    expect(unknown).toEqual([3, 11]);
  });

  test('with an unknown temperature is unknown on the legs beside it and nowhere else', () => {
    const columns = madeFlight(20);
    columns.airTemperatureK[7] = Number.NaN;
    const { fuelFlowKgS } = evaluateFlight(columns, { aircraftType: 'A320' }).columns;
    const unknown = [...fuelFlowKgS.keys()].filter((i) => Number.isNaN(fuelFlowKgS[i]));
    expect(unknown).toEqual([6, 7, 19]);
  });

  test('refuses a mass iteration of no rounds', () => {
    const params = { performance: { iterations: 0 } };
    expect(() => evaluateFlight(madeFlight(5), { aircraftType: 'A320' }, params)).toThrow(/iterations is 0/);
  });

  test('refuses columns of different length', () => {
    const columns = { ...madeFlight(10), specificHumidity: new Float64Array(9) };
    expect(() => evaluateFlight(columns, { aircraftType: 'A320' })).toThrow(InputError);
  });

  test('that burns more than any engine could is refused', () => {
    const columns = madeFlight(10);
    expect(() =>
      evaluateFlight(
        columns,
        { aircraftType: 'A388', fuelFlowKgS: 60 },
        { performance: { correctFuelFlow: false } },
      ),
    ).toThrow(/fuel flow of A388 at waypoint 0/);
  });
});

describe('what a flight brings along', () => {
  const columns = madeFlight(20);
  const given = new Float64Array(20).fill(0.5);

  test.each(['engineEfficiency', 'fuelFlowKgS', 'thrustSetting', 'noxEi', 'nvpmEiM', 'nvpmEiN'] as const)(
    'is not computed again: %s',
    (name) => {
      const result = evaluateFlight({ ...columns, [name]: given }, { aircraftType: 'A320' });
      expect(result.columns[name]).toEqual(given);
    },
  );

  test('limits the speed of the type when it is a maximum Mach number', () => {
    const fast = { ...columns, trueAirspeedMS: new Float64Array(20).fill(245) };
    const slow = evaluateFlight(fast, { aircraftType: 'A320', maxMach: 0.6 });
    expect(slow.facts.maxMach).toBe(0.6);
    const usual = evaluateFlight(fast, { aircraftType: 'A320' });
    expect(slow.columns.thrustN[10]).not.toBe(usual.columns.thrustN[10]);
  });

  test('makes a type superfluous when it is everything', () => {
    const { columns: result, facts } = evaluateFlight(columns, {
      wingspanM: 34,
      aircraftMassKg: 60_000,
      engineEfficiency: 0.3,
      fuelFlowKgS: 0.7,
      nvpmEiN: 1e15,
    });
    expect(facts.performanceType).toBeNull();
    expect(result.nvpmEiN[3]).toBe(1e15);
  });

  test('must be a type where something has to be computed', () => {
    expect(() => evaluateFlight(columns, {})).toThrow(/aircraft_type is needed/);
  });

  test('must be a number of engines where emissions have to be computed', () => {
    const attributes = { wingspanM: 34, aircraftMassKg: 60_000, engineEfficiency: 0.3, fuelFlowKgS: 0.7 };
    expect(() => evaluateFlight(columns, attributes)).toThrow(/n_engine is needed/);
  });
});

describe('an unknown name', () => {
  const columns = madeFlight(5);

  test('of a type is an error with near matches', () => {
    const call = () => evaluateFlight(columns, { aircraftType: 'A32' });
    expect(call).toThrow(/Did you mean .*A320/);
    try {
      call();
    } catch (error) {
      expect((error as InputError).facts).toMatchObject({ field: 'aircraft_type', value: 'A32' });
    }
  });

  test('of an engine is an error with near matches', () => {
    expect(() => evaluateFlight(columns, { aircraftType: 'A320', engineUid: '01P08CM10S' })).toThrow(
      /engine_uid "01P08CM10S".*Did you mean .*01P08CM105/,
    );
  });

  test('of an engine goes on with constant indices where that is asked for', () => {
    const attributes = { aircraftType: 'A320', engineUid: 'XXX' };
    const { facts } = evaluateFlight(columns, attributes, { engine: { unknown: 'constant' } });
    expect(facts).toMatchObject({ engineUid: 'XXX', engineUidUsed: null, nvpmDataSource: 'Constant' });
  });
});
