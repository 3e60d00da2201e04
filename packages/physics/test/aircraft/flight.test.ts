import { describe, expect, test } from 'vitest';
import { createFlight, flightConstant } from '../../src/aircraft/flight.ts';
import { altitudeMFromLevel, levelFromAltitudeM } from '../../src/atmosphere/isa.ts';
import { InputError } from '../../src/errors.ts';

const of = (...values: number[]): Float64Array => Float64Array.from(values);
const base = { timeMs: of(0, 1000, 2000), longitude: of(1, 2, 3), latitude: of(4, 5, 6) };

describe('createFlight', () => {
  test('sorts by time and keeps the order of equal times', () => {
    const flight = createFlight({
      timeMs: of(2000, 1000, 2000, 0),
      longitude: of(1, 2, 3, 4),
      latitude: of(0, 0, 0, 0),
      altitudeFt: of(10, 20, 30, 40),
      thrustN: of(100, 200, 300, 400),
    });
    expect([...flight.inputIndex]).toEqual([3, 1, 0, 2]);
    expect(flight.columns.thrustN).toEqual(of(400, 200, 100, 300));
  });

  test('warns of repeated times and keeps them', () => {
    const flight = createFlight({ ...base, timeMs: of(0, 0, 2000), altitudeM: of(1, 2, 3) });
    expect(flight.columns.timeMs).toHaveLength(3);
    expect(flight.warnings.join()).toMatch(/1 waypoints repeat/);
  });

  test('drops all but the first of repeated times when asked to', () => {
    const flight = createFlight(
      { ...base, timeMs: of(0, 0, 2000), altitudeM: of(1, 2, 3) },
      { dropRepeatedTimes: true },
    );
    expect([flight.columns.altitudeM, flight.warnings]).toEqual([of(1, 3), []]);
  });

  test('takes metres before feet before levels', () => {
    const all = { altitudeM: of(1, 2, 3), altitudeFt: of(9, 9, 9), levelHpa: of(300, 300, 300) };
    expect(createFlight({ ...base, ...all }).columns.altitudeM).toEqual(of(1, 2, 3));
    expect(createFlight({ ...base, ...all, altitudeM: undefined }).columns.altitudeFt).toEqual(of(9, 9, 9));
  });

  test('derives the other vertical coordinates', () => {
    const flight = createFlight({ ...base, levelHpa: of(250, 500, 1000) });
    expect(flight.columns.levelHpa).toEqual(of(250, 500, 1000));
    expect(flight.columns.altitudeM[0]).toBe(altitudeMFromLevel(250));
    expect(createFlight({ ...base, altitudeM: of(1, 2, 3) }).columns.levelHpa[2]).toBe(levelFromAltitudeM(3));
  });

  test('warns above 16 km', () => {
    expect(createFlight({ ...base, altitudeM: of(1, 17000, 3) }).warnings.join()).toMatch(
      /waypoint 1 is 17000 m/,
    );
  });

  test.each([
    ['longitude beyond 180', { longitude: of(1, 180.1, 3) }, { field: 'longitude', index: 1 }],
    ['latitude beyond 90', { latitude: of(1, 2, -90.5) }, { field: 'latitude', index: 2 }],
    ['an unknown time', { timeMs: of(0, Number.NaN, 1) }, { field: 'time', index: 1 }],
  ])('refuses %s', (_, wrong, facts) => {
    const call = () => createFlight({ ...base, altitudeM: of(1, 2, 3), ...wrong });
    expect(call).toThrow(InputError);
    expect(call).toThrow(expect.objectContaining({ facts: expect.objectContaining(facts) }));
  });

  test('refuses a flight without a height', () => {
    expect(() => createFlight(base)).toThrow(/altitude/);
  });
});

describe('flightConstant', () => {
  test('is the attribute', () => expect(flightConstant(3, [4, 4], 5)).toBe(3));
  test('is the value of a column that holds only one', () =>
    expect(flightConstant(undefined, [4, 4], 5)).toBe(4));
  test('is the default otherwise', () => {
    expect(flightConstant(undefined, [4, 6], 5)).toBe(5);
    expect(flightConstant(undefined, of(Number.NaN), 5)).toBe(5);
  });
});
