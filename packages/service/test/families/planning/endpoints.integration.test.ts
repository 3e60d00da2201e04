import { once } from 'node:events';
import { openCompute } from '@contrails/engine/compute';
import { computePlans } from '@contrails/engine/planning/compute';
import { type PlanKind, planningOptionsOf, planningParameters } from '@contrails/engine/planning/options';
import {
  type PlanningRequest,
  planningRequestOf,
  readPlanningBody,
} from '@contrails/engine/planning/read-body';
import type { Worker } from '@contrails/platform/jobs';
import { createLog } from '@contrails/platform/log';
import { CancelledError } from '@contrails/runtime';
import type { TaskOptions } from '@contrails/runtime/compute';
import { readFlags } from '@contrails/runtime/options/flags';
import { Rejected } from '@contrails/runtime/options/rejected';
import { finish } from '@contrails/runtime/turns';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { planningHandler } from '../../../src/families/planning/job.ts';
import { fleetBody, flightBody, startTrial } from '../trajectory/support.ts';

const trial = await startTrial();

/** Through air in which contrails persist, in the synthetic weather of these tests. */
const WET = { waypoints: 50, latitude: 40, longitude: -180, stepS: 120, eastward: 0.32, cruiseFt: 33_000 };
const FLIGHT = { ...flightBody(WET), aircraft_type: 'A320', flight_id: 'one' };
const LEVELS = 'flight_levels=290,310,330,350,370';
const MEMORY = 2 ** 28;

