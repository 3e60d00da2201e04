import { MODEL_PARAMETERS, type ParameterName } from '@contrails/engine/flights/parameter-table';
import { describe, expect, test } from 'vitest';
import { fleetBody, flightBody, startTrial } from './support.ts';

const trial = await startTrial();

type Column = (number | null)[];
interface Answer extends Record<string, unknown> {
  readonly energy_forcing: Column;
  readonly contrail_age: Column;
  readonly parameters: Record<string, unknown>;
}

/** Through air in which contrails persist, in the synthetic weather of these tests. */
const WET = { waypoints: 40, latitude: 40, longitude: -180, stepS: 120, eastward: 0.45, cruiseFt: 33_000 };
const FLIGHT = { ...flightBody(WET), aircraft_type: 'B738' };

async function ask(path: string, body: object): Promise<Answer> {
  const answer = await trial.post(path, body);
  expect(answer.text.slice(0, 800)).not.toMatch(/"errors"/);
  expect(answer.status).toBe(200);
  return answer.json<Answer>();
}

const sum = (column: Column) => column.reduce<number>((total, value) => total + (value ?? 0), 0);
const byDefault = await ask('cocip', FLIGHT);

/** Values that each have to change the energy forcing or the lifetime of the flight. */
const MOVED: Partial<Record<ParameterName, unknown>> = {
  dt_integration_minutes: 60,
  max_age_hours: 1,
  dz_m: 400,
  effective_vertical_resolution: 1000,
  wind_shear_enhancement_exponent: 0,
  smooth_true_airspeed: false,
  smooth_true_airspeed_window_length: 3,
  initial_wake_vortex_depth: 0.3,
  turbulent_vertical_velocity_scale: 0.2,
  sedimentation_impact_factor: 0.1,
  nvpm_ei_n_enhancement_factor: 0.3,
  min_ice_particle_number_nvpm_ei_n: 1e16,
  use_meem: true,
  max_depth: 150,
  max_horizontal_diffusivity: 1,
  max_vertical_diffusivity: 0.05,
  persistent_buffer_minutes: 120,
  min_altitude_m: 10_500,
  max_altitude_m: 9500,
  max_seg_length_m: 5000,
  min_tau: 0.1,
  max_tau: 0.01,
  min_n_ice_per_m3: 1e8,
  max_n_ice_per_m3: 1e4,
  rf_lw_enhancement_factor: 2,
  radius_threshold_um: [1, 2, 3, 4, 5],
  habit_distributions: MODEL_PARAMETERS.habit_distributions.default.map(() => [1, 0, 0, 0, 0, 0, 0, 0]),
  unterstrasser_ice_survival_fraction: true,
  vpm_activation: true,
  radiative_heating_effects: true,
  revised_contrail_ice_budget: true,
  parametric_rf_model_s2025: true,
  interpolation_q_method: 'cubic-spline',
};

