import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cruiseFuelFlowKgS } from '../../src/aircraft/cruise-point.ts';
import { seatsOfType } from '../../src/aircraft/load-factors.ts';
import { type NominalCruise, nominalCruiseInto } from '../../src/aircraft/nominal-cruise.ts';
import { maxAllowableMassKg } from '../../src/aircraft/operating-limits.ts';
import { headwindMS } from '../../src/aircraft/optimal-mach.ts';
import { efficiencyRatio } from '../../src/aircraft/propulsion.ts';
import {
  findAircraftType,
  findPerformanceType,
  knownAircraftTypes,
  performanceTypes,
} from '../../src/aircraft/types.ts';
import { InputError } from '../../src/errors.ts';
import { JET_A1 } from '../../src/fuel.ts';

const anyType = fc.constantFrom(...performanceTypes()).map(findPerformanceType);
const anyPressure = fc.double({ min: 15000, max: 50000, noNaN: true });
const anyTemperature = fc.double({ min: 200, max: 250, noNaN: true });

function solve(
  type: string,
  pressurePa: readonly number[],
  temperatureK: readonly number[],
  mach?: number,
): NominalCruise {
  const n = pressurePa.length;
  const out = {
    aircraftMassKg: new Float64Array(n),
    engineEfficiency: new Float64Array(n),
    fuelFlowKgS: new Float64Array(n),
    trueAirspeedMS: new Float64Array(n),
  };
  nominalCruiseInto(
    out,
    findPerformanceType(type),
    Float64Array.from(pressurePa),
    Float64Array.from(temperatureK),
    { mach },
  );
  return out;
}

describe('aircraft types', () => {
  test('every known designator leads to parameters', () => {
    for (const type of knownAircraftTypes()) expect(findAircraftType(type).wingAreaM2).toBeGreaterThan(0);
  });

  test('a synonym stands for another type on flights and for nothing on grids', () => {
    expect(findAircraftType('A19N').icaoType).toBe('A20N');
    expect(() => findPerformanceType('A19N')).toThrow(InputError);
  });

  test('letter case and blanks do not matter', () => {
    expect(findAircraftType(' b77w ').icaoType).toBe('B77W');
  });

  test('the common name A350 is the A359', () => {
    expect(findPerformanceType('A350').icaoType).toBe('A359');
    expect(seatsOfType('A350')).toBe(seatsOfType('A359'));
  });

  test('a type is read once', () => {
    expect(findAircraftType('A320')).toBe(findAircraftType('A320'));
  });
});

describe('the point model', () => {
  test('a heavier aircraft never burns less in cruise', () => {
    fc.assert(
      fc.property(
        anyType,
        anyPressure,
        anyTemperature,
        fc.double({ min: 0.5, max: 1, noNaN: true }),
        fc.double({ min: 1, max: 1.2, noNaN: true }),
        (type, pressure, temperature, load, more) => {
          const mass = load * type.maxTakeoffMassKg;
          const flow = (kg: number): number =>
            cruiseFuelFlowKgS(type, kg, pressure, temperature, type.designMach, JET_A1.qFuelJKg);
          // The two branches of the efficiency curve do not meet exactly.
          expect(flow(mass * more)).toBeGreaterThanOrEqual(flow(mass) * (1 - 1e-4));
        },
      ),
    );
  });

  test('efficiency is best at the thrust it is referred to', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 2, noNaN: true }),
        fc.double({ min: 0.4, max: 0.9, noNaN: true }),
        (x, mach) => {
          expect(efficiencyRatio(x, mach)).toBeLessThanOrEqual(1 + 1e-12);
        },
      ),
    );
  });
});

describe('nominal cruise', () => {
  test('stays within what the aircraft may weigh', () => {
    fc.assert(
      fc.property(
        anyType,
        fc.array(fc.tuple(anyPressure, anyTemperature), { minLength: 1, maxLength: 20 }),
        (type, points) => {
          const pressure = points.map(([p]) => p);
          const { aircraftMassKg } = solve(
            type.icaoType,
            pressure,
            points.map(([, t]) => t),
          );
          aircraftMassKg.forEach((mass, i) => {
            const most = maxAllowableMassKg(type, pressure[i] as number, type.designMach);
            expect(mass).toBeLessThanOrEqual(most * (1 + 1e-12));
            expect(mass).toBeGreaterThan(0);
          });
        },
      ),
    );
  });

  test('a point is the same to the last bit whichever others are in the call', () => {
    const anyPoint = fc.tuple(
      fc.double({ min: 10000, max: 60000, noNaN: true }),
      fc.oneof(
        { weight: 9, arbitrary: fc.double({ min: 190, max: 300 }) },
        { arbitrary: fc.constant(Number.NaN), weight: 1 },
      ),
    );
    fc.assert(
      fc.property(
        anyType,
        fc
          .array(anyPoint, { minLength: 2, maxLength: 30 })
          .chain((points) =>
            fc.tuple(fc.constant(points), fc.shuffledSubarray([...points.keys()], { minLength: 1 })),
          ),
        (type, [points, chosen]) => {
          const solveAt = (rows: readonly number[]) =>
            solve(
              type.icaoType,
              rows.map((row) => points[row]?.[0] as number),
              rows.map((row) => points[row]?.[1] as number),
            );
          const together = solveAt([...points.keys()]);
          const apart = solveAt(chosen);
          expect([...apart.aircraftMassKg]).toEqual(chosen.map((row) => together.aircraftMassKg[row]));
          expect([...apart.fuelFlowKgS]).toEqual(chosen.map((row) => together.fuelFlowKgS[row]));
          expect([...apart.engineEfficiency]).toEqual(chosen.map((row) => together.engineEfficiency[row]));
        },
      ),
    );
  });

  test('an unknown temperature is unknown there and nowhere else', () => {
    const { fuelFlowKgS } = solve('A320', [25000, 25000, 25000], [220, Number.NaN, 221]);
    expect([...fuelFlowKgS].map(Number.isNaN)).toEqual([false, true, false]);
  });

  test('refuses Mach numbers below 0.4', () => {
    expect(() => solve('A320', [25000], [220], 0.39)).toThrow(/at least 0.4/);
  });
});

test('a wind from ahead is a headwind on every course', () => {
  expect(headwindMS(0, -10, 0)).toBeCloseTo(10, 12);
  expect(headwindMS(-10, 0, 90)).toBeCloseTo(10, 12);
  expect(headwindMS(10, 0, 90)).toBeCloseTo(-10, 12);
});