interface Figures {
  readonly kind: string;
  readonly flight_level: number | null;
  readonly shift_ft: number | null;
  readonly status: string;
  readonly fuel_kg: number;
  readonly flight_time_s: number;
  readonly energy_forcing_j: number;
  readonly warming_j: number;
  readonly cost: number;
  readonly delta: Record<string, number> | null;
  readonly uncertainty: { energy_forcing: Record<string, number>; probability_better: number | null } | null;
  readonly waypoints?: Record<string, (number | string)[]>;
}
interface Plan {
  readonly flight_id: unknown;
  readonly working: { takeoff_mass: number; waypoints: number };
  readonly rows: Figures[];
  readonly best: number;
  readonly alternatives: {
    changes: number;
    optimum: boolean;
    eligible: boolean;
    levels: { flight_level: number }[];
    predicted: Record<string, number>;
    verified: Figures;
  }[];
  readonly chosen: { kind: string; cost: number; flight_level: number | null } | null;
  readonly binding: string[];
  readonly baseline_blocked: boolean;
  readonly recommendation: {
    change: boolean;
    reason: string;
    basis: string;
    probability_better: number | null;
  };
  readonly tables: { flight_levels: number[]; open: number[][] } & Record<
    'fuel_kg' | 'time_s' | 'paid_ef_j',
    number[][]
  >;
  readonly warnings: string[];
  readonly notes: string[];
  readonly problem?: { type: string; status: number; detail: string };
}

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  return trial.send({
    method: 'POST',
    url: `/v1/planning/${path}`,
    headers: { 'x-api-key': trial.key, 'content-type': 'application/json', ...headers },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function ask<T = Plan>(path: string, body: unknown = FLIGHT): Promise<T> {
  const answer = await post(path, body);
  expect(answer.text.slice(0, 500)).not.toMatch(/"errors"/);
  expect(answer.status).toBe(200);
  return answer.json<T>();
}

/** A request as the endpoint reads it. */
function requestOf(kind: PlanKind, raw: object, flags: Record<string, string>): PlanningRequest {
  const values = readFlags(planningParameters[kind], flags);
  const scaling = trial.config.met.humidity_scaling;
  const { planning, options } = planningOptionsOf(kind, values as never, scaling);
  const body = finish(readPlanningBody(raw));
  if (body instanceof Rejected) throw new Error('the flight is not valid');
  return planningRequestOf(body, planning, options);
}

const optimumOf = (plan: Plan) => plan.alternatives.find(({ optimum }) => optimum);

describe('levels', () => {
  test('has the flight, every level below the ceiling and the shifts, with differences', async () => {
    const plan = await ask(`levels?${LEVELS}&shifts_ft=-2000,0`);
    expect(plan.rows.map(({ kind, flight_level, shift_ft }) => [kind, flight_level, shift_ft])).toEqual([
      ['baseline', null, null],
      ...[290, 310, 330, 350, 370].map((level) => ['level', level, null]),
      ['shift', null, -2000],
      ['shift', null, 0],
    ]);
    expect(plan.rows[0]?.delta).toBeNull();
    expect(plan.rows[1]?.delta?.fuel_kg).toBeCloseTo(
      (plan.rows[1]?.fuel_kg ?? 0) - (plan.rows[0]?.fuel_kg ?? 0),
      1,
    );
    expect(plan.notes).toContain('other traffic, airspace and turbulence are not considered');
  });

  test('leaves out levels above the ceiling of the type', async () => {
    const plan = await ask('levels?flight_levels=350,430,510');
    expect(plan.rows.map(({ flight_level }) => flight_level)).toEqual([null, 350]);
  });

  test('a shift of 0 is the flight itself, to the last bit', async () => {
    const { rows } = await ask('levels?flight_levels=none&shifts_ft=0&include=waypoints');
    const { kind: _, shift_ft: __, delta: ___, ...baseline } = rows[0] as Figures;
    const { kind: ____, shift_ft: _____, delta: ______, ...shifted } = rows[1] as Figures;
    expect(shifted).toEqual(baseline);
  });

  test('with its take-off mass given, the flight has the energy forcing of the trajectory endpoint', async () => {
    // Short segments: none of them is cut.
    const dense = flightBody({ ...WET, waypoints: 90, stepS: 60, eastward: 0.16 });
    const body = { ...dense, aircraft_type: 'A320', takeoff_mass: 64_000 };
    const { rows } = await ask('levels?flight_levels=none&include=waypoints', body);
    const { energy_forcing, fuel_flow } = (await trial.post('cocip?include=performance', body)).json<
      Record<string, number[]>
    >();
    expect(rows[0]?.waypoints?.energy_forcing).toEqual(energy_forcing);
    expect(rows[0]?.waypoints?.fuel_flow).toEqual(fuel_flow);
    expect(energy_forcing?.some((joules) => joules !== 0)).toBe(true);
  });

  test('a row can be checked with the trajectory endpoint', async () => {
    const plan = await ask(`levels?${LEVELS}&include=waypoints`);
    for (const row of plan.rows) {
      const body = {
        ...row.waypoints,
        fuel_flow: undefined,
        aircraft_type: 'A320',
        takeoff_mass: plan.working.takeoff_mass,
      };
      const answer = await trial.post('cocip?include=co2e', body);
      const { totals } = answer.json<{ totals: { energy_forcing: number } }>();
      const scale = Math.max(Math.abs(row.energy_forcing_j), 1e10);
      expect(Math.abs(totals.energy_forcing - row.energy_forcing_j) / scale).toBeLessThan(1e-4);
    }
  });

  test('the best row is never dearer than the flight', async () => {
    for (const price of [0, 20, 500]) {
      const { rows, best } = await ask(`levels?${LEVELS}&carbon_price=${price}`);
      expect(rows[best]?.cost).toBeLessThanOrEqual(rows[0]?.cost ?? 0);
    }
  });

  test('samples of all rows come from the same draws', async () => {
    const plan = await ask(`levels?${LEVELS}&uncertainty=8&seed=3`);
    expect(plan.recommendation.basis).toBe('monte_carlo');
    for (const { uncertainty } of plan.rows) {
      expect(uncertainty?.energy_forcing.q05).toBeLessThanOrEqual(uncertainty?.energy_forcing.q95 ?? 0);
      const probability = uncertainty?.probability_better ?? 0;
      expect(probability * 8).toBe(Math.round(probability * 8));
    }
    expect(plan.rows.some(({ uncertainty }) => (uncertainty?.energy_forcing.sd ?? 0) > 0)).toBe(true);
    expect(await ask(`levels?${LEVELS}&uncertainty=8&seed=3`)).toEqual(plan);
  });
});

describe('parameters of the models', () => {
  const parameters = { max_depth: 500, initial_wake_vortex_depth: 0.3, max_age_hours: 3 };

  test('hold for every row as for an evaluation, and are repeated', async () => {
    const body = { ...FLIGHT, parameters };
    const plan = await ask<Plan & { parameters: Record<string, unknown>; cocip_max_contrail_age: string }>(
      'levels?flight_levels=350&include=waypoints',
      body,
    );
    expect(plan.parameters).toMatchObject({ ...parameters, max_altitude_m: null });
    expect(plan.cocip_max_contrail_age).toBe('3 hours');
    const plain = await ask('levels?flight_levels=350');
    expect(plan.rows[0]?.energy_forcing_j).not.toBe(plain.rows[0]?.energy_forcing_j);
    for (const row of plan.rows) {
      const { fuel_flow: _, ...track } = row.waypoints ?? {};
      const answer = await trial.post('cocip?include=co2e', {
        ...{ ...track, aircraft_type: 'A320', takeoff_mass: plan.working.takeoff_mass, parameters },
      });
      const { totals } = answer.json<{ totals: { energy_forcing: number } }>();
      const scale = Math.max(Math.abs(row.energy_forcing_j), 1e10);
      expect(Math.abs(totals.energy_forcing - row.energy_forcing_j) / scale).toBeLessThan(1e-4);
    }
  });

  test('hold for samples and profiles too', async () => {
    const query = `profile?${LEVELS}&uncertainty=3`;
    const [plan, plain] = await Promise.all([ask(query, { ...FLIGHT, parameters }), ask(query)]);
    const means = ({ rows }: Plan) => rows.map(({ uncertainty }) => uncertainty?.energy_forcing.mean);
    expect(means(plan)).not.toEqual(means(plain));
    expect(plan.alternatives.length).toBeGreaterThan(0);
  });
});

describe('profile', () => {
  test('carries original, proposals with predicted and verified figures, and a recommendation', async () => {
    const plan = await ask(`profile?${LEVELS}`);
    expect(plan.alternatives.length).toBeGreaterThan(0);
    for (const { predicted, verified } of plan.alternatives) {
      expect(predicted.cost).toEqual(expect.any(Number));
      expect(verified.cost).toEqual(expect.any(Number));
    }
    expect(plan.recommendation).toMatchObject({ basis: 'screening', probability_better: null });
    expect(plan.binding).toEqual(expect.any(Array));
  });

  test('the choice is never dearer than the flight or any open level, at any price', async () => {
    for (const query of [
      '',
      '&carbon_price=0',
      '&carbon_price=1000&cooling=avoid',
      '&max_extra_fuel_percent=1',
    ]) {
      const { chosen, rows } = await ask(`profile?${LEVELS}${query}`);
      expect(chosen?.cost).toBeLessThanOrEqual(rows[0]?.cost ?? 0);
      if (query.includes('extra')) continue;
      for (const row of rows.filter(({ status, kind }) => kind === 'level' && status === 'ok'))
        expect(chosen?.cost).toBeLessThanOrEqual(row.cost * (1 + 1e-6));
    }
  });

  test('without a price of carbon the profile is that of fuel and time', async () => {
    const free = await ask(`profile?${LEVELS}&carbon_price=0&include=tables`);
    const blind = await ask(`profile?${LEVELS}&carbon_price=0&cooling=avoid&include=tables`);
    expect(free.alternatives.map(({ levels }) => levels)).toEqual(
      blind.alternatives.map(({ levels }) => levels),
    );
    const fuel = await ask(`profile?${LEVELS}&carbon_price=0&cost_index=0&include=tables`);
    const { tables } = fuel;
    tables.flight_levels.forEach((_, l) => {
      if (tables.open.some((stage) => stage[l] === 0)) return;
      const sum = tables.fuel_kg.reduce((total, stage) => total + (stage[l] as number), 0);
      expect(optimumOf(fuel)?.predicted.fuel_kg).toBeLessThanOrEqual(sum * (1 + 1e-6));
    });
  });

  test('tables sum to the rows of their levels', async () => {
    const { tables, rows } = await ask(`profile?${LEVELS}&include=tables`);
    tables.flight_levels.forEach((level, l) => {
      const row = rows.find(({ flight_level }) => flight_level === level);
      const sum = (table: number[][]) => table.reduce((total, stage) => total + (stage[l] as number), 0);
      expect(sum(tables.fuel_kg) / (row?.fuel_kg ?? 0)).toBeCloseTo(1, 5);
      expect(sum(tables.time_s) / (row?.flight_time_s ?? 0)).toBeCloseTo(1, 5);
      // What is paid for by default.
      const warming = row?.warming_j ?? Number.NaN;
      expect(Math.abs(sum(tables.paid_ef_j) - warming)).toBeLessThanOrEqual(1e-5 * warming);
    });
  });

  test('one level verifies to the row of that level', async () => {
    const plan = await ask('profile?flight_levels=350&max_changes=0');
    const row = plan.rows.find(({ flight_level }) => flight_level === 350);
    expect(plan.alternatives).toHaveLength(1);
    expect(plan.alternatives[0]?.verified.energy_forcing_j).toBe(row?.energy_forcing_j);
    expect(plan.alternatives[0]?.verified.cost).toBe(row?.cost);
    expect(plan.alternatives[0]?.predicted.cost).toBeCloseTo(row?.cost ?? 0, 1);
  });

  test('prices that double together change no path, and rules never make the optimum cheaper', async () => {
    const paths = (plan: Plan) =>
      plan.alternatives.map(({ levels }) => levels.map(({ flight_level }) => flight_level));
    const single = await ask(`profile?${LEVELS}&fuel_price=0.5&carbon_price=40`);
    expect(paths(await ask(`profile?${LEVELS}&fuel_price=1&carbon_price=80`))).toEqual(paths(single));
    const free = optimumOf(await ask(`profile?${LEVELS}`))?.predicted.cost ?? 0;
    const avoid = [{ longitude: [-178, -174], latitude: [30, 50], flight_level: [340, 380] }];
    for (const [rule, body] of [
      ...['max_changes=1', 'max_step_ft=2000', 'min_level_minutes=40', 'parity=east_west'].map(
        (one) => [one, FLIGHT] as const,
      ),
      ['max_changes=4', { ...FLIGHT, avoid }] as const,
    ]) {
      const limited =
        optimumOf(await ask(`profile?${LEVELS}&${rule}`, body))?.predicted.cost ?? Number.POSITIVE_INFINITY;
      expect(limited, rule).toBeGreaterThanOrEqual(free * (1 - 1e-7));
    }
  });

  test('no alternative is predicted cheaper than the optimum, and the first is the cheapest open level', async () => {
    const plan = await ask(`profile?${LEVELS}&min_level_minutes=5`);
    const [first] = plan.alternatives;
    expect(plan.alternatives.length).toBeGreaterThan(1);
    for (const { predicted } of plan.alternatives)
      expect(optimumOf(plan)?.predicted.cost).toBeLessThanOrEqual(predicted.cost ?? Number.NaN);
    const open = plan.rows.filter(({ kind, status }) => kind === 'level' && status === 'ok');
    const cheapest = open.reduce((best, row) => (row.cost < best.cost ? row : best));
    expect(first).toMatchObject({ changes: 0, levels: [{ flight_level: cheapest.flight_level }] });
  });

  test('forbidden boxes that leave no way are a plan without profiles', async () => {
    const avoid = [{ longitude: [-179, -170], latitude: [30, 50], flight_level: [0, 600] }];
    const plan = await ask(`profile?${LEVELS}`, { ...FLIGHT, avoid });
    expect(plan).toMatchObject({ alternatives: [], chosen: null, baseline_blocked: true });
    expect(plan.recommendation).toMatchObject({ change: false, reason: 'no_feasible_profile' });
    expect(plan.binding).toContain('avoid');
  });

  test('no level at all is a plan without profiles', async () => {
    const plan = await ask('profile?flight_levels=450,510');
    expect(plan).toMatchObject({ alternatives: [], chosen: { kind: 'baseline' } });
    expect(plan.recommendation.reason).toBe('no_feasible_profile');
  });
});

describe('the same bits', () => {
  test('for levels in any order', async () => {
    const forward = await ask('profile?flight_levels=290,310,330');
    expect(await ask('profile?flight_levels=330,310,290,310')).toEqual(forward);
  });

  test('alone and in a fleet', async () => {
    const other = flightBody({ ...WET, latitude: 45 });
    const query = `profile?${LEVELS}&uncertainty=4&include=waypoints,tables`;
    const { flight_id: _, ...alone } = await ask(query, {
      ...flightBody(WET),
      aircraft_type: 'A320',
    });
    const fleet = fleetBody([other, flightBody(WET)]);
    const { flights } = await ask<{ flights: Plan[] }>(query, fleet);
    const { flight_id: __, ...second } = flights[1] as Plan;
    expect(alone).toMatchObject(second);
  });

  describe('for any number of threads', () => {
    const twoThreads = openCompute({ threads: 2, maxQueue: 100 });
    afterAll(() => twoThreads.close());

    test.each(['levels', 'profile'] as PlanKind[])('%s', async (kind) => {
      const request = requestOf(kind, FLIGHT, { uncertainty: '5', flight_levels: '310,330,350' });
      const { met } = trial.services;
      const answers = await Promise.all(
        [trial.services.compute, twoThreads].map((compute) =>
          computePlans({ met, compute, memoryBytes: MEMORY }, request, {}),
        ),
      );
      expect(answers[1]).toEqual(answers[0]);
    });
  });
});

describe('a fleet', () => {
  test('has a plan for each flight in order, and a problem where there is none', async () => {
    const low = { ...flightBody(WET), altitude: flightBody(WET).altitude.map(() => 9000) };
    const fleet = fleetBody([flightBody(WET), low, flightBody({ ...WET, start: '2150-01-01T00:00:00Z' })]);
    const sameDay = { ...fleet, time: fleet.time.map((time) => time.replace('2150-01-01', '2024-02-29')) };
    const { flights, totals } = await ask<{ flights: Plan[]; totals: Record<string, number> }>(
      'levels?flight_levels=350',
      sameDay,
    );
    expect(flights.map(({ flight_id }) => flight_id)).toEqual([0, 1, 2]);
    expect(flights[0]?.rows).toHaveLength(2);
    expect(flights[1]?.problem).toMatchObject({ type: '/problems/no-cruise', status: 400 });
    expect(flights[2]?.rows).toHaveLength(2);
    expect(totals).toMatchObject({ flights: 3, planned: 2 });
  });

  test('can be a list of flights, with parameters for all of them', async () => {
    const bodies = [FLIGHT, { ...flightBody({ ...WET, latitude: 45 }), aircraft_type: 'B738' }];
    const parameters = { max_depth: 500 };
    const query = 'levels?flight_levels=350';
    const { flights } = await ask<{ flights: Plan[] }>(query, { flights: bodies, parameters });
    expect(flights.map(({ flight_id }) => flight_id)).toEqual(['one', 1]);
    const { flight_id: _, ...alone } = await ask(query, { ...bodies[1], parameters });
    expect(alone).toMatchObject((({ flight_id: __, ...second }) => second)(flights[1] as Plan));
    const bare = await ask<{ flights: Plan[] }>(query, bodies);
    expect(bare.flights[0]?.rows).toEqual((await ask(query)).rows);
  });

  test('has the sums of its flights in its totals', async () => {
    const fleet = fleetBody([flightBody(WET), flightBody({ ...WET, latitude: 45 })]);
    const { flights, totals } = await ask<{
      flights: Plan[];
      totals: Record<string, Record<string, number>>;
    }>(`profile?${LEVELS}`, fleet);
    const sum = (of: (plan: Plan) => number) => flights.reduce((total, plan) => total + of(plan), 0);
    expect(totals.baseline?.fuel_kg).toBeCloseTo(
      sum(({ rows }) => rows[0]?.fuel_kg ?? 0),
      1,
    );
    expect(totals.chosen?.cost).toBeCloseTo(
      sum(({ chosen }) => chosen?.cost ?? 0),
      1,
    );
    expect(totals.changes_recommended).toBe(
      flights.filter(({ recommendation }) => recommendation.change).length,
    );
  });

  test('stops at the first failure, and releases the weather when no flight uses it any more', async () => {
    const request = requestOf('levels', fleetBody(Array.from({ length: 20 }, () => flightBody(WET))), {});
    const events: string[] = [];
    const met = {
      async open() {
        const opened = await trial.services.met.open();
        const openWeather: typeof opened.openWeather = async (...given) => {
          const weather = await opened.openWeather(...given);
          const release = () => {
            events.push('released');
            weather.release();
          };
          return { ...weather, release };
        };
        return { ...opened, openWeather };
      },
    };
    let begun = 0;
    // The first flight fails while the second one is computed, which ends a moment after it is told to.
    const parallel = async (_kernel: unknown, _input: unknown, _blocks: number, options?: TaskOptions) => {
      if (begun++ === 0) throw new Error('the thread crashed');
      await once(options?.signal ?? new AbortController().signal, 'abort');
      await new Promise(setImmediate);
      events.push('ended');
      throw new CancelledError('the work was cancelled');
    };
    const compute = { ...trial.services.compute, threads: 2, parallel };
    const { signal } = new AbortController();
    await expect(computePlans({ met, compute, memoryBytes: MEMORY }, request, { signal })).rejects.toThrow(
      'the thread crashed',
    );
    expect(begun).toBe(2);
    expect(events).toEqual(['ended', 'released']);
  });

  test('whose plans take more than their memory is refused, and told what to leave out', async () => {
    const request = requestOf('levels', fleetBody([flightBody(WET), flightBody(WET)]), {
      include: 'waypoints',
    });
    const { met, compute } = trial.services;
    const plans = computePlans({ met, compute, memoryBytes: 2 ** 20 }, request, {});
    await expect(plans).resolves.toHaveProperty('totals');
    await expect(computePlans({ met, compute, memoryBytes: 2 ** 14 }, request, {})).rejects.toMatchObject({
      errors: [
        {
          loc: ['query', 'include'],
          msg: expect.stringMatching(/planning\.memory_mib.*leave out include=waypoints/),
        },
      ],
    });
  });
});

describe('requests that cannot be planned', () => {
  const problem = async (path: string, body: unknown = FLIGHT) => {
    const answer = await post(path, body);
    return { status: answer.status, ...answer.json<{ type: string; detail: string }>() };
  };

  test('a flight without cruise', async () => {
    const body = { ...FLIGHT, altitude: FLIGHT.altitude.map(() => 15_000) };
    expect(await problem('levels', body)).toMatchObject({
      status: 400,
      type: '/problems/no-cruise',
      detail: expect.stringContaining('20000 ft'),
    });
    const narrow = await problem('levels?from_waypoint=20&to_waypoint=21', FLIGHT);
    expect(narrow.status).toBe(200);
  });

  test('a flight whose altitude is not in feet gets the hint of its unit, in a fleet too', async () => {
    const at = (altitude: number) => ({ ...FLIGHT, altitude: FLIGHT.altitude.map(() => altitude) });
    const slow = (altitude: number) => ({
      ...at(altitude),
      longitude: flightBody({ ...WET, eastward: 0.1 }).longitude,
    });
    const hints = [
      [at(10_668), /were looked for; altitude up to 10668 looks like metres, .* as altitude_m$/],
      [at(350), /were looked for; altitude up to 350 looks like flight levels, .* by 100$/],
      [slow(350), /looks like flight levels/],
      // As turboprops do.
      [slow(15_000), /were looked for; send more of the flight$/],
    ] as const;
    for (const [body, hint] of hints) {
      expect(await problem('levels', body)).toMatchObject({
        ...{ status: 400, type: '/problems/no-cruise', detail: expect.stringMatching(hint) },
      });
    }
    const { flights } = await ask<{ flights: Plan[] }>('levels?flight_levels=350', [
      FLIGHT,
      { ...at(350), flight_id: 'two' },
    ]);
    expect(flights.map((plan) => plan.problem?.detail)).toEqual([
      undefined,
      expect.stringMatching(/altitude up to 350 looks like flight levels/),
    ]);
  });

  test('a flight outside the weather', async () => {
    const body = { ...FLIGHT, ...flightBody({ ...WET, start: '2150-01-01T00:00:00Z' }) };
    expect(await problem('levels', body)).toMatchObject({ status: 400, type: '/problems/outside-weather' });
  });

  test('a flight before 2000 is planned, and one before the weather gets its range, as a job too', async () => {
    const of = (start: string) => ({ ...FLIGHT, ...flightBody({ ...WET, start }) });
    const plan = await ask('levels?flight_levels=350', of('1990-06-02T00:00:00Z'));
    expect(plan.rows.every(({ energy_forcing_j }) => Number.isFinite(energy_forcing_j))).toBe(true);
    for (const headers of [{}, { prefer: 'respond-async' }]) {
      const answer = await post('levels', of('1965-06-02T00:00:00Z'), headers);
      const { type, detail } = answer.problem();
      expect([answer.status, type, detail]).toEqual([
        400,
        '/problems/outside-weather',
        expect.stringContaining('1970-01-01'),
      ]);
    }
  });

  test('more samples than are computed', async () => {
    const answer = await problem('levels?uncertainty=1000000');
    expect(answer).toMatchObject({ status: 400, type: '/problems/validation' });
    expect(answer.detail).toContain('from 2 to 1000');
    const many = await problem(
      `levels?uncertainty=1000&shifts_ft=${Array.from({ length: 40 }, (_, k) => 100 * k)}`,
      {
        ...flightBody({ ...WET, waypoints: 700, stepS: 60, eastward: 0.1 }),
        aircraft_type: 'A320',
      },
    );
    expect(many.status).toBe(400);
    expect(many.detail).toContain('uncertainty');
  });

  test.each([
    ['levels', { ...FLIGHT, aircraft_type: undefined }, 'aircraft_type'],
    ['levels', { ...FLIGHT, aircraft_type: 'ZZZZ' }, 'aircraft_type'],
    ['levels?flight_levels=301', FLIGHT, 'multiples of 5'],
    ['levels?flight_levels=190', FLIGHT, '200 to 510'],
    ['levels?shifts_ft=20000', FLIGHT, 'shifts_ft'],
    ['levels?horizon=30', FLIGHT, '20, 50, 100'],
    ['levels?from_waypoint=50', FLIGHT, '0 to 49'],
    ['levels?from_waypoint=10&to_waypoint=5', FLIGHT, 'to_waypoint 5'],
    ['profile?max_changes=9', FLIGHT, 'from 0 to 8'],
    ['profile?min_level_minutes=0', FLIGHT, 'from 1 to 120'],
    ['profile', { ...FLIGHT, avoid: {} }, 'list of boxes'],
    [
      'profile',
      { ...FLIGHT, avoid: [{ longitude: [0, 1], latitude: [2, 1], flight_level: [300, 400] }] },
      'latitude',
    ],
    [
      'profile',
      {
        ...FLIGHT,
        avoid: [{ longitude: [0, 1], latitude: [1, 2], flight_level: [300, 400], time: ['x', 1] }],
      },
      'time',
    ],
    ['profile', { ...FLIGHT, avoid: [3] }, 'avoid[0]'],
    ['levels?uncertainty_parameters=wind', FLIGHT, 'wind_shear'],
    ['levels', { ...FLIGHT, parameters: { max_altitude_m: 12_000 } }, 'parameters.max_altitude_m 12000'],
    ['levels', { ...FLIGHT, parameters: { max_dept: 1000 } }, 'max_depth'],
    ['levels', [FLIGHT, { ...FLIGHT, flight_id: 'two', aircraft_type: 'ZZZZ' }], 'ZZZZ'],
    ['levels', { flights: [FLIGHT], parameters: { max_dept: 1000 } }, 'max_depth'],
    ['levels?max_age_hours=6', { ...FLIGHT, parameters: { max_age_hours: 3 } }, 'give it once'],
    [
      'levels',
      { ...FLIGHT, parameters: { contrail_contrail_overlapping: true } },
      'as if it were alone; leave it out',
    ],
    [
      'levels?uncertainty=5&uncertainty_set=library&uncertainty_parameters=humidity',
      FLIGHT,
      'humidity does not vary',
    ],
  ])('%s with bad input says what to do: %#', async (path, body, told) => {
    const answer = await problem(path, body);
    expect(answer.status).toBe(400);
    expect(answer.detail).toContain(told);
  });

  test('what was measured at the level of the flight is ignored with a warning', async () => {
    const plan = await ask('levels?flight_levels=350', { ...FLIGHT, fuel_flow: FLIGHT.time.map(() => 0.7) });
    expect(plan.warnings).toEqual([expect.stringContaining('fuel_flow is ignored')]);
    expect(plan.rows).toEqual((await ask('levels?flight_levels=350')).rows);
  });
});

describe('as a job', () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = trial.services.jobs.work([planningHandler({ ...trial.services, memoryBytes: MEMORY })], {
      concurrency: 1,
      log: createLog(trial.config.log),
    });
  });
  afterAll(async () => {
    await worker.stop();
  });

  test('is refused at once where the flight cannot be planned', async () => {
    const low = { ...FLIGHT, altitude: FLIGHT.altitude.map(() => 15_000) };
    const answer = await post('profile', low, { prefer: 'respond-async' });
    expect(answer.status).toBe(400);
    expect(answer.json<{ type: string }>().type).toBe('/problems/no-cruise');
  });

  test('is refused at once where the source or its members do not exist', async () => {
    const outside = { ...FLIGHT, ...flightBody({ ...WET, start: '2150-01-01T00:00:00Z' }) };
    for (const [query, body] of [
      ['met_source=nowhere', FLIGHT],
      ['met_members=0,1&uncertainty=2', FLIGHT],
      ['', outside],
    ] as const) {
      const asked = await post(`levels?${query}`, body);
      const answer = await post(`levels?${query}`, body, { prefer: 'respond-async' });
      expect([400, 422]).toContain(answer.status);
      expect({ ...answer.json(), instance: '' }).toEqual({ ...asked.json(), instance: '' });
    }
  });

  test('is followed and listed with a key that may only plan', async () => {
    const headers = { 'x-api-key': await trial.newKey({ scopes: ['planning'] }) };
    const accepted = await post('levels', FLIGHT, { prefer: 'respond-async', ...headers });
    expect(accepted.status).toBe(202);
    const url = String(accepted.headers.location);
    expect((await trial.send({ url, headers })).status).toBe(200);
    const { jobs } = (await trial.send({ url: '/v0/jobs', headers })).json<{ jobs: { kind: string }[] }>();
    expect(jobs).toMatchObject([{ kind: 'planning' }]);
    expect((await trial.send({ url, headers: { 'x-api-key': trial.key } })).status).toBe(404);
  });

  test('has the result that the request has', async () => {
    const avoid = [{ longitude: [-179, -178], latitude: [30, 50], flight_level: [290, 320] }];
    const body = { ...FLIGHT, avoid, parameters: { max_depth: 800 } };
    const accepted = await post(`profile?${LEVELS}`, body, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    const location = String(accepted.headers.location);
    const get = (url: string) => trial.send({ url, headers: { 'x-api-key': trial.key } });
    const job = await until('the plan has ended', async () => {
      const state = (await get(location)).json<{ state: string; error?: string }>();
      return ['done', 'failed'].includes(state.state) && state;
    });
    expect(job).toMatchObject({ state: 'done' });
    expect((await get(`${location}/result`)).json()).toEqual(await ask(`profile?${LEVELS}`, body));
  });
});
