import type { RequestFleet } from '@contrails/engine/flights/fleet';
import type { TrajectoryModel } from '@contrails/engine/flights/models';
import { needsOf } from '@contrails/engine/flights/needs';
import { readFleet } from '@contrails/engine/flights/read-fleet';
import { Rejected } from '@contrails/runtime/options/rejected';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flightBody } from './support.ts';

const GOOD = { ...flightBody({ waypoints: 4 }), aircraft_type: 'A320' };

function errorsOf(body: unknown, model: TrajectoryModel = 'cocip'): string[] {
  const read = readFleet(body, needsOf(model, []));
  return read instanceof Rejected
    ? read.errors.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`)
    : [];
}

function fleetOf(body: unknown, model: TrajectoryModel = 'issr'): RequestFleet {
  const read = readFleet(body, needsOf(model, []));
  if (read instanceof Rejected) throw new Error(read.errors.map(({ msg }) => msg).join('\n'));
  return read;
}

test('the values of lists beyond the limit are not looked at', () => {
  const longitude = Array.from({ length: 300_001 }, () => null);
  expect(errorsOf({ ...GOOD, longitude, latitude: longitude })).toEqual([
    expect.stringMatching(/^longitude: the fleet has 300001 waypoints; a request may have 300000/),
  ]);
});

function long(waypoints: number, more: object = {}): object {
  const each = <T>(at: (i: number) => T): T[] => Array.from({ length: waypoints }, (_, i) => at(i));
  return {
    longitude: each(() => 0),
    latitude: each(() => 50),
    altitude: each(() => 35_000),
    time: each((i) => 1_700_000_000 + (i % 80_000)),
    aircraft_type: 'A320',
    ...more,
  };
}

describe('a body that cannot be taken names field, place and remedy', () => {
  test.each<[string, object, RegExp[]]>([
    [
      'lists of unequal lengths',
      { latitude: [50, 51, 52], aircraft_mass: [60_000] },
      [
        /^latitude: latitude has 3 elements and longitude 4; give one value for each waypoint/,
        /^aircraft_mass: aircraft_mass has 1 elements/,
      ],
    ],
    [
      'times that decrease',
      { time: [4, 3, 5, 6].map((n) => `2024-01-01T0${n}:00`) },
      [/^time\.1: time\[1\] 2024-01-01T03:00:00.000Z is not after 2024-01-01T04:00:00.000Z .* sort/],
    ],
    [
      'times that repeat',
      { time: [1, 2, 2, 3].map((n) => 1_700_000_000 + n) },
      [/^time\.2: .* send each time once/],
    ],
    [
      'null coordinates',
      { longitude: [0, null, 2, 3], altitude: [1, 2, 3, null], time: [1, 2, 3, null] },
      [
        /^longitude\.1: longitude\[1\] null is not a number; give a number from -180 to/,
        /^altitude\.3: altitude\[3\] null is not a number/,
        /^time\.3: time\[3\] null is not a time; write an ISO 8601 time/,
      ],
    ],
    [
      'NaN as a text',
      { longitude: [0, 'NaN', 2, 3], engine_efficiency: 'NaN' },
      [
        /^longitude\.1: longitude\[1\] "NaN" is not a number; give a number/,
        /^engine_efficiency: engine_efficiency "NaN" is not a number/,
      ],
    ],
    [
      'an unknown type',
      { aircraft_type: 'A32X' },
      [/^aircraft_type: aircraft_type A32X is not known .* Did you mean A320 or A321/],
    ],
    [
      'no type',
      { aircraft_type: undefined },
      [
        /^aircraft_type: aircraft_type is missing; it is needed to compute aircraft_mass, engine_efficiency, fuel_flow, wingspan: give it, such as B738/,
      ],
    ],
    [
      'a type that is not a text',
      { aircraft_type: 320 },
      [/^aircraft_type: aircraft_type 320 is not accepted/],
    ],
    [
      'a negative mass',
      { aircraft_mass: -5 },
      [/^aircraft_mass: aircraft_mass -5 is out of range; give a number above 0 .*\(kg\)/],
    ],
    [
      'an altitude in the wrong unit',
      { altitude: [400_000, 1, 1, 1] },
      [/^altitude\.0: altitude\[0\] 400000 is out of range; give a number from -2000 to 60000 \(ft\)/],
    ],
    [
      'an altitude in metres that differs from one in feet',
      { altitude_m: [10_515.6, 10_515.6, 10_515.6, 10_668] },
      [
        /^altitude_m\.3: altitude_m\[3\] 10668 differs from altitude\[3\] 34500; altitude is in feet, altitude_m in metres: give one/,
      ],
    ],
    [
      'feet as metres',
      { altitude: undefined, altitude_m: [35_000, 10_000, 10_000, 10_000] },
      [/^altitude_m\.0: altitude_m\[0\] 35000 is out of range; give a number from -610 to .*\(m\)/],
    ],
    [
      'two altitudes that differ',
      { altitude_ft: [34_500, 34_500, 34_500, 30_000] },
      [/^altitude_ft\.3: altitude_ft\[3\] 30000 differs from altitude\[3\] 34500; both are feet: give one/],
    ],
    [
      'an unknown engine',
      { engine_uid: '01P08CM10' },
      [/^engine_uid: .* Did you mean 01P08CM102 or .*01P08CM105/],
    ],
    [
      'a share of fuel without the fuel',
      { fuel: 'JetA', saf_blend_pct: 10 },
      [/^saf_blend_pct: .* give fuel SAF/],
    ],
    [
      'a share out of range, once',
      { fuel: 'SAF', saf_blend_pct: 101 },
      [/^saf_blend_pct: saf_blend_pct 101 is out of range/],
    ],
    ['a fuel without its share', { fuel: 'saf' }, [/^saf_blend_pct: saf_blend_pct is missing/]],
    ['a fuel that is none', { fuel: 'coal' }, [/^fuel: fuel coal is not served; choose from JetA, SAF/]],
    ['one waypoint', flightBody({ waypoints: 1 }), [/^longitude: there is 1 waypoint; give at least 2/]],
    ['no waypoints', flightBody({ waypoints: 0 }), [/^longitude: there are no waypoints; give at least 2/]],
    [
      '25 hours',
      { time: ['2024-01-01T00', '2024-01-01T01', '2024-01-01T02', '2024-01-02T01'] },
      [/^time: the flight lasts 25 h .* at most 24 h/],
    ],
    [
      'an id that is none',
      { flight_id: { a: 1 } },
      [/^flight_id: flight_id an object is not accepted; give a text/],
    ],
    [
      'a flight of one waypoint in a fleet',
      { flight_id: ['a', 'a', 'a', 'b'] },
      [/^flight_id\.3: flight b has 1 waypoint/],
    ],
    [
      'a type that changes within a flight',
      { aircraft_type: ['A320', 'A320', 'B738', 'A320'] },
      [/^aircraft_type\.2: aircraft_type\[2\] B738 differs from A320 of the same flight/],
    ],
  ])('%s is refused by the name of the field', (_, wrong, expected) => {
    const found = errorsOf({ ...GOOD, ...wrong });
    expect(found).toHaveLength(expected.length);
    for (const [i, pattern] of expected.entries()) expect(found[i]).toMatch(pattern);
  });

  test.each([undefined, null, [], 'flight', 7])('is refused when it is %s', (body) => {
    expect(errorsOf(body)).toEqual([expect.stringMatching(/^: the body .*; send an object with longitude/)]);
  });

  test('reports every missing list of an empty object at once', () => {
    expect(errorsOf({}).map((error) => error.split(':')[0])).toEqual([
      'longitude',
      'altitude',
      'time',
      'latitude',
      'aircraft_type',
    ]);
  });

  test('refuses 20,001 waypoints of one flight', () => {
    expect(errorsOf(long(20_001))).toEqual([expect.stringMatching(/may have 20000: send fewer/)]);
  });

  test('refuses 300,001 waypoints of a fleet', () => {
    const ids = Array.from({ length: 300_001 }, (_, i) => Math.floor(i / 80_000));
    expect(errorsOf(long(300_001, { flight_id: ids }))).toEqual([
      expect.stringMatching(/the fleet has 300001 waypoints; a request may have 300000: send it in parts/),
    ]);
  });

  test('refuses 1001 flights', () => {
    const ids = Array.from({ length: 2002 }, (_, i) => `flight ${i % 1001}`);
    expect(errorsOf(long(2002, { flight_id: ids }))).toEqual([
      expect.stringMatching(/the fleet has 1001 flights; a request may have 1000: send it in parts/),
    ]);
  });

  test('lists 50 errors and counts the others', () => {
    const read = readFleet({ ...GOOD, longitude: new Array(1000).fill(999) }, needsOf('issr', []));
    expect(read).toBeInstanceOf(Rejected);
    expect([(read as Rejected).errors.length, (read as Rejected).more]).toEqual([50, 953]);
  });

  test('asks for a number of engines where emissions are computed without a type', () => {
    const given = { ...GOOD, aircraft_type: null, fuel_flow: 0.7, true_airspeed: 230 };
    expect(errorsOf(given, 'emissions')).toEqual([expect.stringMatching(/^n_engine: n_engine is missing/)]);
    expect(errorsOf({ ...given, n_engine: 2 }, 'emissions')).toEqual([]);
  });
});

describe('what a model does not look at need not be there', () => {
  test.each<[TrajectoryModel, object]>([
    ['issr', {}],
    ['issr', { aircraft_type: 'no such type' }],
    ['sac', { engine_efficiency: 0.3 }],
    ['emissions', { fuel_flow: 0.7, nvpm_ei_n: 1e15 }],
    [
      'cocip',
      {
        engine_efficiency: 0.3,
        fuel_flow: [1, 1, 1, null],
        aircraft_mass: 6e4,
        wingspan: 34,
        nvpm_ei_n: 1e15,
      },
    ],
    ['cocip', { aircraft_type: ' a350 ' }],
  ])('%s with %o', (model, more) => {
    expect(errorsOf({ ...flightBody({ waypoints: 4 }), ...more }, model)).toEqual([]);
  });
});

describe('times', () => {
  const seconds = [1_709_186_400, 1_709_186_460];
  const expected = seconds.map((time) => time * 1000);
  test.each([
    ['ISO with T', ['2024-02-29T06:00:00Z', '2024-02-29T06:01:00Z']],
    ['a blank and no zone', ['2024-02-29 06:00:00', '2024-02-29 06:01']],
    ['nine decimals', ['2024-02-29T06:00:00.000000000', '2024-02-29T06:01:00.000000000']],
    ['an offset', ['2024-02-29T07:00:00+01:00', '2024-02-29T07:01:00+0100']],
    ['seconds', seconds],
    ['milliseconds', seconds.map((time) => time * 1e3)],
    ['microseconds', seconds.map((time) => time * 1e6)],
    ['nanoseconds', seconds.map((time) => time * 1e9)],
    ['numeric texts', seconds.map(String)],
  ])('times as %s are read', (_, time) => {
    expect([...fleetOf({ ...flightBody({ waypoints: 2 }), time }).columns.timeMs]).toEqual(expected);
  });
});

describe('flights', () => {
  test('longitudes are brought to −180 … 180', () => {
    const fleet = fleetOf({ ...flightBody({ waypoints: 4 }), longitude: [-180, 180, 359, 360] });
    expect([...fleet.columns.longitude]).toEqual([-180, -180, -1, 0]);
  });

  test('keys that are not known are ignored', () => {
    expect(errorsOf({ ...GOOD, callsign: 'X', nested: { deep: [] }, __proto__: 1 })).toEqual([]);
  });

  test('null is the same as leaving a field out', () => {
    expect(errorsOf({ ...GOOD, engine_uid: null, aircraft_mass: null, flight_id: null, fuel: null })).toEqual(
      [],
    );
  });

  test('values of a flight may come as lists, null for none', () => {
    const fleet = fleetOf({
      ...flightBody({ waypoints: 4 }),
      flight_id: [7, 7, 'b', 'b'],
      aircraft_type: ['A320', 'A320', null, null],
      wingspan: [null, null, 60, 60],
    });
    expect(fleet.attributes).toMatchObject([
      { id: 7, aircraftType: 'A320', wingspanM: undefined },
      { id: 'b', aircraftType: undefined, wingspanM: 60 },
    ]);
  });

  test('interleaved flights are brought together, and their places remembered', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 3), { minLength: 2, maxLength: 40 }), (ids) => {
        const counts = new Map<unknown, number>();
        for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
        fc.pre([...counts.values()].every((count) => count >= 2));
        const body = flightBody({ waypoints: ids.length });
        const fleet = fleetOf({ ...body, flight_id: ids });
        for (let f = 0; f < fleet.attributes.length; f++) {
          for (let i = fleet.offsets[f] as number; i < (fleet.offsets[f + 1] as number); i++) {
            const place = fleet.requestIndex?.[i] ?? i;
            expect(ids[place]).toBe(fleet.attributes[f]?.id);
            expect(fleet.columns.longitude[i]).toBe(body.longitude[place]);
            if (i > (fleet.offsets[f] as number))
              expect(fleet.columns.timeMs[i]).toBeGreaterThan(fleet.columns.timeMs[i - 1] as number);
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});

test('no body makes the reader throw', () => {
  const value = fc.oneof(
    fc.anything({ maxDepth: 2 }),
    fc.array(fc.oneof(fc.double(), fc.constant(null), fc.string()), { maxLength: 5 }),
  );
  const keys = [
    'longitude',
    'latitude',
    'altitude',
    'altitude_ft',
    'time',
    'flight_id',
    'aircraft_type',
    'wingspan',
  ];
  const body = fc.record(Object.fromEntries(keys.map((key) => [key, value])), { requiredKeys: [] });
  fc.assert(
    fc.property(body, (any) => {
      const read = readFleet(any, needsOf('cocip', []));
      if (read instanceof Rejected) expect(read.errors.length).toBeGreaterThan(0);
      else expect(read.columns.timeMs.length).toBeGreaterThanOrEqual(2);
    }),
    { numRuns: 500 },
  );
});

test('the distance between the airports of a flight is known to the models', () => {
  const distanceKm = (airports: object) => fleetOf({ ...GOOD, ...airports }).attributes[0]?.airportDistanceKm;
  const origin_airport_icao = 'EGLL';
  expect(distanceKm({ origin_airport_icao, destination_airport_icao: 'KJFK' })).toBeCloseTo(5540, 0);
  expect(distanceKm({ origin_airport_icao, destination_airport_icao: 'KZZZ' })).toBeNull();
  expect(distanceKm({ origin_airport_icao })).toBeUndefined();
});
