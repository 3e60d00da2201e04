import type { RequestFleet } from '@contrails/engine/flights/fleet';
import { withUnitWarnings } from '@contrails/engine/flights/prepare-request';
import { ValidationError } from '@contrails/runtime/errors';
import { describe, expect, test } from 'vitest';
import { type FlightShape, fleetBody, flightBody, startTrial } from './support.ts';

const trial = await startTrial();

async function warningsOf(model: string, body: object): Promise<string[]> {
  const answer = await trial.post(model, body);
  expect(answer.text.slice(0, 500)).not.toMatch(/"errors"/);
  const header = answer.headers['contrails-warnings'];
  return header === undefined ? [] : (JSON.parse(String(header)) as string[]);
}

const jet = (shape: FlightShape = {}) => ({ ...flightBody(shape), aircraft_type: 'A320' });

describe('altitudes in metres', () => {
  const flight = jet();
  const metres = { ...flight, altitude: flight.altitude.map((feet) => feet * 0.3048) };

  test.each(['sac', 'issr', 'emissions', 'cocip'])('are warned of by %s', async (model) => {
    expect(await warningsOf(model, metres)).toEqual([
      '60 waypoints: altitude up to 10972.8 looks like metres, but is read as feet; send metres as altitude_m',
    ]);
  });

  test('are warned of without a type, by their speed', async () => {
    const { aircraft_type: _, ...untyped } = metres;
    expect(await warningsOf('sac', { ...untyped, engine_efficiency: 0.3 })).toEqual([
      expect.stringMatching(/looks like metres/),
    ]);
  });

  test('are warned of when resampled too, although a cruise is filled in', async () => {
    const ends = <T>(list: readonly T[]) => [list[0], list.at(-1)];
    const long = jet({ waypoints: 120 });
    const two = {
      longitude: ends(long.longitude),
      latitude: ends(long.latitude),
      time: ends(long.time),
      altitude: [10_668, 10_668],
      aircraft_type: 'A320',
    };
    expect((await warningsOf('cocip?resample=60', two))[0]).toMatch(/altitude up to 10668 looks like metres/);
  });

  test('of some flights of a fleet are warned of by name', async () => {
    const warnings = await warningsOf('issr', fleetBody([flight, metres, flight]));
    expect(warnings).toEqual([expect.stringMatching(/^60 waypoints of flight 1: altitude up to 10972.8/)]);
  });

  test('sent as altitude_m are those in feet', async () => {
    const { altitude, ...rest } = flight;
    const [feet, inMetres] = await Promise.all([
      trial.post('cocip', { ...flight, flight_id: 1 }),
      trial.post('cocip', { ...rest, altitude_m: altitude.map((ft) => ft * 0.3048), flight_id: 1 }),
    ]);
    expect(inMetres.status).toBe(200);
    expect(inMetres.headers['contrails-warnings']).toBeUndefined();
    expect(inMetres.json()).toEqual(feet.json());
  });
});

describe('flight levels', () => {
  const levels = { ...jet(), altitude: jet().altitude.map(() => 350) };

  test('that no weather covers are refused with the reason', async () => {
    const answer = await trial.post('cocip', levels);
    expect(answer.status).toBe(422);
    expect(answer.problem().errors?.map(({ loc, msg }) => [loc.join('.'), msg])).toEqual([
      ['body.altitude', expect.stringMatching(/no weather covers/)],
      [
        'body.altitude',
        '60 waypoints: altitude up to 350 looks like flight levels, but is read as feet; multiply flight levels by 100',
      ],
    ]);
  });

  test('are warned of where the air is given', async () => {
    const given = { air_temperature: 215, specific_humidity: 5e-5, engine_efficiency: 0.3 };
    expect(await warningsOf('sac', { ...levels, ...given })).toEqual([
      expect.stringMatching(/looks like flight levels/),
    ]);
  });

  test('of a job are refused with the reason too', async () => {
    const answer = await trial.post('cocip', levels, { prefer: 'respond-async' });
    expect([answer.status, answer.problem().errors?.at(-1)?.msg]).toEqual([
      422,
      expect.stringMatching(/looks like flight levels/),
    ]);
  });
});

