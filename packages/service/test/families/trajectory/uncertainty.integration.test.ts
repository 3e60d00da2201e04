import { openCompute } from '@contrails/engine/compute';
import { computeTrajectories } from '@contrails/engine/flights/compute';
import { needsOf } from '@contrails/engine/flights/needs';
import { DEFAULT_TRAJECTORY_OPTIONS } from '@contrails/engine/flights/options';
import { readFleet } from '@contrails/engine/flights/read-fleet';
import { requestFromBytes, requestToBytes } from '@contrails/engine/flights/request-bytes';
import { uncertaintyOf } from '@contrails/engine/flights/uncertainty';
import { groupsOfSet } from '@contrails/physics/uncertainty';
import { Rejected } from '@contrails/runtime/options/rejected';
import { afterAll, describe, expect, test } from 'vitest';
import { fleetBody, flightBody, startTrial } from './support.ts';

const trial = await startTrial();

/** Through air in which contrails persist, in the synthetic weather of these tests. */
const WET = { waypoints: 40, latitude: 40, longitude: -180, stepS: 120, eastward: 0.45, cruiseFt: 33_000 };
const FLIGHT = { ...flightBody(WET), aircraft_type: 'A320', flight_id: 'one' };

interface Statistics extends Record<'mean' | 'sd' | 'standard_error' | 'q05' | 'q50' | 'q95', number> {}
interface Uncertainty {
  readonly samples: number;
  readonly seed: number;
  readonly parameters: Record<string, unknown>;
  readonly totals: Record<'energy_forcing' | 'co2e_gwp100' | 'persistent_km', Statistics>;
  readonly probability_warming: number;
  readonly probability_cooling: number;
  readonly probability_persistent: number;
  readonly waypoints: Record<string, (number | null)[]>;
  readonly sensitivity?: Record<string, { total: number | null; first_order: number | null }>;
  readonly sample_values?: Record<string, number[]>;
}
interface Answer extends Record<string, unknown> {
  readonly energy_forcing: number[];
  readonly uncertainty: Uncertainty & { flights: Uncertainty[]; fleet: Uncertainty };
}

async function ask(query: string, body: object = FLIGHT): Promise<Answer> {
  const answer = await trial.post(`cocip${query}`, body);
  expect(answer.text.slice(0, 500)).not.toMatch(/"errors"/);
  expect(answer.status).toBe(200);
  return answer.json<Answer>();
}

test('everything but `uncertainty` stays the nominal answer', async () => {
  const plain = await ask('');
  const { uncertainty, ...nominal } = await ask('?uncertainty=6');
  expect(nominal).toEqual(plain);
  expect(uncertainty).toMatchObject({ samples: 6, seed: 0, set: 'default', sampling: 'random' });
  expect(uncertainty.totals.energy_forcing.sd).toBeGreaterThan(0);
  for (const name of ['probability_warming', 'probability_cooling', 'probability_persistent'] as const) {
    expect(uncertainty[name]).toBeGreaterThanOrEqual(0);
    expect(uncertainty[name]).toBeLessThanOrEqual(1);
  }
  expect(uncertainty.waypoints.q50).toHaveLength(WET.waypoints);
  expect(uncertainty).not.toHaveProperty('sensitivity');
  expect(uncertainty).not.toHaveProperty('sample_values');
});

test('the first samples of many are those of few, and another seed has others', async () => {
  const samplesOf = async (query: string) =>
    (await ask(`${query}&include=samples`)).uncertainty.sample_values?.energy_forcing ?? [];
  const [few, many, other] = [
    await samplesOf('?uncertainty=4'),
    await samplesOf('?uncertainty=9'),
    await samplesOf('?uncertainty=4&seed=7'),
  ];
  expect(many.slice(0, 4)).toEqual(few);
  expect(other).not.toEqual(few);
});

test('a flight of a fleet has the samples that it has alone, and the fleet has their sums', async () => {
  const others = flightBody({ ...WET, latitude: 44 });
  const alone = await ask('?uncertainty=5', { ...flightBody(WET), aircraft_type: 'A320' });
  const { uncertainty } = await ask('?uncertainty=5&include=samples', fleetBody([others, flightBody(WET)]));
  expect(uncertainty.flights[1]?.totals).toEqual(alone.uncertainty.totals);
  expect(uncertainty.flights[1]?.waypoints).toEqual(alone.uncertainty.waypoints);
  const means = uncertainty.flights.map(({ totals }) => totals.energy_forcing.mean);
  const sum = means.reduce((total, mean) => total + mean, 0);
  expect(uncertainty.fleet.totals.energy_forcing.mean / sum).toBeCloseTo(1, 9);
});

