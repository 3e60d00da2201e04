import { describe, expect, test } from 'vitest';
import { type FlightBody, fleetBody, flightBody, startTrial } from './support.ts';

const trial = await startTrial();

/** Through air in which contrails persist, in the synthetic weather of these tests. */
const WET = { latitude: 35, longitude: 105, cruiseFt: 33_000 };

interface Answer {
  readonly flight_id: unknown;
  readonly resample?: string;
  readonly time: readonly string[];
  readonly longitude: readonly number[];
  readonly latitude: readonly number[];
  readonly altitude: readonly number[];
  readonly sac: readonly (number | null)[];
  readonly energy_forcing: readonly number[];
  readonly contrail_age: readonly number[];
  readonly initially_persistent: readonly number[];
  readonly fuel_flow: readonly number[];
  readonly units: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
  readonly contrail: {
    readonly features: readonly { readonly properties: { readonly waypoint: number[] } }[];
  };
}

async function ask(path: string, body: object) {
  const answer = await trial.post(path, body);
  expect(answer.text.slice(0, 500)).not.toMatch(/"errors"/);
  const header = answer.headers['contrails-warnings'];
  return {
    answer: answer.json<Answer>(),
    warnings: header === undefined ? [] : (JSON.parse(String(header)) as string[]),
  };
}

