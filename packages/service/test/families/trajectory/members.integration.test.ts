/** Requests for the members of a weather ensemble, on the trajectory and the planning endpoints. */
import { fileURLToPath } from 'node:url';
import { computePlans } from '@contrails/engine/planning/compute';
import { planningOptionsOf, planningParameters } from '@contrails/engine/planning/options';
import { planningRequestOf, readPlanningBody } from '@contrails/engine/planning/read-body';
import { readFlags } from '@contrails/runtime/options/flags';
import { Rejected } from '@contrails/runtime/options/rejected';
import { finish } from '@contrails/runtime/turns';
import { describe, expect, test } from 'vitest';
import { forcingDeviation, readReference, referenceFile } from '../../../../engine/test/support/reference.ts';
import type { MetSourceConfig } from '../../../src/config/met-sources.ts';
import { fleetBody, type flightBody, startTrial } from './support.ts';

interface Case {
  readonly body: Record<string, unknown>;
  readonly members: { member: number; energy_forcing_total: number; energy_forcing: number[] }[];
  readonly totals: Record<string, number>;
  readonly mixed: {
    seed: number;
    samples: number;
    sample_values: Record<string, number[]>;
  };
}

interface Answer {
  readonly energy_forcing: number[];
  readonly warnings?: string[];
  readonly uncertainty: {
    samples: number;
    met_members: number[] | null;
    parameters: Record<string, unknown>;
    totals: { energy_forcing: Record<string, number> };
    sample_values: Record<string, number[]>;
    notes: string[];
  };
}

interface Plan {
  readonly rows: {
    flight_level: number | null;
    energy_forcing_j: number;
    uncertainty: { energy_forcing: Record<string, number>; probability_better: number | null } | null;
  }[];
  readonly alternatives?: { verified: { uncertainty: unknown } }[];
  readonly recommendation: { basis: string; probability_better: number | null };
  readonly warnings: string[];
}

const files = ['ensemble.met.nc', 'ensemble.rad.nc'].map((name) => referenceFile(`uncertainty/met/${name}`));
const paths = files.flatMap((file) => (file === undefined ? [] : [fileURLToPath(file)]));
const item = readReference<Case>('uncertainty/members.json');

