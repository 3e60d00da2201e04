import { WARNINGS_HEADER } from '@contrails/platform/http/warnings';
import type { JobHandler } from '@contrails/platform/jobs';
import { createLog } from '@contrails/platform/log';
import { HOUR_MS } from '@contrails/runtime';
import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { routeHandler } from '../../../src/families/planning/route-job.ts';
import { ROUTE_ANSWER } from '../../../src/families/planning/route-schema.ts';
import { undescribed } from '../../support/closed-schema.ts';
import { startTrial } from '../trajectory/support.ts';

/** A second weather, for a second opinion. */
const OTHER = { name: 'other', kind: 'synthetic', resolution: 10, seed: 2 } as const;
const trial = await startTrial(10, [OTHER]);

const BODY = {
  origin: { longitude: -180, latitude: 40 },
  destination: { longitude: -170, latitude: 41 },
  departure_time: '2024-02-29T06:00:00Z',
  aircraft_type: 'A320',
};
/** From south to north between the ends. */
const WALL = [
  [-176, 0],
  [-174, 0],
  [-174, 80],
  [-176, 80],
  [-176, 0],
];
const SMALL =
  'flight_levels=310,330,350&corridor_km=100&offset_km=25&max_changes=1&contrails=none&max_age_hours=1&dt_integration_minutes=30';