describe('parameters in a body', () => {
  test('an answer without them is as it was, one with them says all that were used', async () => {
    expect(byDefault.parameters).toBeUndefined();
    const { parameters, units, flight_id: _, ...rest } = await ask('cocip', { ...FLIGHT, parameters: {} });
    const { units: unitsByDefault, flight_id: __, ...plain } = byDefault;
    expect(rest).toEqual(plain);
    expect(units).toMatchObject(unitsByDefault as object);
    expect(Object.keys(parameters)).toEqual(Object.keys(MODEL_PARAMETERS));
  });

  test.each(Object.entries(MOVED))('%s = %j reaches the model', async (name, value) => {
    const answer = await ask('cocip', { ...FLIGHT, parameters: { [name]: value } });
    expect(answer.parameters[name]).toEqual(value);
    expect([sum(answer.energy_forcing), answer.contrail_age]).not.toEqual([
      sum(byDefault.energy_forcing),
      byDefault.contrail_age,
    ]);
  });

  test('factors of shortwave forcing reach the model by day', async () => {
    const forcingAt = async (hour: number, parameters: object) => {
      const start = new Date(Date.UTC(2024, 1, 29, hour)).toISOString();
      const flight = { ...flightBody({ ...WET, start }), aircraft_type: 'B738', parameters };
      return sum((await ask('cocip', flight)).energy_forcing);
    };
    const changes = await Promise.all(
      [0, 4, 8, 12, 16, 20].map(
        async (hour) =>
          (await forcingAt(hour, { rf_sw_enhancement_factor: 2 })) - (await forcingAt(hour, {})),
      ),
    );
    expect(Math.min(...changes)).toBeLessThan(0);
    expect(Math.max(...changes)).toBeLessThanOrEqual(0);
  });

  test('the published habits given as parameters change nothing but the path through the code', async () => {
    const { radius_threshold_um, habit_distributions } = MODEL_PARAMETERS;
    const parameters = {
      radius_threshold_um: radius_threshold_um.default,
      habit_distributions: habit_distributions.default,
    };
    const answer = await ask('cocip', { ...FLIGHT, parameters });
    expect(answer.contrail_age).toEqual(byDefault.contrail_age);
    answer.energy_forcing.forEach((joule, i) => {
      const other = byDefault.energy_forcing[i] ?? 0;
      expect(Math.abs((joule ?? 0) - other)).toBeLessThanOrEqual(1e-6 * Math.abs(other));
    });
  });

  test('all that is wrong with flight and parameters is in one answer', async () => {
    const body = { ...FLIGHT, latitude: 'x', parameters: { max_depth: -1, max_dept: 3 } };
    const answer = await trial.post('cocip', body);
    expect(answer.status).toBe(422);
    const { errors } = answer.json<{ errors: { loc: unknown[]; msg: string }[] }>();
    expect(errors.map(({ loc }) => loc.slice(0, 3))).toEqual([
      ['body', 'latitude'],
      ['body', 'parameters', 'max_depth'],
      ['body', 'parameters', 'max_dept'],
    ]);
  });

  test('a job computes with them, and its result repeats them', async () => {
    const parameters = { max_age_hours: 30, dt_integration_minutes: 45, max_depth: null };
    const accepted = await trial.post('cocip', { ...FLIGHT, parameters }, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
  });

  test('flights that share the radiation do not depend on the threads', async () => {
    const flights = [WET, { ...WET, cruiseFt: 34_000 }, { ...WET, cruiseFt: 32_000 }].map(flightBody);
    const parameters = { contrail_contrail_overlapping: true };
    const together = await ask('cocip', { ...fleetBody(flights), parameters });
    const alone = await ask('cocip', { ...flights[0], aircraft_type: 'A320', parameters });
    expect(sum(together.energy_forcing.slice(0, 40))).not.toBe(sum(alone.energy_forcing));
    expect((await ask('cocip', { ...fleetBody(flights), parameters })).energy_forcing).toEqual(
      together.energy_forcing,
    );
  });
});

describe('columns for research', () => {
  test('include=radiation adds means along the contrails, and nothing else', async () => {
    const answer = await ask('cocip?include=radiation', FLIGHT);
    const added = Object.keys(answer).filter((name) => !(name in byDefault) && name !== 'warnings');
    expect(added).toEqual([
      'rf_lw_mean',
      'rf_sw_mean',
      'rf_net_mean',
      'sdr_mean',
      'rsr_mean',
      'olr_mean',
      'global_yearly_mean_rf',
      'atr20',
    ]);
    const column = (name: string) => answer[name] as Column;
    answer.energy_forcing.forEach((joule, i) => {
      if (joule === 0 || joule === null) return;
      expect(column('rf_net_mean')[i]).toBeCloseTo(
        (column('rf_lw_mean')[i] ?? 0) + (column('rf_sw_mean')[i] ?? 0),
        4,
      );
      const mean = joule / 5.10072e14 / 3.15576e7;
      expect((column('global_yearly_mean_rf')[i] ?? 0) / mean).toBeCloseTo(1, 5);
      expect((column('atr20')[i] ?? 0) / (0.0151 * mean)).toBeCloseTo(1, 5);
      expect(column('olr_mean')[i]).toBeGreaterThan(50);
    });
    const factor = await ask('cocip?include=radiation', {
      ...FLIGHT,
      parameters: { global_rf_to_atr20_factor: 0 },
    });
    expect(sum(factor.atr20 as Column)).toBe(0);
  });

  test('steps of include=contrail add up to the energy forcing of waypoints', async () => {
    const answer = await ask('cocip?include=contrail,radiation', FLIGHT);
    const { features } = answer.contrail as { features: { properties: Record<string, Column> }[] };
    const energy = new Float64Array(WET.waypoints);
    for (const { properties } of features) {
      expect(properties.sdr).toHaveLength(properties.waypoint?.length ?? -1);
      properties.waypoint?.forEach((waypoint, k) => {
        if (waypoint !== null)
          energy[waypoint] = (energy[waypoint] ?? 0) + (properties.energy_forcing?.[k] ?? 0);
      });
    }
    answer.energy_forcing.forEach((joule, i) => {
      expect(Math.abs((joule ?? 0) - (energy[i] ?? 0))).toBeLessThanOrEqual(1e-4 * Math.abs(joule ?? 0));
    });
    expect((answer.units as Record<string, unknown>).contrail).toMatchObject({
      iwc: 'kg kg-1',
      olr: 'W m-2',
    });
  });
});

describe('answers as tables', () => {
  const post = (path: string, accept: string, body: object = FLIGHT, headers: object = {}) =>
    trial.post(path, body, { accept, ...headers });

  test.each([
    ['application/vnd.apache.parquet', 'PAR1', 'application/vnd.apache.parquet'],
    ['text/html, application/x-netcdf;q=0.9, application/json;q=0.5', '\x89HDF', 'application/netcdf'],
    ['*/*', '{"fl', 'application/json'],
    ['application/json, application/netcdf', '{"fl', 'application/json'],
  ])('Accept: %s', async (accept, magic, type) => {
    const answer = await post('cocip', accept);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe(type);
    expect(answer.bytes.toString('latin1', 0, 4)).toBe(magic);
  });

  test('a table of contrails as JSON is refused', async () => {
    const answer = await post('cocip?table=contrail', 'application/json');
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('table=contrail is not served as JSON');
  });

  test('a job for a table is accepted', async () => {
    const answer = await post('cocip', 'application/netcdf', FLIGHT, { prefer: 'respond-async' });
    expect(answer.status).toBe(202);
  });
});

describe('interpolation of humidity', () => {
  test.each([
    ['none', null],
    ['none', 'cubic-spline'],
    ['none', 'log-q-log-p'],
    ['histogram_matching', 'log-q-log-p'],
    ['histogram_matching', 'cubic-spline'],
    ['exponential_boost_latitude_customization', 'cubic-spline'],
  ])('humidity_scaling %s with interpolation_q_method %s', async (scaling, method) => {
    const humidity = async (q: string | null, path: string) => {
      const body = { ...FLIGHT, parameters: { interpolation_q_method: q } };
      return (await ask(`${path}?humidity_scaling=${scaling}&include=met`, body)).specific_humidity_scaled;
    };
    const scaled = await humidity(method, 'issr');
    expect(await humidity(method, 'cocip')).toEqual(scaled);
    if (method === null) return;
    expect(scaled).not.toEqual(await humidity(null, 'issr'));
  });

  test('a scaling without coefficients for it is refused', async () => {
    const parameters = { interpolation_q_method: 'log-q-log-p' };
    const answer = await trial.post('cocip', { ...FLIGHT, parameters });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('choose cubic-spline, or another humidity_scaling');
    const model = await trial.post('cocip?level_type=model', {
      ...FLIGHT,
      parameters: { interpolation_q_method: 'cubic-spline' },
    });
    expect(model.status).toBe(422);
    expect(model.text).toContain('choose another humidity_scaling, level_type or interpolation_q_method');
  });
});
