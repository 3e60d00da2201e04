import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { createCatalogue } from '@contrails/platform/database/catalogue';
import type { JobRecord } from '@contrails/platform/jobs';
import { pruneProducts } from '@contrails/platform/products/prune';
import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { adoptPlan } from '../../../src/families/forecast/plan/plan.ts';
import { planKind, taskKind } from '../../../src/forecast-products/jobs.ts';
import { GRID_PRODUCTS, PRODUCT_GROUP } from '../../../src/forecast-products/manifest.ts';
import { knownRuns } from '../../../src/forecast-products/planned-runs.ts';
import { taskName } from '../../../src/forecast-products/task.ts';
import type { Services } from '../../../src/services.ts';
import { startForecastServer } from './support/forecast-server.ts';

const HOUR = 3_600_000;
const { signal } = new AbortController();
/** One aircraft, one hour. */
const SMALL = { CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738', CONTRAILS_FORECAST__HOURS: '1' };

test('schedulers that look at once make every job once, and the run is published whole', async () => {
  const { services, plan } = await startForecastServer(SMALL);
  const looks = await Promise.all(
    Array.from({ length: 4 }, (_, k) => services.jobs.enqueue(planKind, {}, { key: `look ${k}` })),
  );
  for (const { id } of looks) expect((await ended(services, id)).state).toBe('done');
  const jobs = await taskJobs(services);
  const planned = (await plan()).tasks;
  expect(jobs.length).toBe(planned.length);
  for (const { id } of jobs) expect((await ended(services, id)).state).toBe('done');

  const products = await createCatalogue(services.database).find({ family: PRODUCT_GROUP });
  expect(products.length).toBe(3 * planned.length);
  for (const { key, sha256 } of products) {
    const stored = await services.store.read(key);
    const bytes = stored && (await buffer(stored.body));
    expect(bytes && createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  }
});

test('planned products are reported as on their way until they are stored', async () => {
  const forecast = await startForecastServer({ ...SMALL, CONTRAILS_WORKERS__JOBS: '1' });
  const { services, get } = forecast;
  const plan = await forecast.plan();
  await adoptPlan(services.database, plan, Date.now());
  const time = new Date(plan.tasks[0]?.task.validTimeMs ?? 0).toISOString();
  for (const url of [
    `/v1/grids?time=${time}&flight_level=350`,
    `/v1/regions?time=${time}`,
    `/v0/grid/cocip?time=${time}&aircraft_type=B738`,
  ]) {
    const answer = await get(url);
    expect(answer.status).toBe(404);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.problem().detail).toContain('on its way');
  }
  const { cocip } = (await get('/v0/grid/availability')).json<{ cocip: string[] }>();
  expect(cocip).toEqual([]);
});

test('products that failed for good or were cancelled are reported as not coming, and the rest as on their way', async () => {
  const forecast = await startForecastServer({ ...SMALL, CONTRAILS_FORECAST__LEVELS_PER_JOB: '6' });
  const { services, get } = forecast;
  const plan = await forecast.plan();
  await adoptPlan(services.database, plan, Date.now());
  const taskOf = (level: number) => {
    const found = plan.tasks.find(({ task }) => task.flightLevels.includes(level));
    if (found === undefined) throw new Error(`flight level ${level} is not planned`);
    return found.task;
  };
  const once = { ...taskKind, attempts: 1 };
  const failed = await services.jobs.enqueue(once, { ...taskOf(350), source: 'nowhere' });
  expect((await ended(services, failed.id)).state).toBe('failed');
  const later = { runAtMs: Date.now() + HOUR };
  const cancelled = await services.jobs.enqueue(taskKind, taskOf(440), later);
  await services.jobs.cancel(cancelled.id);

  const time = new Date(taskOf(350).validTimeMs).toISOString();
  const outlook = async (url: string) => {
    const answer = await get(`${url}time=${time}`);
    expect(answer.status).toBe(404);
    const [hint] = /on its way|will not come: job .*?;/.exec(answer.problem().detail) ?? [];
    return [hint, answer.headers['retry-after'] !== undefined];
  };
  const dead = `will not come: job ${failed.id}, which was to compute it, failed for good;`;
  expect(await outlook('/v1/grids?flight_level=350&')).toEqual([dead, false]);
  expect(await outlook('/v1/regions?')).toEqual([dead, false]);
  expect(await outlook('/v0/grid/cocip?aircraft_type=B738&flight_level=340,350&')).toEqual([dead, false]);
  expect(await outlook('/v1/regions?flight_level=440&')).toEqual([
    `will not come: job ${cancelled.id}, which was to compute it, was cancelled;`,
    false,
  ]);
  expect(await outlook('/v1/grids?flight_level=270&')).toEqual(['on its way', true]);

  await services.jobs.enqueue(taskKind, taskOf(440), later);
  expect(await outlook('/v1/regions?flight_level=440&')).toEqual(['on its way', true]);
});

test('the list of runs shows what is stored, under way, given up, superseded and planned', async () => {
  const forecast = await startForecastServer({ ...SMALL, CONTRAILS_FORECAST__HOURS: '3' });
  const { services, get } = forecast;
  expect((await get('/v1/forecast/runs')).json()).toEqual({ runs: [] });
  const newest = await forecast.plan();
  await adoptPlan(services.database, newest, Date.now());
  const at = (lead: number) => newest.referenceTimeMs + lead * HOUR;
  await forecast.publish({ leadHours: [1, 1] });
  const failing = newest.tasks.find(({ task }) => task.validTimeMs === at(2));
  if (failing === undefined) throw new Error('hour 2 is not planned');
  const { source: met_source } = failing.task;
  const once = { ...taskKind, attempts: 1 };
  const { id } = await services.jobs.enqueue(once, { ...failing.task, cellsPerDegree: 1e9 });
  await ended(services, id);
  const old = await forecast.plan({ referenceTimeMs: newest.referenceTimeMs - 6 * HOUR, leadHours: [6, 7] });
  await adoptPlan(services.database, old, Date.now());

  const answer = await get('/v1/forecast/runs');
  const { runs } = answer.json<{ runs: RunAnswer[] }>();
  const iso = (ms: number) => new Date(ms).toISOString().replace('.000', '');
  const statesOf = (run: RunAnswer | undefined) =>
    run?.aircraft_classes.map(({ aircraft_class, hours }) => [
      aircraft_class,
      hours.map(({ time, state, flight_levels }) => [time, state, flight_levels.length]),
    ]);
  expect(runs.map((run) => [run.forecast_reference_time, run.met_source])).toEqual([
    [iso(newest.referenceTimeMs), met_source],
    [iso(old.referenceTimeMs), met_source],
  ]);
  expect(statesOf(runs[0])).toEqual([
    [
      'default',
      [
        [iso(at(1)), 'published', 18],
        [iso(at(2)), 'failed', 0],
        [iso(at(3)), 'planned', 0],
      ],
    ],
  ]);
  expect(statesOf(runs[1])).toEqual([
    [
      'default',
      [
        [iso(at(0)), 'planned', 0],
        [iso(at(1)), 'superseded', 0],
      ],
    ],
  ]);
  expect((await get('/v1/forecast/runs?aircraft_class=high_e')).status).toBe(400);
  const research = await forecast.server.newKey({ scopes: ['research'] });
  expect((await get('/v1/forecast/runs', { 'x-api-key': research })).status).toBe(403);
});

test('a newer run supersedes what is still queued of the old one', async () => {
  const forecast = await startForecastServer(SMALL);
  const { services } = forecast;
  const newest = await forecast.plan();
  const old = await forecast.plan({ referenceTimeMs: newest.referenceTimeMs - 6 * HOUR, leadHours: [6, 7] });
  await adoptPlan(services.database, newest, Date.now());
  const results = new Map<number, unknown>();
  for (const { task } of old.tasks.filter(({ task }) => task.flightLevels.includes(350))) {
    const { id } = await services.jobs.enqueue(
      taskKind,
      { ...task, evenIfOld: false },
      { key: taskName(task) },
    );
    results.set((task.validTimeMs - newest.referenceTimeMs) / HOUR, (await ended(services, id)).result);
  }
  expect(results.get(1)).toEqual({ skipped: expect.stringMatching(/^superseded by the run of 20/) });
  expect(results.get(0)).toMatchObject({ contrails: expect.any(Number), bytes: expect.any(Number) });
});

test('a second run of a job finds its product published and does nothing', async () => {
  const forecast = await startForecastServer(SMALL);
  const [first] = (await forecast.publish({}, 350)).tasks;
  if (first === undefined) throw new Error('nothing was planned');
  const { id } = await forecast.services.jobs.enqueue(taskKind, first.task, { key: 'again' });
  expect((await ended(forecast.services, id)).result).toEqual({ skipped: 'published before' });
});

test('pruning removes outdated products and files that never became any, and servers stop offering them', async () => {
  const forecast = await startForecastServer(SMALL);
  const { services, get } = forecast;
  const { referenceTimeMs } = await forecast.publish();
  await services.store.put('forecast/orphan.nc', Buffer.from('half a forecast'));
  const inAWeek = referenceTimeMs + 9 * 24 * HOUR;
  const removed = await pruneProducts(services, GRID_PRODUCTS, { runs: 1, days: 7 }, inAWeek, signal);
  expect(removed).toBe(3 * 3 + 1);
  expect(await createCatalogue(services.database).find({ family: PRODUCT_GROUP })).toEqual([]);
  const left: string[] = [];
  for await (const { key } of services.store.list('forecast/')) left.push(key);
  expect(left).toEqual([]);
  expect((await get('/v0/grid/availability')).json<{ cocip: string[] }>().cocip).toEqual([]);
});

test('a run that goes on arriving grows in the list of runs', async () => {
  const forecast = await startForecastServer(SMALL);
  const plan = await forecast.plan({ leadHours: [3, 4] });
  await adoptPlan(forecast.services.database, plan, 1);
  await adoptPlan(forecast.services.database, await forecast.plan({ leadHours: [1, 2] }), 2);
  const [run] = await knownRuns(forecast.services.database);
  expect(run).toMatchObject({
    source: 'trial',
    firstValidMs: plan.referenceTimeMs + HOUR,
    lastValidMs: plan.referenceTimeMs + 4 * HOUR,
    plannedMs: 1,
  });
});

interface RunAnswer {
  readonly forecast_reference_time: string;
  readonly met_source: string;
  readonly aircraft_classes: {
    readonly aircraft_class: string;
    readonly hours: {
      readonly time: string;
      readonly state: string;
      readonly flight_levels: readonly number[];
    }[];
  }[];
}

async function taskJobs({ jobs }: Services): Promise<JobRecord[]> {
  return (await jobs.list({ kind: taskKind.name, limit: 1000 })).jobs;
}

async function ended({ jobs }: Services, id: string): Promise<JobRecord> {
  return until(`job ${id} has ended`, async () => {
    const job = await jobs.get(id);
    return job !== undefined && ['done', 'failed', 'cancelled'].includes(job.state) && job;
  });
}