test('only drawn groups vary, and only they are in the sensitivity', async () => {
  const { uncertainty } = await ask(
    '?uncertainty=6&uncertainty_parameters=rf_lw,nvpm&sensitivity=true&include=samples',
  );
  expect(Object.keys(uncertainty.parameters).sort()).toEqual([
    'nvpm_ei_n_enhancement_factor',
    'rf_lw_enhancement_factor',
  ]);
  expect(Object.keys(uncertainty.sensitivity ?? {}).sort()).toEqual(['nvpm', 'rf_lw']);
  expect(new Set(uncertainty.sample_values?.initial_wake_vortex_depth)).toEqual(new Set([0.5]));
});

test('at night the energy forcing is in proportion to the longwave factor', async () => {
  // An evening at the antimeridian, and contrails that end before the sun rises.
  const night = {
    ...flightBody({ ...WET, start: '2024-02-29T07:00:00Z' }),
    aircraft_type: 'A320',
  };
  const query = '&max_age_hours=2';
  const nominal = await ask(`?include=co2e${query}`, night);
  const total = (nominal.totals as { energy_forcing: number }).energy_forcing;
  const { uncertainty } = await ask(
    `?uncertainty=5&uncertainty_parameters=rf_lw&include=samples${query}`,
    night,
  );
  expect(total).toBeGreaterThan(0);
  uncertainty.sample_values?.energy_forcing?.forEach((joules, s) => {
    const factor = uncertainty.sample_values?.rf_lw_enhancement_factor?.[s] ?? Number.NaN;
    expect(joules / total / factor).toBeCloseTo(1, 5);
  });
});

describe('for any number of threads', () => {
  const twoThreads = openCompute({ threads: 2, maxQueue: 100 });
  afterAll(() => twoThreads.close());

  test('the same bits, also after the request was a file', async () => {
    const fleet = readFleet(FLIGHT, needsOf('cocip', []));
    if (fleet instanceof Rejected) throw new Error('the flight is not valid');
    const uncertainty = uncertaintyOf({ uncertainty: 7, sensitivity: true });
    if (uncertainty === undefined) throw new Error('there are no samples');
    expect(uncertainty.groups).toEqual(groupsOfSet('default'));
    const options = { ...DEFAULT_TRAJECTORY_OPTIONS, uncertainty };
    const request = { model: 'cocip', fleet, options, unitWarnings: [] } as const;
    const read = requestFromBytes(requestToBytes(request));
    const answers = await Promise.all(
      [trial.services.compute, twoThreads].map(async (compute, k) => {
        const services = { met: trial.services.met, compute };
        return (await computeTrajectories(services, k === 1 ? read : request, {})).answer.uncertainty;
      }),
    );
    expect(answers[1]).toEqual(answers[0]);
  });
});

test.each([
  ['?uncertainty=1000000', 'from 2 to 1000'],
  ['?uncertainty=1', 'from 2 to 1000'],
  ['?uncertainty=5.5', 'whole number'],
  ['?uncertainty=5&seed=-1', 'seed'],
  ['?uncertainty=5&uncertainty_parameters=winds', 'choose from humidity'],
  ['?uncertainty=5&uncertainty_set=all', 'default, library'],
  ['?uncertainty=5&sampling=grid', 'random, lhs'],
  ['?sensitivity=true', 'add uncertainty'],
  ['?uncertainty=1000&sensitivity=true', '10000 runs'],
])('%s is refused with a remedy', async (query, told) => {
  const answer = await trial.post(`cocip${query}`, FLIGHT);
  expect(answer.status).toBe(422);
  expect(answer.json<{ detail: string }>().detail).toContain(told);
});

test('more waypoints than are sampled at once are refused', async () => {
  const body = fleetBody(
    Array.from({ length: 12 }, () => flightBody({ ...WET, waypoints: 2000, stepS: 40, eastward: 0.01 })),
  );
  const answer = await trial.post('cocip?uncertainty=1000', body);
  expect(answer.status).toBe(422);
  expect(answer.json<{ detail: string }>().detail).toContain('24000 waypoints');
});
