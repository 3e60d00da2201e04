import { createCatalogue } from '@contrails/platform/database/catalogue';
import { pruneProducts } from '@contrails/platform/products/prune';
import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { BOX_GROUP, GRID_PRODUCTS, PRODUCT_GROUP } from '../../../src/forecast-products/manifest.ts';
import type { Services } from '../../../src/services.ts';
import { startForecastServer } from './support/forecast-server.ts';

const TIME = '2024-06-12T03';
const BOX = `/v0/grid/cocip?time=${TIME}&aircraft_type=B738&bbox=-60,30,10,70&flight_level=330,370`;
const LEVELS = `/v0/grid/cocip?time=${TIME}&aircraft_type=B738&flight_level=330,370`;
/** However busy the machine that runs the tests is. */
const PATIENT = { CONTRAILS_GRID__COMPUTE_SECONDS: '600' };
const DAY = 86_400_000;
const WAIT = { pauseMs: 100 };

const pruneBoxes = (services: Services) =>
  pruneProducts(
    services,
    GRID_PRODUCTS,
    { runs: 1, days: 7 },
    Date.now() + 30 * DAY,
    new AbortController().signal,
  );

test('a box of the past is computed when it is asked for, and stored', async () => {
  const { get, server, services } = await startForecastServer(PATIENT);
  const spent = async () => (await server.usage()).reduce((sum, row) => sum + row.computeSeconds, 0);
  const first = await get(BOX);
  expect([first.status, first.headers['content-type']]).toEqual([200, 'application/netcdf']);
  const computed = await spent();
  expect(computed).toBeGreaterThan(0);
  // What is kept in memory is the answer, once.
  expect(services.results.bytes).toBe(first.bytes.length);
  const boxes = await createCatalogue(services.database).find({ family: BOX_GROUP });
  expect(boxes.map(({ kind, referenceTimeMs }) => [kind, referenceTimeMs])).toEqual([['cocip.B738', null]]);

  const again = await get(BOX);
  expect(again.bytes.equals(first.bytes)).toBe(true);
  const polygons = await get(`${BOX}&format=geojson&threshold=1e7&simplify=0`);
  expect(polygons.json<{ features: unknown[] }>().features.length).toBe(2);
  // Polygons are made of the stored box, not of new contrails.
  expect(await createCatalogue(services.database).find({ family: BOX_GROUP })).toEqual(boxes);

  const whole = await get(LEVELS);
  expect(whole.status).toBe(200);
  expect((await createCatalogue(services.database).find({ family: PRODUCT_GROUP })).length).toBe(1);
  const cut = await get(BOX);
  expect(cut.bytes.equals(first.bytes)).toBe(true);

  await pruneBoxes(services);
  expect(await createCatalogue(services.database).find({ family: BOX_GROUP })).toEqual([]);
  expect((await createCatalogue(services.database).find({ family: PRODUCT_GROUP })).length).toBe(1);
});

test('a box of any time with weather is computed, and times before it get the range', async () => {
  const { get } = await startForecastServer(PATIENT);
  const small = (time: string | number) =>
    get(`/v0/grid/cocip?time=${time}&aircraft_type=B738&bbox=-30,40,-25,45&flight_level=350`);
  for (const time of ['1970-01-02T06', '1995-07-01T03', 0]) {
    expect([time, (await small(time)).status]).toEqual([time, 200]);
  }
  const before = await small('1965-01-01T00');
  expect([before.status, before.problem().detail]).toEqual([404, expect.stringMatching(/1970-01-01T0/)]);
});

test('levels with others between them are not taken for all of these', async () => {
  const { get } = await startForecastServer(PATIENT);
  const some = `${BOX.replace('330,370', '330,350')}`;
  const all = `${BOX.replace('330,370', '330,340,350')}`;
  expect((await get(some)).status).toBe(200);
  const answer = await get(`${all}&format=geojson`);
  expect(answer.json<{ features?: unknown[] }>()).toMatchObject({ features: [{}, {}, {}] });
});

test('what takes longer than a request may compute becomes a job, and is there when it is done', async () => {
  const { get, services } = await startForecastServer({ CONTRAILS_GRID__COMPUTE_SECONDS: '0' });
  const answer = await get(BOX);
  expect([answer.status, answer.headers['retry-after']]).toEqual([404, '30']);
  expect(answer.problem().detail).toContain('Prefer: respond-async');
  await until('the grid is stored', async () => (await get(BOX)).status === 200, WAIT);
  const countJobs = async () => (await services.jobs.list({ kind: 'grid.cocip' })).jobs.length;
  expect(await countJobs()).toBe(1);
  for (const count of [2, 3]) {
    await pruneBoxes(services);
    await until('the grid is stored again', async () => (await get(BOX)).status === 200, WAIT);
    expect(await countJobs()).toBe(count);
  }
});

test('with respond-async the response names the job, and its result is the grid', async () => {
  const { get } = await startForecastServer(PATIENT);
  const accepted = await get(BOX, { prefer: 'respond-async' });
  expect([accepted.status, accepted.headers['preference-applied']]).toEqual([202, 'respond-async']);
  const location = String(accepted.headers.location);
  const job = async () => (await get(location)).json<{ state: string; result_url?: string }>();
  await until('the job is done', async () => (await job()).state === 'done', WAIT);
  const { result_url = '' } = await job();
  const grid = await get(result_url);
  expect([grid.status, grid.headers['content-type']]).toEqual([200, 'application/netcdf']);
  const result = await get(`${location}/result`);
  expect([result.status, result.headers.location]).toEqual([303, result_url]);
  // What is stored needs no job.
  expect((await get(BOX, { prefer: 'respond-async' })).status).toBe(200);
});

test('a job of any time with weather is done at its first attempt, and times before it make none', async () => {
  const { get, services } = await startForecastServer(PATIENT);
  const accept = (time: string) =>
    get(`/v0/grid/cocip?time=${time}&aircraft_type=B738&bbox=-30,40,-25,45&flight_level=350`, {
      prefer: 'respond-async',
    });
  const accepted = await accept('1995-07-01T03');
  expect(accepted.status).toBe(202);
  const id = String(accepted.headers.location).slice('/v0/jobs/'.length);
  await until('the job has ended', async () => (await services.jobs.get(id))?.finishedMs, WAIT);
  expect(await services.jobs.get(id)).toMatchObject({ state: 'done', attempt: 1, error: null });
  const before = await accept('1965-07-01T03');
  expect([before.status, before.problem().detail]).toEqual([404, expect.stringMatching(/1970-01-01T0/)]);
  expect((await services.jobs.list({ kind: 'grid.cocip' })).jobs).toHaveLength(1);
});

test('availability lists what is stored and what is computed on request', async () => {
  const { get } = await startForecastServer(PATIENT);
  const { cocip, cocip_on_request } = (await get('/v0/grid/availability')).json<Record<string, string[]>>();
  const [first = '', last = ''] = cocip_on_request ?? [];
  expect(cocip).toEqual([]);
  expect([first < TIME, last > TIME]).toEqual([true, true]);
  const ofHour = (time: string) => get(BOX.replace(TIME, time));
  expect((await ofHour(last)).status).toBe(200);
  const after = await ofHour(new Date(Date.parse(last) + 3_600_000).toISOString());
  expect(after.status).toBe(404);
  expect(after.problem().detail).toContain(`reanalysis of ${first} to ${last} is computed on request`);
});
