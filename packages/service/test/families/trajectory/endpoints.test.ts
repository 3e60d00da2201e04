import { outputColumns, TRAJECTORY_MODELS } from '@contrails/engine/flights/models';
import { ACCF_NAMES } from '@contrails/physics/climate';
import { describe, expect, test } from 'vitest';
import { type FlightBody, flightBody, startTrial } from './support.ts';

const trial = await startTrial();

type Column = (number | null)[];
type Answer = Record<string, Column> & {
  readonly flight_id: unknown;
  readonly units: Record<string, unknown>;
  readonly totals: Record<string, number>;
};

const WAYPOINTS = 40;
/** Through air in which contrails persist, in the synthetic weather of these tests. */
const WET = {
  waypoints: WAYPOINTS,
  latitude: 40,
  longitude: -180,
  stepS: 120,
  eastward: 0.45,
  cruiseFt: 33_000,
};
const FLIGHT = { ...flightBody(WET), aircraft_type: 'B738' };

async function ask(path: string, body: object = FLIGHT): Promise<Answer> {
  const answer = await trial.post(path, body);
  expect(answer.text.slice(0, 500)).not.toMatch(/"errors"/);
  expect(answer.status).toBe(200);
  return answer.json<Answer>();
}

const COMMON = [
  'flight_id',
  'met_source_provider',
  'met_source_dataset',
  'met_source_product',
  'modeling_version',
  'humidity_scaling_name',
  'humidity_scaling_formula',
  'units',
];
const ENGINES = ['nvpm_data_source', 'engine_uid'];
const FIELDS = {
  sac: ['sac'],
  issr: ['issr'],
  emissions: [...ENGINES, 'nox_ei', 'nvpm_ei_n'],
  cocip: [
    'cocip_max_contrail_age',
    'cocip_dt_integration',
    ...ENGINES,
    'sac',
    'nox_ei',
    'nvpm_ei_n',
    'energy_forcing',
    'contrail_age',
    'initially_persistent',
  ],
  accf: ['accf_parameters', 'geopotential_source', 'potential_vorticity_source', ...ACCF_NAMES, 'pcfa'],
};

describe.each(TRAJECTORY_MODELS)('a response of %s', (model) => {
  test('returns the fields of its interface and no others, one value for each waypoint', async () => {
    const answer = await ask(model);
    const ofRadiation = model === 'cocip' || model === 'accf' ? ['met_source_radiation'] : [];
    expect(Object.keys(answer).sort()).toEqual([...COMMON, ...ofRadiation, ...FIELDS[model]].sort());
    for (const name of outputColumns(model, [])) {
      expect(answer[name]).toHaveLength(WAYPOINTS);
      expect(answer.units[name]).toEqual(expect.any(String));
    }
    expect(answer).toMatchObject({
      met_source_provider: 'Contrails',
      met_source_dataset: 'synthetic',
      met_source_product: 'demonstration',
      humidity_scaling_name: model === 'accf' ? 'none' : 'exponential_boost_latitude_customization',
    });
  });

  test('adds what include names', async () => {
    const answer = await ask(`${model}?include=performance,emissions&include=met,co2e,contrail`);
    for (const name of outputColumns(model, ['performance', 'emissions', 'met', 'co2e'])) {
      expect(answer[name]).toHaveLength(WAYPOINTS);
    }
    expect(answer.totals.co2).toBeCloseTo((answer.totals.fuel_burn ?? 0) * 3.159, 3);
    expect('contrail' in answer).toBe(model === 'cocip');
  });
});

test('totals hold nothing that was not computed', async () => {
  const criterion = await ask('sac?include=co2e');
  expect(Object.keys(criterion.totals)).toEqual([
    'fuel_burn',
    'co2',
    'h2o',
    'so2',
    'sulphates',
    'organic_carbon',
  ]);
  const emissions = await ask('emissions?include=co2e');
  expect(emissions.totals.nvpm_number).toBeGreaterThan(1e16);
});

