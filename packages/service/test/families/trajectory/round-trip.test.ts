import { describe, expect, test } from 'vitest';
import { flightBody, startTrial } from './support.ts';

const trial = await startTrial();
type Answer = Record<string, (number | null)[]>;

const WET = { waypoints: 12, latitude: 40, longitude: -180, stepS: 120, eastward: 0.45, cruiseFt: 33_000 };
const A320 = { ...flightBody(WET), aircraft_type: 'A320' };
const B738 = { ...flightBody({ ...WET, cruiseFt: 34_000 }), aircraft_type: 'B738' };

async function ask(body: unknown, path = 'cocip', contentType = 'application/json'): Promise<Answer> {
  const answer = await trial.post(path, body, { 'content-type': contentType });
  expect(answer.text.slice(0, 600)).not.toMatch(/"errors"/);
  return answer.json<Answer>();
}

async function refusal(body: unknown, path = 'cocip') {
  const answer = await trial.post(path, body);
  expect(answer.status).toBe(422);
  return answer.json<{ errors: { loc: unknown[]; msg: string }[] }>().errors;
}

describe('what other programs send', () => {
  test('winds under the names of the reference are winds', async () => {
    const wind = { u_wind: 10, v_wind: A320.time.map((_, i) => i) };
    const ours = { eastward_wind: wind.u_wind, northward_wind: wind.v_wind };
    const path = 'cocip?include=met';
    const answer = await ask({ ...A320, ...wind }, path);
    expect(answer.northward_wind).toEqual(wind.v_wind);
    expect(answer.energy_forcing).toEqual((await ask({ ...A320, ...ours }, path)).energy_forcing);
  });

  test('NaN is null where the content type says so, and otherwise a sentence that says what to do', async () => {
    const text = JSON.stringify({ ...A320, u_wind: A320.time.map(() => 'x') }).replaceAll('"x"', 'NaN');
    const answer = await ask(text, 'cocip', 'application/json; nan=null');
    expect(answer.energy_forcing).toEqual((await ask(A320)).energy_forcing);
    const [error] = await refusal(text);
    expect(error?.msg).toContain('send null, or "Content-Type: application/json; nan=null"');
  });

  test('a fleet of the reference without types is told how to send its flights', async () => {
    const fleet = {
      ...flightBody(WET),
      flight_id: A320.time.map((_, i) => (i < 6 ? 'a' : 'b')),
      waypoint: A320.time.map((_, i) => i % 6),
    };
    const [error] = await refusal(fleet);
    expect(error?.msg).toMatch(/aircraft_type is missing/);
    expect(error?.msg).toContain('[flight.to_dict() for flight in fleet.to_flight_list()]');
    expect((await ask({ ...fleet, aircraft_type: 'A320' })).energy_forcing).toHaveLength(12);
  });
});

describe('a list of flights', () => {
  test('is a fleet, each with the result it has alone', async () => {
    const [one, two, both] = [await ask(A320), await ask(B738), await ask([A320, { ...B738, n_engine: 2 }])];
    expect(both.flight_id).toEqual([...Array(12).fill(0), ...Array(12).fill(1)]);
    for (const name of ['energy_forcing', 'contrail_age', 'nox_ei'])
      expect(both[name]).toEqual([...(one[name] ?? []), ...(two[name] ?? [])]);
  });

  test('has a place for parameters as an object', async () => {
    const parameters = { max_age_hours: 1 };
    const answer = await ask({ flights: [A320, B738], parameters });
    expect(answer.parameters).toMatchObject(parameters);
    expect(Math.max(...(answer.contrail_age ?? []).map(Number))).toBeLessThanOrEqual(60);
  });

  test('names the flight and its waypoint in errors', async () => {
    const latitude = B738.latitude.map((value, i) => (i === 3 ? 95 : value));
    const [error] = await refusal([A320, { ...B738, latitude }]);
    expect(error?.loc).toEqual(['body', 1, 'latitude', 3]);
    expect(error?.msg).toMatch(/^flight 1: latitude\[3\] 95 is out of range/);
  });

  test.each([
    ['no flights', [], 'the list has 0 flights; send 1 to 1000'],
    ['something else', [A320, 7], 'flight 1 of the list is 7; give an object'],
    [
      'the same id twice',
      [
        { ...A320, flight_id: 'a' },
        { ...B738, flight_id: 'a' },
      ],
      'flight_id a of flight 1 is that of flight 0',
    ],
    [
      'a list that is too short',
      [{ ...A320, latitude: [1, 2] }],
      'latitude of flight 0 has 2 elements and longitude 12',
    ],
    [
      'altitudes under different names',
      [A320, { ...B738, altitude: undefined, altitude_m: B738.altitude.map(() => 10_000) }],
      'altitude of flight 1 is missing',
    ],
  ])('is refused with %s', async (_, body, sentence) => {
    expect((await refusal(body)).map(({ msg }) => msg).join(' ')).toContain(sentence);
  });
});