async function refusal(path: string, body: object) {
  const answer = await trial.post(path, body);
  expect(answer.status).toBe(422);
  return answer.problem().errors ?? [];
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const ends = ({ longitude, latitude, altitude, time }: FlightBody) => {
  const pick = <T>(list: readonly T[]): T[] => [list[0] as T, list.at(-1) as T];
  return { longitude: pick(longitude), latitude: pick(latitude), altitude: pick(altitude), time: pick(time) };
};
/** An hour of flight by its ends alone, 900 km apart. */
const LONG = { ...ends(flightBody({ ...WET, waypoints: 61 })), aircraft_type: 'B738' };
/** Two minutes by their ends. */
const SHORT = { ...ends(flightBody({ ...WET, waypoints: 3 })), aircraft_type: 'B738' };

describe('a flight of two waypoints', () => {
  test.each([
    ['far apart', LONG, /^1 segment: longer than 40 km.*; add resample=60/],
    ['close together', SHORT, /^1 persistent contrail: not followed.*2 waypoints.*; add resample=60/],
  ])('%s has no energy forcing, with a warning that names the remedy', async (_, body, message) => {
    const { answer, warnings } = await ask('cocip', body);
    expect(answer.initially_persistent[0]).toBe(1);
    expect(answer.energy_forcing).toEqual([0, 0]);
    expect(warnings).toEqual([expect.stringMatching(message)]);
  });

  test.each([
    ['far apart', LONG],
    ['close together', SHORT],
  ])('%s has it when resampled, and needs no warning', async (_, body) => {
    const { answer, warnings } = await ask('cocip?resample=60', body);
    expect(sum(answer.energy_forcing)).not.toBe(0);
    expect(warnings).toEqual([]);
  });
});

describe('a resampled answer', () => {
  test('lists where its waypoints are, in time along the geodesic', async () => {
    const { answer } = await ask('cocip?resample=60&include=contrail', LONG);
    expect(answer.resample).toBe('60 seconds');
    expect(answer.time).toHaveLength(61);
    expect(answer.time.slice(0, 2)).toEqual(['2024-02-29T06:00:00Z', '2024-02-29T06:01:00Z']);
    for (const name of [
      'longitude',
      'latitude',
      'altitude',
      'sac',
      'energy_forcing',
      'contrail_age',
    ] as const)
      expect([name, answer[name].length]).toEqual([name, 61]);
    expect(answer.units).toMatchObject({
      longitude: 'degrees_east',
      latitude: 'degrees_north',
      altitude: 'ft',
    });
    // The shortest way east leads over higher latitudes than the straight line of the map.
    const chord = ((LONG.latitude[0] ?? 0) + (LONG.latitude[1] ?? 0)) / 2;
    expect(answer.latitude[30]).toBeGreaterThan(chord + 0.1);
    const places = answer.contrail.features.flatMap(({ properties }) => properties.waypoint);
    expect(Math.max(...places)).toBeGreaterThan(2);
    expect(Math.max(...places)).toBeLessThan(61);
  });

  test('without resample has the fields of its interface alone', async () => {
    const { answer } = await ask('sac', LONG);
    for (const name of ['resample', 'time', 'longitude', 'latitude', 'altitude'])
      expect([name, name in answer]).toEqual([name, false]);
  });

  test('has given columns between their reports', async () => {
    const given = { ...SHORT, fuel_flow: [0.6, 0.8], engine_efficiency: 0.3 };
    const { answer } = await ask('sac?resample=30&include=performance', given);
    expect(answer.fuel_flow).toEqual([0.6, 0.65, 0.7, 0.75, 0.8]);
  });

  test('carries its warnings', async () => {
    const { answer, warnings } = await ask('cocip?resample=600', LONG);
    expect(warnings).toEqual([
      expect.stringMatching(/^6 segments: longer than 40 km.*; give a smaller step than resample=600/),
    ]);
    expect(answer.warnings).toEqual(warnings);
  });

  test.each(['sac', 'issr', 'emissions', 'cocip'])('is one of %s', async (model) => {
    const { answer } = await ask(`${model}?resample=120`, LONG);
    expect(answer.time).toHaveLength(31);
  });
});

describe('a fleet', () => {
  const flights = [
    ends(flightBody({ ...WET, waypoints: 61 })),
    flightBody({
      ...WET,
      waypoints: 9,
      longitude: 178,
      stepS: 300,
      eastward: 0.9,
      start: '2024-02-29T06:02:07.25Z',
    }),
    ends(flightBody({ ...WET, waypoints: 30, latitude: 55, start: '2024-02-29T06:03:31Z' })),
  ];
  const PATH = 'cocip?resample=60&include=performance,met';

  test('has of each flight exactly what it has alone, flight after flight', async () => {
    const alone = await Promise.all(flights.map((flight) => ask(PATH, { ...flight, aircraft_type: 'A320' })));
    const { answer } = await ask(PATH, interleave(flights));
    expect(answer.flight_id).toEqual(
      alone.flatMap(({ answer: { time } }, f) => time.map(() => `flight ${f}`)),
    );
    for (const name of Object.keys(answer.units).filter((unit) => unit in answer)) {
      const column = name as 'energy_forcing';
      expect([name, answer[column]]).toEqual([name, alone.flatMap((single) => single.answer[column])]);
    }
    expect(answer.time).toEqual(alone.flatMap((single) => single.answer.time));
  });

  test('is refused with the places of the request', async () => {
    const [good, bad] = [flightBody(WET), flightBody({ start: '2024-02-29T20:00:00Z', cruiseFt: 1501 })];
    const body = fleetBody([good, bad]);
    const [error] = await refusal('cocip?resample=10', body);
    expect(error?.loc).toEqual(['body', 'altitude', good.time.length]);
  });
});

describe('what cannot be resampled', () => {
  test.each([
    ['0', /resample 0 is out of range; give a whole number from 1 to 600/],
    ['601', /resample 601 is out of range/],
    ['1.5', /resample 1.5 is out of range/],
    ['1min', /resample 1min is not a number/],
    ['300', /resample 300 leaves 1 waypoint of the flight, which lasts 120 s; give a smaller step/],
  ])('refuses resample=%s', async (step, message) => {
    const [error] = await refusal(`cocip?resample=${step}`, SHORT);
    expect([error?.loc, error?.msg]).toEqual([['query', 'resample'], expect.stringMatching(message)]);
  });

  test('refuses a step that makes too many waypoints', async () => {
    const [error] = await refusal('cocip?resample=1', {
      ...ends(flightBody({ ...WET, waypoints: 600 })),
      aircraft_type: 'B738',
    });
    expect(error?.msg).toBe(
      'resample 1 makes 35941 waypoints of the flight; a request may have 20000: give a larger step',
    );
  });

  test('refuses a flight around the Earth', async () => {
    const around = {
      longitude: [170, -170, -60, 60, 170, -170],
      latitude: [0, 0, 0, 0, 0, 0],
      altitude: [33_000, 33_000, 33_000, 33_000, 33_000, 33_000],
      time: [0, 3, 7, 11, 15, 18].map((hours) => 1_709_164_800 + 3600 * hours),
      aircraft_type: 'B77W',
    };
    const [error] = await refusal('cocip?resample=60', around);
    expect(error).toMatchObject({
      loc: ['body', 'longitude'],
      msg: expect.stringMatching(/cannot be resampled: .*antimeridian.*cut it into two flights/),
    });
  });
});

/** Waypoints of several flights in the order of time. */
function interleave(flights: readonly FlightBody[]) {
  const rows = flights
    .flatMap((flight, f) => flight.time.map((time, i) => ({ f, i, time })))
    .sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
  const column = (name: keyof FlightBody) => rows.map(({ f, i }) => flights[f]?.[name][i]);
  return {
    longitude: column('longitude'),
    latitude: column('latitude'),
    altitude: column('altitude'),
    time: column('time'),
    flight_id: rows.map(({ f }) => `flight ${f}`),
    aircraft_type: 'A320',
  };
}