describe('values are plausible and of the stated unit', async () => {
  const answer = await ask('cocip?include=performance,emissions,met,co2e');
  const known = (name: string) => (answer[name] ?? []).filter((value) => value !== null);
  const within = (name: string, low: number, high: number) => {
    expect(Math.min(...known(name))).toBeGreaterThanOrEqual(low);
    expect(Math.max(...known(name))).toBeLessThanOrEqual(high);
  };

  test.each<[string, number, number]>([
    ['fuel_flow', 0.2, 1.5],
    ['engine_efficiency', 0.1, 0.45],
    ['aircraft_mass', 41_000, 79_100],
    ['true_airspeed', 150, 300],
    ['thrust', 0, 150_000],
    ['nox_ei', 0.003, 0.03],
    ['nvpm_ei_n', 1e13, 1e16],
    ['nvpm_ei_m', 1e-7, 1e-3],
    ['air_temperature', 190, 260],
    ['specific_humidity', 1e-7, 1e-3],
    ['rhi', 0, 1.8],
    ['eastward_wind', -120, 120],
    ['northward_wind', -120, 120],
    ['air_pressure', 20_000, 35_000],
    ['co2', 100, 600],
    ['contrail_age', 0, 720],
  ])('%s lies between %d and %d', within);

  test('a contrail persists, and its equivalents are those of its energy', () => {
    expect(known('initially_persistent')).toContain(1);
    const total = known('energy_forcing').reduce((sum, joule) => sum + joule, 0);
    expect(total).not.toBe(0);
    expect(answer.totals.energy_forcing).toBeCloseTo(total, -Math.log10(Math.abs(total)) + 6);
    expect(answer.totals.co2e_gwp100).toBeCloseTo(total / 3.370508e9, -3);
    expect(Math.abs(answer.totals.co2e_gwp20 ?? 0)).toBeGreaterThan(Math.abs(answer.totals.co2e_gwp100 ?? 0));
  });

  test('the last waypoint owns no segment: what depends on one is unknown, its contrail is 0', () => {
    const last = (name: string) => answer[name]?.at(-1);
    expect(['sac', 'fuel_flow', 'true_airspeed', 'nox_ei', 'co2'].map(last)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(['energy_forcing', 'contrail_age', 'initially_persistent'].map(last)).toEqual([0, 0, 0]);
    expect(last('rhi')).toEqual(expect.any(Number));
  });
});

test('a flight that begins less than a rounding west of a meridian has weather at every waypoint', async () => {
  const longitude = [-4.25e-213, 0.1, 0.2];
  const flight = { ...flightBody({ ...WET, waypoints: 3 }), longitude, aircraft_type: 'B738' };
  const answer = await trial.post('issr?include=met', flight);
  expect(answer.status).toBe(200);
  expect(answer.json<{ air_temperature: (number | null)[] }>().air_temperature).toEqual([
    expect.any(Number),
    expect.any(Number),
    expect.any(Number),
  ]);
});

describe('outside the weather', () => {
  const low = { ...FLIGHT, altitude: FLIGHT.altitude.map((feet, i) => (i < 3 ? 500 : feet)) };

  test('flags are unknown', async () => {
    const [sac, issr] = await Promise.all([ask('sac', low), ask('issr', low)]);
    expect(sac.sac?.slice(0, 4)).toEqual([null, null, null, expect.any(Number)]);
    expect(issr.issr?.slice(0, 4)).toEqual([null, null, null, expect.any(Number)]);
  });

  test('there are no contrails, and whether one would persist is unknown', async () => {
    const { energy_forcing, initially_persistent } = await ask('cocip', low);
    expect(energy_forcing?.slice(0, 3)).toEqual([0, 0, 0]);
    expect(initially_persistent?.slice(0, 3)).toEqual([null, null, null]);
  });

  test.each([
    ['in time', { ...flightBody({ ...WET, start: '2150-01-01T00:00:00Z' }), aircraft_type: 'B738' }, 'time'],
    ['in height', { ...FLIGHT, altitude: FLIGHT.altitude.map(() => 100) }, 'altitude'],
  ])('as a whole, %s, a flight is refused with the range there is', async (_, body, field) => {
    const answer = await trial.post('cocip', body);
    expect(answer.status).toBe(422);
    expect(answer.problem().errors).toEqual([
      {
        loc: ['body', field],
        msg: expect.stringMatching(/no weather covers .*demo has/),
        type: 'value_error',
      },
    ]);
  });
});

describe('given values', () => {
  test('take the place of computed ones', async () => {
    const given = {
      ...FLIGHT,
      engine_efficiency: 0.25,
      nox_ei: 0.011,
      nvpm_ei_n: 2e15,
      fuel_flow: 0.8,
      true_airspeed: 240,
    };
    const answer = await ask('emissions?include=performance', given);
    expect(new Set(answer.nox_ei)).toEqual(new Set([0.011]));
    expect(new Set(answer.nvpm_ei_n)).toEqual(new Set([2e15]));
    expect(new Set(answer.fuel_flow)).toEqual(new Set([0.8]));
    expect(new Set(answer.true_airspeed)).toEqual(new Set([240]));
    expect(new Set(answer.engine_efficiency)).toEqual(new Set([0.25]));
  });

  test('unknown at a waypoint make the result unknown there', async () => {
    const efficiency = FLIGHT.longitude.map((_, i) => (i === 7 ? null : 0.3));
    const { sac } = await ask('sac', { ...flightBody(WET), engine_efficiency: efficiency });
    expect(sac?.flatMap((flag, i) => (flag === null ? [i] : []))).toEqual([7]);
  });

  test('of the air are not scaled, and what is null is interpolated', async () => {
    const before = await ask('issr?include=met');
    const given = {
      ...FLIGHT,
      specific_humidity: FLIGHT.longitude.map((_, i) => (i === 0 ? 2e-4 : null)),
      air_temperature: FLIGHT.longitude.map((_, i) => (i === 1 ? 220 : null)),
    };
    const answer = await ask('issr?include=met', given);
    expect(answer.specific_humidity_scaled?.[0]).toBe(2e-4);
    expect(answer.air_temperature?.slice(0, 3)).toEqual([
      before.air_temperature?.[0],
      220,
      before.air_temperature?.[2],
    ]);
    expect(answer.rhi?.slice(2)).toEqual(before.rhi?.slice(2));
  });

  test('that are all the model looks at need no weather', async () => {
    const far = flightBody({ ...WET, start: '2150-01-01T00:00:00Z' });
    const answer = await ask('sac', {
      ...far,
      air_temperature: 215,
      specific_humidity: 5e-5,
      engine_efficiency: 0.3,
    });
    expect(new Set(answer.sac)).toEqual(new Set([1]));
    expect(answer.met_source_provider).toBeNull();
  });

  test('of a fuel change the criterion', async () => {
    const warm = {
      ...flightBody(WET),
      air_temperature: 225.2,
      specific_humidity: 1e-4,
      engine_efficiency: 0.3,
      air_pressure: 25_000,
    };
    const [jet, saf] = await Promise.all([
      ask('emissions?include=emissions', { ...FLIGHT, ...warm }),
      ask('emissions?include=emissions', { ...FLIGHT, ...warm, fuel: 'SAF', saf_blend_pct: 100 }),
    ]);
    expect(saf.nvpm_ei_n?.[3]).toBeLessThan(jet.nvpm_ei_n?.[3] as number);
    expect((saf.totals.h2o as number) / (saf.totals.fuel_burn as number)).toBeGreaterThan(1.23);
  });
});

describe('a fleet', () => {
  const others = [
    { ...flightBody({ ...WET, waypoints: 25, latitude: 55, longitude: 170 }), aircraft_type: 'A320' },
    {
      ...flightBody({ ...WET, waypoints: 30, latitude: 40, stepS: 45, cruiseFt: 38_000 }),
      aircraft_type: 'B77W',
    },
    FLIGHT,
  ];

  test.each(TRAJECTORY_MODELS)(
    'of %s: each of its interleaved flights has exactly what it has alone',
    async (model) => {
      const path = `${model}?include=performance,emissions,met,co2e`;
      const alone = await Promise.all(others.map((flight) => ask(path, flight)));
      const { body, owner } = interleave(others);
      const answer = await ask(path, body);
      expect(answer.flight_id).toEqual(body.flight_id);
      for (const name of outputColumns(model, ['performance', 'emissions', 'met', 'co2e'])) {
        for (const [f, single] of alone.entries()) {
          expect(answer[name]?.filter((_, i) => owner[i] === f)).toEqual(single[name]);
        }
      }
      const totals = answer.totals as unknown as Record<string, number>[];
      expect(totals.map(({ flight_id, ...sums }) => sums)).toEqual(alone.map(({ totals: sums }) => sums));
      expect(totals.map(({ flight_id }) => flight_id)).toEqual(['flight 0', 'flight 1', 'flight 2']);
    },
  );

  test('whose flights agree has one engine, else one for each waypoint', async () => {
    const { body, owner } = interleave(others);
    const { engine_uid } = await ask('emissions', body);
    expect(engine_uid).toEqual(owner.map((f) => ['01P08CM105', '07P27GE240', '01P11CM116'][f]));
    const same = await ask('emissions', { ...body, aircraft_type: 'A320' });
    expect(same.engine_uid).toBe('01P08CM105');
  });

  test('reports the engine that was used where the one asked for was superseded', async () => {
    const [superseded, successor] = await Promise.all(
      ['01P02GE186', '07P27GE218'].map((engine_uid) => ask('emissions', { ...FLIGHT, engine_uid })),
    );
    expect(superseded?.engine_uid).toBe('07P27GE218');
    expect(superseded?.nvpm_ei_n).toEqual(successor?.nvpm_ei_n);
  });

  test('of one flight returns its ids as they came', async () => {
    const ids = FLIGHT.longitude.map(() => 42);
    expect((await ask('issr', { ...FLIGHT, flight_id: ids })).flight_id).toEqual(ids);
  });
});

test('a flight without an id is given the time of the computation in microseconds', async () => {
  const before = Date.now() * 1000;
  const { flight_id } = await ask('issr');
  expect(flight_id).toBeGreaterThanOrEqual(before);
  expect(flight_id).toBeLessThanOrEqual(Date.now() * 1000);
});

describe('options', () => {
  test('choose the humidity scaling and its parameters', async () => {
    const none = await ask('issr?include=met&humidity_scaling=none');
    expect(none).toMatchObject({ humidity_scaling_name: 'none', humidity_scaling_formula: 'rhi -> rhi' });
    expect(none.specific_humidity_scaled).toEqual(none.specific_humidity);
    const constant = await ask('issr?include=met&humidity_scaling=constant_scale&rhi_adj=0.5');
    expect(constant.rhi?.[5]).toBeCloseTo(2 * (none.rhi?.[5] as number), 5);
  });

  test('choose age and step of contrails', async () => {
    const answer = await ask('cocip?max_age_hours=1&dt_integration_minutes=5');
    expect(answer).toMatchObject({ cocip_max_contrail_age: '1 hour', cocip_dt_integration: '5 minutes' });
    expect(Math.max(...(answer.contrail_age as number[]))).toBeLessThanOrEqual(60);
  });

  test.each<[string, RegExp]>([
    ['include=all', /include all is not served; choose from performance/],
    ['humidity_scaling=x', /humidity_scaling x is not served; choose from none, constant_scale/],
    [
      'rhi_adj=0.9',
      /rhi_adj is not a parameter of humidity_scaling exponential_boost_latitude_customization/,
    ],
    ['met_source=nowhere', /there is no weather source nowhere; choose from demo/],
    ['max_age_hours=25', /max_age_hours 25 is out of range/],
    ['dt_integration_minutes=0.5', /dt_integration_minutes 0.5 is out of range/],
  ])('%s is refused', async (query, message) => {
    const answer = await trial.post(`cocip?${query}`, FLIGHT);
    expect([answer.status, answer.problem().errors?.[0]?.loc[0]]).toEqual([422, 'query']);
    expect(answer.problem().detail).toMatch(message);
  });

  test('errors of query and body are listed together', async () => {
    const answer = await trial.post('cocip?include=all', { ...FLIGHT, aircraft_mass: -5 });
    expect(answer.problem().errors?.map(({ loc }) => loc.join('.'))).toEqual([
      'query.include.0',
      'body.aircraft_mass',
    ]);
  });

  test('missing inputs of include are refused', async () => {
    const answer = await trial.post('issr?include=performance', flightBody(WET));
    expect([answer.status, answer.problem().detail]).toEqual([
      422,
      expect.stringMatching(/aircraft_type is missing/),
    ]);
  });
});

test.each(['1999-06-02T00:00:00Z', '1970-06-02T00:00:00Z'])(
  'a flight of %s is computed where there is weather',
  async (start) => {
    const old = { ...flightBody({ ...WET, start }), aircraft_type: 'B738' };
    const answer = await trial.post('cocip', { ...old, flight_id: old.time.map(() => 'old') });
    expect(answer.status).toBe(200);
    const forcing = (answer.json() as { energy_forcing: (number | null)[] }).energy_forcing;
    expect(forcing.every((energy) => energy !== null)).toBe(true);
  },
);

test('a flight before the weather is refused with its range', async () => {
  const old = { ...flightBody({ ...WET, start: '1965-06-02T00:00:00Z' }), aircraft_type: 'B738' };
  const answer = await trial.post('cocip', { ...old, flight_id: old.time.map(() => 'old') });
  expect(answer.status).toBe(422);
  expect(answer.problem().detail).toMatch(/1970-01-01T00:00Z/);
});

/** Waypoints of several flights, one of each in turn. */
function interleave(flights: readonly (FlightBody & { readonly aircraft_type: string })[]) {
  const rows = flights.flatMap((flight, f) =>
    flight.time.map((time, i) => ({ f, i, time, at: i / flight.time.length })),
  );
  rows.sort((a, b) => a.at - b.at);
  const column = (name: keyof FlightBody) => rows.map(({ f, i }) => flights[f]?.[name][i]);
  const body = {
    longitude: column('longitude'),
    latitude: column('latitude'),
    altitude: column('altitude'),
    time: column('time'),
    flight_id: rows.map(({ f }) => `flight ${f}`),
    aircraft_type: rows.map(({ f }) => flights[f]?.aircraft_type),
  };
  return { body, owner: rows.map(({ f }) => f) };
}
