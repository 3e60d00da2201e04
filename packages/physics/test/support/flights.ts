/** Made-up flights for property tests. */
import fc from 'fast-check';
import { performanceTypes } from '../../src/aircraft/types.ts';
import { isaTemperatureK } from '../../src/atmosphere/isa.ts';
import type { FlightAttributes } from '../../src/flight/attributes.ts';
import type { FlightInAir } from '../../src/flight/columns.ts';
import { safBlend } from '../../src/fuel.ts';
import { wrapLongitude } from '../../src/numerics/lerp.ts';
import { feetToMetres } from '../../src/units.ts';

export interface MadeFlight {
  readonly columns: FlightInAir;
  readonly attributes: FlightAttributes;
}

const START_MS = Date.parse('2023-07-01T06:00:00Z');

/** A climb to cruise and a descent along a rhumb line, with weather near the standard atmosphere. */
export function madeFlight(
  waypoints: number,
  options: { longitude?: number; latitude?: number; stepS?: number; cruiseFt?: number; warmK?: number } = {},
): FlightInAir {
  const { longitude = 5, latitude = 48, stepS = 60, cruiseFt = 36000, warmK = 3 } = options;
  const column = (at: (i: number) => number): Float64Array =>
    Float64Array.from({ length: waypoints }, (_, i) => at(i));
  const altitudeFt = column((i) => Math.min(cruiseFt, 1500 + 1400 * i, 1500 + 1000 * (waypoints - 1 - i)));
  return {
    timeMs: column((i) => START_MS + i * stepS * 1000),
    longitude: column((i) => wrapLongitude(longitude + (i * stepS) / 500)),
    latitude: column((i) => latitude + (i * stepS) / 5000),
    altitudeFt,
    airTemperatureK: altitudeFt.map((feet) => isaTemperatureK(feetToMetres(feet)) + warmK),
    specificHumidity: altitudeFt.map((feet) => 0.008 * Math.exp(-feet / 6000)),
    eastwardWindMS: column((i) => 15 + (i % 7)),
    northwardWindMS: column((i) => -3 + (i % 5)),
  };
}

/** Random flights of random types, some with given values. */
export const anyFlight: fc.Arbitrary<MadeFlight> = fc
  .record({
    waypoints: fc.integer({ min: 1, max: 40 }),
    longitude: fc.double({ min: -180, max: 179, noNaN: true }),
    latitude: fc.double({ min: -80, max: 70, noNaN: true }),
    stepS: fc.integer({ min: 20, max: 300 }),
    cruiseFt: fc.integer({ min: 8000, max: 43000 }),
    warmK: fc.double({ min: -15, max: 15, noNaN: true }),
    aircraftType: fc.constantFrom(...performanceTypes()),
    saf: fc.constantFrom(0, 0, 50),
    takeoffMassKg: fc.option(fc.integer({ min: 60_000, max: 250_000 }), { nil: undefined }),
    unknownAt: fc.option(fc.nat(39), { nil: undefined }),
  })
  .map(({ waypoints, aircraftType, saf, takeoffMassKg, unknownAt, ...rest }) => {
    const columns = madeFlight(waypoints, rest);
    if (unknownAt !== undefined && unknownAt < waypoints) columns.airTemperatureK[unknownAt] = Number.NaN;
    return { columns, attributes: { aircraftType, takeoffMassKg, fuel: safBlend(saf) } };
  });

/** Every column of a record of columns, however deep, by name. */
export function namedColumns(record: object, prefix = ''): [string, Float64Array][] {
  return Object.entries(record).flatMap(([name, value]) =>
    value instanceof Float64Array ? [[`${prefix}${name}`, value]] : namedColumns(value, `${prefix}${name}.`),
  );
}