describe('a flight that is too slow to go by its speed, and that no weather covers', () => {
  test('gets the hint of its unit', async () => {
    const answer = await trial.post('issr', {
      longitude: [-30, -29.99],
      latitude: [50, 50],
      altitude: [350, 350],
      time: ['2024-06-12T03:00:00Z', '2024-06-12T03:10:00Z'],
    });
    expect([answer.status, answer.problem().errors?.at(-1)?.msg]).toEqual([
      422,
      expect.stringMatching(/altitude up to 350 looks like flight levels/),
    ]);
  });

  test('has none where it was sent in metres, or is not near one', () => {
    const fleet = (altitudeFt: number) => ({
      columns: {
        timeMs: Float64Array.of(0),
        longitude: Float64Array.of(0),
        latitude: Float64Array.of(0),
        altitudeFt: Float64Array.of(altitudeFt),
      },
      offsets: Int32Array.of(0, 1),
      attributes: [{}],
      flightId: undefined,
    });
    const refusal = new ValidationError([
      { loc: ['body', 'altitude'], msg: 'no weather', type: 'value_error' },
    ]);
    const hintOf = (altitudeFt: number) =>
      (
        withUnitWarnings(refusal, {
          fleet: fleet(altitudeFt) as unknown as RequestFleet,
          unitWarnings: [],
        }) as ValidationError
      ).errors[1]?.msg;
    expect(hintOf(10_668)).toMatch(/altitude up to 10668 looks like metres/);
    expect(hintOf(350)).toMatch(/looks like flight levels/);
    expect(hintOf(3000 / 0.3048)).toBeUndefined();
    expect(hintOf(35_000)).toBeUndefined();
  });
});

describe('no unit is doubted', () => {
  test.each<[string, FlightShape]>([
    ['in cruise', {}],
    ['in a low cruise', { cruiseFt: 18_000 }],
    ['that is slow and short at 10,000 ft', { waypoints: 16, cruiseFt: 10_000, eastward: 0.11 }],
  ])('a flight %s has no warning', async (_, shape) => {
    expect(await warningsOf('issr', jet(shape))).toEqual([]);
  });

  test('is so in a climb', async () => {
    const flight = jet({ waypoints: 20 });
    const climb = { ...flight, altitude: flight.altitude.map((_, i) => 6000 + 400 * i) };
    expect(await warningsOf('issr', climb)).toEqual([]);
  });
});

describe('an impossible ground speed', () => {
  test('is named', async () => {
    expect(await warningsOf('sac', jet({ stepS: 10 }))).toEqual([
      expect.stringMatching(
        /^59 segments: a ground speed of up to 13\d\d m\/s is impossible, .*; check time, longitude and latitude$/,
      ),
    ]);
  });

  test('of zero in cruise is named', async () => {
    const flight = jet();
    const longitude = flight.longitude.map((degrees, i) =>
      i === 30 ? (flight.longitude[29] ?? 0) : degrees,
    );
    const latitude = flight.latitude.map((degrees, i) => (i === 30 ? (flight.latitude[29] ?? 0) : degrees));
    expect(await warningsOf('sac', { ...flight, longitude, latitude })).toEqual([
      expect.stringMatching(/^1 segment: a ground speed of up to 4\d\d m\/s is impossible/),
      expect.stringMatching(/^1 segment: a ground speed of 45 m\/s or less in cruise is impossible/),
    ]);
  });

  test('is not one of dense reports whose times are whole seconds', async () => {
    const flight = jet({ waypoints: 41, stepS: 1, eastward: 0.0033, northward: 0 });
    const start = Date.parse('2024-02-29T06:00:00Z');
    // Each pair of reports is 1 s apart by its times; in truth 0.5 s and 1.5 s lay between them.
    const longitude = flight.longitude.map((degrees, i) => degrees + (i % 2 === 1 ? 0.0016 : 0));
    const time = flight.time.map((_, i) => new Date(start + 1000 * i).toISOString());
    expect(await warningsOf('sac', { ...flight, longitude, time })).toEqual([]);
  });

  test('does not matter to issr', async () => {
    expect(await warningsOf('issr', jet({ stepS: 10 }))).toEqual([]);
  });
});