describe('performance', () => {
  const masses = async (more: object) =>
    (await ask({ ...A320, ...more }, 'cocip?include=performance')).aircraft_mass ?? [];
  const fuel = async (more: object) =>
    (await ask({ ...A320, ...more }, 'cocip?include=performance')).fuel_flow ?? [];

  test.each([
    ['payload', { payload: 20_000 }],
    ['seats', { n_seats: 60 }],
    ['airports', { origin_airport_icao: 'ZBAA', destination_airport_icao: 'OMDB' }],
    ['role', { aircraft_role: 'Cargo' }],
    ['operating empty mass', { amass_oew: 50_000 }],
    ['maximum payload', { amass_mpl: 25_000 }],
    ['maximum take-off mass', { amass_mtow: 60_000 }],
  ])('%s changes the mass', async (_, more) => {
    expect(await masses(more)).not.toEqual(await masses({}));
  });

  test.each([
    ['deterioration', { engine_deterioration_factor: 0.1 }],
    ['age', { aircraft_age_yrs: 9 }],
  ])('%s of the engines changes the fuel flow', async (_, more) => {
    expect((await fuel(more))[3]).toBeGreaterThan((await fuel({}))[3] ?? 0);
  });

  test('a given profile of masses gives the fuel flow', async () => {
    const aircraft_mass = A320.time.map((_, i) => 64_000 - 120 * i);
    expect((await fuel({ aircraft_mass }))[2]).toBeCloseTo(1, 3);
  });

  test('hydrogen forms contrails with the particles that are given', async () => {
    const hydrogen = await ask({ ...A320, fuel: 'Hydrogen', nvpm_ei_n: 1e14 });
    expect(hydrogen.sac?.slice(0, -1)).toEqual(Array(11).fill(1));
    const [error] = await refusal({ ...A320, fuel: 'Hydrogen' });
    expect(error?.msg).toMatch(/^nvpm_ei_n is missing; the databank has no particles of fuel Hydrogen/);
  });

  test.each([
    [{ origin_airport_icao: 'LHR' }, 'origin_airport_icao LHR is no ICAO code of an airport'],
    [{ aircraft_role: 'Glider' }, 'aircraft_role Glider is not served; choose from Passenger, Cargo, Other'],
    [
      { engine_deterioration_factor: 2 },
      'engine_deterioration_factor 2 is out of range; give a number from 0 to 0.5',
    ],
  ])('%j is refused', async (more, sentence) => {
    expect((await refusal({ ...A320, ...more }))[0]?.msg).toContain(sentence);
  });
});

test('clean=altitude filters the noise of dense reports before they are resampled', async () => {
  const dense = flightBody({ ...WET, waypoints: 200, stepS: 5, eastward: 0.02 });
  const noisy = {
    ...dense,
    altitude: dense.altitude.map((_, i) => 33_000 + (i % 2 === 0 ? 25 : -25)),
    aircraft_type: 'A320',
  };
  const [as, cleaned] = [
    await ask(noisy, 'issr?resample=5'),
    await ask(noisy, 'issr?resample=5&clean=altitude'),
  ];
  const spread = (column: (number | null)[] = []) =>
    Math.max(...column.map(Number)) - Math.min(...column.map(Number));
  expect(spread(as.altitude)).toBe(50);
  expect(spread(cleaned.altitude)).toBeLessThan(10);
  const [error] = await refusal(noisy, 'issr?clean=altitude');
  expect(error?.msg).toMatch(/^clean has no effect without resample/);
});