function post(query: string, body: unknown, headers: Record<string, string> = {}) {
  return trial.send({
    method: 'POST',
    url: `/v1/planning/route?${query}`,
    headers: { 'x-api-key': trial.key, 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
  });
}

interface Verified {
  readonly cost: number;
  readonly energy_forcing_j: number;
  readonly waypoints: Record<string, unknown>;
}
interface RouteAnswer {
  readonly working: { readonly takeoff_mass: number };
  readonly routes: readonly { readonly name: string; readonly verified: Verified }[];
  readonly baseline: Verified;
  readonly chosen: Verified;
  readonly notes: readonly string[];
}

test('a route is verified, and its track posted as a flight has its energy forcing', async () => {
  const answer = await post(SMALL, BODY);
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  const { routes, baseline, chosen, working, notes } = answer.json<RouteAnswer>();
  expect(routes.map(({ name }) => name)).toEqual(['great_circle', 'wind_optimal', 'optimum']);
  expect(chosen.cost).toBeLessThanOrEqual(baseline.cost);
  expect(notes.join(' ')).toContain('only the areas you gave were avoided');
  const flown = await trial.send({
    method: 'POST',
    url: '/v0/trajectory/cocip?max_age_hours=1&dt_integration_minutes=30',
    headers: { 'x-api-key': trial.key, 'content-type': 'application/json' },
    payload: JSON.stringify({
      ...chosen.waypoints,
      aircraft_type: 'A320',
      takeoff_mass: working.takeoff_mass,
    }),
  });
  expect(flown.status, flown.text.slice(0, 500)).toBe(200);
  const { energy_forcing: forcing } = flown.json<{ energy_forcing: (number | null)[] }>();
  const sum = forcing.reduce<number>((total, joules) => total + (joules ?? 0), 0);
  expect(Math.abs(sum - chosen.energy_forcing_j)).toBeLessThanOrEqual(1e-5 * Math.abs(sum) + 1e6);
});

const FLIGHT = {
  longitude: [-180, -178, -176, -174, -172, -170],
  latitude: [40, 40, 40.5, 41, 41, 41],
  altitude: [10_000, 33_000, 33_000, 33_000, 33_000, 33_000],
  time: [0, 12, 24, 36, 48, 60].map((minute) => new Date(Date.UTC(2024, 1, 29, 6, minute)).toISOString()),
  aircraft_type: 'A320',
};

test('a flight is the baseline of a route between the ends of its cruise', async () => {
  const answer = await post(SMALL, { flight: FLIGHT });
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  const { baseline, chosen, routes } = answer.json<
    RouteAnswer & { baseline: { route: string; kind: string }; routes: { path: { longitude: number[] } }[] }
  >();
  expect(baseline).toMatchObject({ route: 'flight', kind: 'flown' });
  const along = baseline.waypoints.longitude as number[];
  expect([along[0], along.at(-1)]).toEqual([-178, -170]);
  expect(chosen.cost).toBeLessThanOrEqual(baseline.cost);
  expect(routes[0]?.path.longitude[0]).toBeCloseTo(-178, 6);
});

test('a flight file is a route with its flight as the baseline, and several flights are several routes', async () => {
  const { time, longitude, latitude, altitude } = FLIGHT;
  const csv = (...ids: string[]) =>
    [
      'flight_id,time,longitude,latitude,altitude,aircraft_type',
      ...ids.flatMap((id) =>
        time.map((one, i) => [id, one, longitude[i], latitude[i], altitude[i], 'A320'].join(',')),
      ),
    ].join('\n');
  const send = (payload: string) =>
    trial.send({
      method: 'POST',
      url: `/v1/planning/route?${SMALL}`,
      headers: { 'x-api-key': trial.key, 'content-type': 'text/csv' },
      payload,
    });
  const one = await send(csv('A'));
  expect(one.status, one.text.slice(0, 500)).toBe(200);
  const asJson = await post(SMALL, { flight: FLIGHT });
  expect(one.json<RouteAnswer>().chosen).toEqual(asJson.json<RouteAnswer>().chosen);
  expect(String(one.headers[WARNINGS_HEADER])).toContain('flight A: 6 waypoints');
  const two = await send(csv('A', 'B'));
  expect(two.json<{ routes: unknown[] }>().routes).toHaveLength(2);
});

test('a change says under how many metrics it is better, and what the cost counts', async () => {
  const answer = await post(`${SMALL}&carbon_price=0&co2e_metric=atr&horizon=20`, { flight: FLIGHT });
  const { cost, recommendation } = answer.json<{
    cost: Record<string, unknown>;
    recommendation: { reason: string; metrics: { better: number; of: number } | null };
  }>();
  expect(cost).toMatchObject({ co2e_metric: 'atr', efficacy: true, co2e_set: 'lee2021', horizon: 20 });
  expect(recommendation.reason).not.toBe('baseline_is_best');
  expect(recommendation.metrics?.of).toBe(9);
});

test('a second weather source has its say in the recommendation', async () => {
  const answer = await post(`${SMALL}&verify_with=other&met_source=demo`, BODY);
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  const {
    verified_with: second,
    chosen,
    recommendation,
  } = answer.json<
    RouteAnswer & {
      verified_with: { met_source: string; delta_cost: number; chosen: Verified };
      recommendation: { change: boolean };
    }
  >();
  expect(second.met_source).toBe('other');
  expect(second.chosen.cost).toBeGreaterThan(0);
  expect(second.chosen.cost).not.toBe(chosen.cost);
  if (second.delta_cost >= 0) expect(recommendation.change).toBe(false);
  const unknown = await post(`${SMALL}&verify_with=nowhere`, BODY);
  expect(unknown.status).toBe(400);
  expect(unknown.text).toContain('nowhere');
});

test('a run of a source is a second weather, and one that it does not have is refused', async () => {
  const runMs = Math.floor((Date.now() - 12 * HOUR_MS) / (6 * HOUR_MS)) * 6 * HOUR_MS;
  const run = (ms: number) => new Date(ms).toISOString();
  const body = { ...BODY, departure_time: run(runMs + 24 * HOUR_MS) };
  const answer = await post(`${SMALL}&verify_with=demo@${run(runMs)}`, body);
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  const { verified_with: second, chosen } = answer.json<
    RouteAnswer & { verified_with: { met_source: string; forecast_reference_time: string; chosen: Verified } }
  >();
  expect(second.met_source).toBe('demo');
  expect(Date.parse(second.forecast_reference_time)).toBe(runMs);
  // The made-up weather is the same in all of its runs.
  expect(second.chosen.cost).toBe(chosen.cost);
  const gone = await post(`${SMALL}&verify_with=demo@2001-01-01T00:00Z`, body);
  expect(gone.status).toBe(400);
  expect(gone.text).toContain('2001-01-01');
  const odd = await post(`${SMALL}&verify_with=demo@yesterday`, body);
  expect(odd.status).toBe(400);
  expect(odd.text).toContain('name@2027-02-03T06:00Z for a run');
});

test('no chosen route burns more above the baseline than is allowed', async () => {
  const { baseline, chosen } = (await post(`${SMALL}&max_extra_fuel_percent=0`, BODY)).json<{
    baseline: { fuel_kg: number };
    chosen: { fuel_kg: number };
  }>();
  expect(chosen.fuel_kg).toBeLessThanOrEqual(baseline.fuel_kg);
});

test('several routes are answered in their order, with the problem of one that has none', async () => {
  const far = { ...BODY, aircraft_type: 'XXXX' };
  const { routes } = (await post(SMALL, { routes: [BODY, far] })).json<{
    routes: ({ chosen: Verified } & { problem: { detail: string } })[];
  }>();
  expect(undescribed(ROUTE_ANSWER, { routes })).toEqual([]);
  expect(routes[0]?.chosen.cost).toBeGreaterThan(0);
  expect(routes[1]?.problem.detail).toContain('XXXX');
});

test('what is wrong with a body or a query is named', async () => {
  for (const [query, body, sentence] of [
    [SMALL, { ...BODY, origin: 'XXXX' }, 'send the ICAO code of an airport'],
    [SMALL, { ...BODY, destination: BODY.origin }, 'the same point'],
    [SMALL, { ...BODY, avoid: { type: 'Feature' } }, 'avoid is not a GeoJSON FeatureCollection'],
    [`${SMALL}&stage_km=5`, BODY, 'stage_km'],
    [SMALL, { flight: FLIGHT, origin: 'EGLL' }, 'origin is that of the flight'],
    [SMALL, { flight: { ...FLIGHT, aircraft_type: undefined } }, 'aircraft_type'],
    [SMALL, { flight: { ...FLIGHT, altitude: [0, 0, 0, 0, 0, 33_000] } }, 'in cruise'],
    [SMALL, { flight: 7 }, 'flight'],
    [`${SMALL}&neighbourhood_km=900`, BODY, 'neighbourhood_km'],
    [`${SMALL}&max_extra_fuel_percent=-1`, BODY, 'max_extra_fuel_percent'],
  ] as const) {
    const answer = await post(query, body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(sentence);
  }
});

test('a route to where it begins is refused, also between airports', async () => {
  for (const place of ['EGLL', { longitude: 8, latitude: 47 }]) {
    const answer = await post(SMALL, { ...BODY, origin: place, destination: place });
    expect([answer.status, answer.json<{ detail: string }>().detail]).toEqual([
      400,
      expect.stringContaining('are the same point'),
    ]);
  }
});

test('routes without stored contrail grids of the type are not found', async () => {
  const answer = await post('flight_levels=310,330', { ...BODY, aircraft_type: 'B738' });
  expect([400, 404]).toContain(answer.status);
  const other = await post('flight_levels=310,330', { ...BODY, aircraft_type: 'A388' });
  expect([other.status, other.json<{ detail: string }>().detail]).toEqual([
    400,
    expect.stringContaining('send contrails=compute or contrails=none, or send one of these types'),
  ]);
});

test('two jobs of several routes go on side by side, and each shows its progress', async () => {
  const handler = routeHandler({ ...trial.services, memoryBytes: 2 ** 28 });
  const worker = trial.services.jobs.work([handler], { concurrency: 2, log: createLog(trial.config.log) });
  const headers = { 'x-api-key': trial.key };
  try {
    const seen: number[][] = [[], []];
    const accepted = await Promise.all(
      [3, 4].map((length) =>
        post(SMALL, { routes: Array.from({ length }, () => BODY) }, { prefer: 'respond-async' }),
      ),
    );
    const results = await Promise.all(
      accepted.map((answer, job) =>
        until('a job of routes', async () => {
          const url = String(answer.headers.location);
          const { state, progress } = (await trial.send({ url, headers })).json<{
            state: string;
            progress: number;
          }>();
          expect(state).not.toBe('failed');
          seen[job]?.push(progress);
          return state === 'done' ? trial.send({ url: `${url}/result`, headers }) : undefined;
        }),
      ),
    );
    expect(results.map((result) => result.json<{ routes: unknown[] }>().routes.length)).toEqual([3, 4]);
    for (const progress of seen) expect(progress).toEqual([...progress].sort((a, b) => a - b));
    const listed = (await trial.send({ url: '/v0/jobs', headers })).json<{ jobs: { kind: string }[] }>();
    expect(listed.jobs.filter(({ kind }) => kind === 'route').length).toBeGreaterThanOrEqual(2);
  } finally {
    await worker.stop();
  }
});

test('a job that fails on the way goes on after the routes that it has stored, while another is cancelled', async () => {
  const log = createLog(trial.config.log);
  const headers = { 'x-api-key': trial.key };
  const length = 12;
  const accepted = await Promise.all(
    [0, 1].map(() =>
      post(SMALL, { routes: Array.from({ length }, () => BODY) }, { prefer: 'respond-async' }),
    ),
  );
  const [url, other] = accepted.map((answer) => String(answer.headers.location)) as [string, string];
  const partsOf = (at: string) => puts.filter((key) => key.includes(`${at.split('/').at(-1)}.parts/`));
  const puts: string[] = [];
  let hasFailed = false;
  const store = Object.assign(Object.create(trial.services.store), {
    put(key: string, ...rest: [Uint8Array]) {
      if (!hasFailed && partsOf(url).length === 2 && key.includes(url.split('/').at(-1) as string)) {
        hasFailed = true;
        return Promise.reject(new Error('the disk is full'));
      }
      puts.push(key);
      return trial.services.store.put(key, ...rest);
    },
  });
  const handler = routeHandler({ ...trial.services, store, memoryBytes: 2 ** 28 });
  const reported: number[] = [];
  const watched: JobHandler = {
    kind: handler.kind,
    run: (payload, context) =>
      handler.run(payload, {
        ...context,
        progress(fraction, note) {
          if (url.endsWith(context.id)) reported.push(fraction);
          context.progress(fraction, note);
        },
      }),
  };
  const worker = trial.services.jobs.work([watched], { concurrency: 2, log });
  const stateOf = async (at: string) =>
    (await trial.send({ url: at, headers })).json<{ state: string }>().state;
  try {
    await until('a route of the other', async () => partsOf(other).length > 0);
    await trial.send({ method: 'DELETE', url: other, headers });
    const result = await until(
      'the result of the job',
      async () => {
        const state = await stateOf(url);
        expect(state).not.toBe('failed');
        return state === 'done' ? trial.send({ url: `${url}/result`, headers }) : undefined;
      },
      { seconds: 90 },
    );
    expect(hasFailed).toBe(true);
    expect(result.json<{ routes: unknown[] }>().routes.length).toBe(length);
    // Progress goes on as well.
    const [before, after] = [reported.slice(0, 3), reported.slice(3)];
    expect(before).toEqual([0, 1, 2].map((k) => k / length));
    expect(after).toEqual(Array.from({ length: length - 1 }, (_, k) => (k + 2) / length));
    // Each route was stored once, and the parts are gone.
    expect(new Set(partsOf(url)).size).toBe(partsOf(url).length);
    expect(await trial.services.store.head(partsOf(url)[0] as string)).toBeUndefined();
    expect(await stateOf(other)).toBe('cancelled');
    expect(partsOf(other).length).toBeLessThan(length);
  } finally {
    await worker.stop();
  }
});

test('many routes become a job, whose result has all of them', async () => {
  const body = { routes: Array.from({ length: 11 }, () => BODY) };
  expect((await post(SMALL, body)).text).toContain('send Prefer: respond-async');
  const handler = routeHandler({ ...trial.services, memoryBytes: 2 ** 28 });
  const worker = trial.services.jobs.work([handler], { concurrency: 1, log: createLog(trial.config.log) });
  try {
    const avoid = {
      type: 'FeatureCollection',
      features: [{ type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [WALL] } }],
    };
    const two = { routes: [BODY, { ...BODY, avoid }] };
    const accepted = await post(SMALL, two, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    const headers = { 'x-api-key': trial.key };
    const url = String(accepted.headers.location);
    const result = await until('the result of the job', async () => {
      const { state } = (await trial.send({ url, headers })).json<{ state: string }>();
      expect(state).not.toBe('failed');
      return state === 'done' ? trial.send({ url: `${url}/result`, headers }) : undefined;
    });
    const { routes } = result.json<{ routes: (RouteAnswer & { optimum: string | null })[] }>();
    expect(routes.map(({ optimum }) => optimum)).toEqual(['optimum', null]);
  } finally {
    await worker.stop();
  }
});