describe.skipIf(paths.length < 2 || item === undefined)(
  'members of an ensemble (in ../shared/reference)',
  async () => {
    if (item === undefined || paths.length < 2) return;
    const ensemble: MetSourceConfig = {
      ...{ name: 'ensemble', kind: 'netcdf', paths, directory: '.', provider: 'ECMWF', dataset: 'ERA5' },
      ...{ product: 'reanalysis', type: undefined, radiationAccumulated: false, radiationHours: undefined },
      ...{ member: 'all', levels: undefined, s3Endpoint: undefined, s3Region: undefined, s3Signed: false },
    };
    const FLIGHT = { ...item.body, flight_id: 'one' };
    const trial = await startTrial(10, [ensemble]);
    const HERE = 'met_source=ensemble';

    const ask = async (query: string, body: object = FLIGHT): Promise<Answer> => {
      const answer = await trial.post(`cocip?${HERE}&${query}`, body);
      expect(answer.text.slice(0, 500)).not.toMatch(/"detail"/);
      return answer.json<Answer>();
    };
    const plan = async (path: string, body: object = FLIGHT) =>
      trial.send({
        method: 'POST',
        url: `/v1/planning/${path}`,
        headers: { 'x-api-key': trial.key, 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      });
    const relative = (actual: readonly number[], expected: readonly number[]) => {
      const largest = Math.max(...expected.map(Math.abs), Number.MIN_VALUE);
      return Math.max(...expected.map((value, i) => Math.abs((actual[i] as number) - value) / largest));
    };

    test('one run of each, and the top of the answer is the first', async () => {
      const plain = await ask('include=samples');
      const { uncertainty, ...nominal } = await ask('met_members=all&include=samples');
      expect(nominal).toEqual(plain);
      expect(
        forcingDeviation(nominal.energy_forcing, item.members[0]?.energy_forcing ?? []).total,
      ).toBeLessThan(1e-5);
      expect(uncertainty).toMatchObject({ samples: 3, met_members: [0, 1, 2], parameters: {} });
      const wanted = item.members.map(({ energy_forcing_total }) => energy_forcing_total);
      expect(relative(uncertainty.sample_values.energy_forcing ?? [], wanted)).toBeLessThan(1e-5);
      const names = Object.keys(item.totals);
      const found = names.map((name) => uncertainty.totals.energy_forcing[name] as number);
      expect(relative(found, Object.values(item.totals))).toBeLessThan(1e-5);
    });

    test('drawn parameters are mixed with members in turn, without drawn humidity', async () => {
      const { seed, samples, sample_values: wanted } = item.mixed;
      const { uncertainty } = await ask(
        `met_members=all&uncertainty=${samples}&seed=${seed}&include=samples`,
      );
      expect(uncertainty.parameters).not.toHaveProperty('humidity');
      for (const [name, values] of Object.entries(wanted)) {
        const found = uncertainty.sample_values[name];
        if (found !== undefined) expect(relative(found, values), name).toBeLessThan(1e-5);
      }
      expect(uncertainty.notes.join()).toMatch(/members/);
      const named = await ask('met_members=0,1&uncertainty=2&uncertainty_parameters=humidity');
      expect(named.uncertainty.parameters).toHaveProperty('humidity');
    });

    test('a list decides which is nominal; uneven samples are said', async () => {
      const { uncertainty, ...nominal } = await ask('met_members=2,0&uncertainty=3&include=samples');
      expect(uncertainty.met_members).toEqual([2, 0]);
      expect(nominal.warnings?.join()).toMatch(/uncertainty 3 is not a multiple of the 2 members/);
      expect(
        forcingDeviation(nominal.energy_forcing, item.members[2]?.energy_forcing ?? []).total,
      ).toBeLessThan(1e-5);
    });

    test('histogram matching takes the quantiles of each member', async () => {
      const query = 'humidity_scaling=histogram_matching&include=samples';
      const { uncertainty } = await ask(`met_members=0,1&${query}`);
      const alone = await ask(`met_members=1&${query}`);
      expect(alone.uncertainty.sample_values.energy_forcing).toEqual(
        uncertainty.sample_values.energy_forcing?.slice(1),
      );
      const ofReanalysis = await ask(query);
      const ofMember = await ask(`met_members=0&${query}`);
      expect(ofMember.energy_forcing).not.toEqual(ofReanalysis.energy_forcing);
    });

    test('a fleet sees the same members', async () => {
      const columns = ['longitude', 'latitude', 'altitude', 'time'] as const;
      const flight = Object.fromEntries(
        columns.map((name) => [name, item.body[name]]),
      ) as unknown as ReturnType<typeof flightBody>;
      const fleet = { ...fleetBody([flight, flight]), aircraft_type: item.body.aircraft_type };
      const { uncertainty } = await ask('met_members=all&include=samples', fleet);
      const flights = (uncertainty as unknown as { flights: Answer['uncertainty'][] }).flights;
      expect(flights[1]?.sample_values).toEqual(flights[0]?.sample_values);
    });

    test.each([
      ['met_members=7', /ensemble has no member 7; choose from 0, 1, 2, or all/],
      ['met_members=some', /met_members/],
      ['met_members=all&sensitivity=true', /add uncertainty/],
    ])('%s is refused', async (query, message) => {
      const answer = await trial.post(`cocip?${HERE}&${query}`, item.body);
      expect(answer.status).toBe(422);
      expect(answer.text).toMatch(message);
    });

    test('a source without members is refused, with the name of one that has some', async () => {
      const query = 'met_source=demo&met_members=all';
      const answer = await trial.post(`cocip?${query}`, item.body);
      expect(answer.status).toBe(422);
      expect(answer.text).toMatch(/demo serves no members; choose one that does with met_source: ensemble/);
      const planned = await plan(`levels?${query}`);
      expect(planned.status).toBe(400);
      expect(planned.text).toMatch(/demo serves no members/);
    });

    test('a route is verified in the weather of a member, which has to exist', async () => {
      const small = 'contrails=none&corridor_km=0&flight_levels=310,350&max_changes=1';
      const ask = async (weather: string) =>
        plan(`route?${HERE}&${small}&verify_with=${weather}`, { flight: item.body });
      const costs = [];
      for (const member of [0, 1]) {
        const answer = await ask(`ensemble:${member}`);
        expect(answer.status, answer.text.slice(0, 500)).toBe(200);
        const { verified_with: second } = answer.json<{
          verified_with: { met_source: string; member: number; baseline: { cost: number } };
        }>();
        expect(second).toMatchObject({ met_source: 'ensemble', member });
        costs.push(second.baseline.cost);
      }
      expect(costs[0]).not.toBe(costs[1]);
      const refused = await ask('ensemble:9');
      expect(refused.status).toBe(400);
      expect(refused.text).toMatch(
        /asks for member 9, and the weather source ensemble serves the members 0, 1, 2/,
      );
      expect((await ask('demo:0')).text).toMatch(/demo serves no members|source demo/);
    });

    test('plans are compared in the weather of each member', async () => {
      const levels = 'flight_levels=310,350';
      const nominal = (await plan(`levels?${HERE}&${levels}`)).json<Plan>();
      const inMembers = (await plan(`levels?${HERE}&${levels}&met_members=all`)).json<Plan>();
      expect(inMembers.rows.map(({ energy_forcing_j }) => energy_forcing_j)).toEqual(
        nominal.rows.map(({ energy_forcing_j }) => energy_forcing_j),
      );
      expect(inMembers.recommendation.basis).toBe('monte_carlo');
      const baseline = inMembers.rows[0]?.uncertainty?.energy_forcing;
      expect(baseline?.sd).toBeGreaterThan(0);
      // Member by member, each alone is the one sample of its own plan.
      const alone = await Promise.all(
        [0, 1, 2].map(async (member) =>
          (await plan(`levels?${HERE}&${levels}&met_members=${member}`)).json<Plan>(),
        ),
      );
      const mean = alone.reduce((sum, { rows }) => sum + (rows[0]?.energy_forcing_j ?? 0), 0) / 3;
      expect(Math.abs((baseline?.mean ?? 0) - mean) / Math.abs(mean)).toBeLessThan(1e-2);
    });

    test('plans of a fleet are the same however few of them wait for the next member at once', async () => {
      const flags = { met_source: 'ensemble', flight_levels: '310,350', met_members: 'all' };
      const values = readFlags(planningParameters.levels, flags);
      const { planning, options } = planningOptionsOf('levels', values as never, 'none');
      const body = finish(readPlanningBody({ flights: [FLIGHT, { ...FLIGHT, flight_id: 'two' }] }));
      if (body instanceof Rejected) throw new Error('the flights are not valid');
      const request = planningRequestOf(body, planning, options);
      const waypoints = request.fleet.columns.timeMs.length / 2;
      const planIn = async (memoryBytes: number) => {
        const opened: unknown[] = [];
        const met = await trial.services.met.open();
        const counted = {
          ...met,
          openWeather: (...given: Parameters<typeof met.openWeather>) => {
            opened.push(given);
            return met.openWeather(...given);
          },
        };
        const { compute } = trial.services;
        const services = { met: { open: async () => counted }, compute, memoryBytes };
        return { answer: await computePlans(services, request, {}), opened: opened.length };
      };
      const together = await planIn(2 ** 28);
      // Three rows of one flight fit, those of two do not.
      const single = await planIn(1.5 * 73 * 3 * waypoints);
      expect(single.answer).toEqual(together.answer);
      expect([together.opened, single.opened]).toEqual([3, 6]);
    });

    test('profiles have samples of members, and warn where they are uneven', async () => {
      const answer = await plan(
        `profile?${HERE}&flight_levels=310,330,350&max_changes=1&met_members=all&uncertainty=4`,
      );
      const { alternatives = [], warnings } = answer.json<Plan>();
      expect(alternatives.length).toBeGreaterThan(0);
      for (const { verified } of alternatives) expect(verified.uncertainty).not.toBeNull();
      expect(warnings.join()).toMatch(/not a multiple of the 3 members/);
    });
  },
);
