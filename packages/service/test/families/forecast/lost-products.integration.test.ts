import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCatalogue } from '@contrails/platform/database/catalogue';
import { lostGroup } from '@contrails/platform/products/kinds';
import { auditProducts, countLost, settleProducts } from '@contrails/platform/products/lost';
import { pruneProducts } from '@contrails/platform/products/prune';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { until } from '../../../../../test/support/until.ts';
import { checkProducts, repairProducts } from '../../../src/doctor/products.ts';
import { planKind } from '../../../src/forecast-products/jobs.ts';
import { GRID_PRODUCTS, PRODUCT_GROUP } from '../../../src/forecast-products/manifest.ts';
import { planLost } from '../../../src/forecast-products/replan.ts';
import { startForecastServer } from './support/forecast-server.ts';

const { signal } = new AbortController();
/** One aircraft, one hour. */
const SMALL = { CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738', CONTRAILS_FORECAST__HOURS: '1' };

/** The data of a service that has published it and was stopped. */
const prepared = await publishedData();

async function publishedData() {
  const data = await temporaryDirectory();
  const forecast = await startForecastServer({ ...SMALL, CONTRAILS_DATA: data });
  const [planned] = (await forecast.publish()).tasks;
  await forecast.close();
  return { data, validTimeMs: planned?.task.validTimeMs ?? 0 };
}

async function publishedServer(more: Record<string, string> = {}) {
  const data = await temporaryDirectory();
  await cp(prepared.data, data, { recursive: true });
  const forecast = await startForecastServer({ ...SMALL, ...more, CONTRAILS_DATA: data });
  const { validTimeMs } = prepared;
  const products = await createCatalogue(forecast.services.database).find({ family: PRODUCT_GROUP });
  const fileOf = (key: string) => join(forecast.services.store.location, key);
  return { ...forecast, time: new Date(validTimeMs).toISOString(), products, fileOf };
}

test('a request that meets a missing file is answered 404 with Retry-After, and the product is computed again', async () => {
  const { services, products, fileOf, time, get } = await publishedServer();
  for (const { key, kind } of products) if (kind === 'regions.default') await rm(fileOf(key));
  const url = `/v1/regions?time=${time}`;
  const missing = await get(url);
  expect(missing.status).toBe(404);
  expect(Number(missing.headers['retry-after'])).toBeGreaterThan(0);
  expect(missing.problem().detail).toContain('on its way');
  expect(await countLost(services.database, GRID_PRODUCTS)).toBeGreaterThan(0);

  const again = await until('the product is back', async () => {
    const answer = await get(url);
    return answer.status === 200 ? answer : undefined;
  });
  expect(again.json<{ features: unknown[] }>().features.length).toBeGreaterThan(0);
  expect(await countLost(services.database, GRID_PRODUCTS)).toBe(0);
  expect((await auditProducts(services, GRID_PRODUCTS)).lost).toEqual([]);
});

test.each([
  ['a forecast', '/v1/regions?'],
  ['a contrail grid', '/v0/grid/cocip?aircraft_type=B738&flight_level=350&'],
])(
  '%s whose file goes missing after its answer left the memory is found lost and planned again',
  async (_, path) => {
    const { products, fileOf, time, get } = await publishedServer({
      CONTRAILS_GRID__RESULTS_MIB: '0',
    });
    const url = `${path}time=${time}`;
    expect((await get(url)).status).toBe(200);
    for (const { key } of products) await rm(fileOf(key));
    const missing = await get(url);
    expect([missing.status, missing.headers['retry-after']]).toEqual([404, '60']);
    expect(missing.problem().detail).toContain('computed again');
    await until('the product is back', async () => (await get(url)).status === 200);
  },
);

test('a plan of a run whose weather is gone does not fail', async () => {
  const { services } = await startForecastServer(SMALL);
  const request = { source: 'trial', referenceTimeMs: Date.UTC(2020, 0, 1), leadHours: [1, 1] };
  const { id } = await services.jobs.enqueue(planKind, request);
  const ended = await until('the job has ended', async () => {
    const job = await services.jobs.get(id);
    return job?.finishedMs === null ? undefined : job;
  });
  expect(ended).toMatchObject({
    state: 'done',
    result: { parts: 0, skipped: expect.stringContaining('2020-01-01') },
  });
});

test('a damaged file is found by the doctor, set aside by the upkeep and computed again with the same bytes', async () => {
  const { services, products, fileOf } = await publishedServer();
  const [first, second] = products.filter(({ kind }) => kind.startsWith('cocip.'));
  if (first === undefined || second === undefined) throw new Error('nothing was published');
  await writeFile(fileOf(first.key), 'something else');
  await rm(fileOf(second.key));
  const finding = await checkProducts(services);
  expect(finding).toMatchObject({ state: 'warn', remedy: expect.stringContaining('doctor --repair') });
  expect(finding.message).toMatch(/^2 of \d+ stored products .* 1 missing, 1 damaged/);

  const lost = await settleProducts(services, GRID_PRODUCTS, signal);
  const nowMs = Date.now();
  expect(await planLost(services.jobs, lost, nowMs)).toBe(2);
  // The same loss is planned once in an hour, and again later: the first plan may have failed.
  expect(await planLost(services.jobs, lost, nowMs)).toBe(0);
  expect(await planLost(services.jobs, lost, nowMs + 3_600_000)).toBe(2);
  for (const { key, sha256 } of [first, second]) {
    await until(`${key} is back`, async () => (await services.store.head(key))?.sha256 === sha256);
  }
  await until('nothing is lost', async () => (await countLost(services.database, GRID_PRODUCTS)) === 0);
  expect(await checkProducts(services)).toMatchObject({ state: 'ok' });
});

test('files that come back are products again without being computed', async () => {
  const { services, products, fileOf, get, time } = await publishedServer();
  const aside = products.map(({ key }) => key);
  const bytes = new Map<string, Buffer>();
  for (const key of aside) {
    const found = await services.store.read(key);
    bytes.set(key, Buffer.concat(found ? await found.body.toArray() : []));
    await rm(fileOf(key));
  }
  expect((await settleProducts(services, GRID_PRODUCTS, signal)).length).toBe(products.length);
  expect(await checkProducts(services)).toMatchObject({ state: 'fail' });
  expect((await get(`/v1/regions?time=${time}`)).status).toBe(404);
  for (const key of aside) await writeFile(fileOf(key), bytes.get(key) ?? '');
  expect(await settleProducts(services, GRID_PRODUCTS, signal)).toEqual([]);
  expect((await get(`/v1/regions?time=${time}`)).status).toBe(200);
});

test('planning again leaves alone what is stored, and pruning forgets what is lost for good, but no reanalysis', async () => {
  const { services, products, fileOf } = await publishedServer();
  const { id } = await services.jobs.enqueue(planKind, {}, { key: 'look again' });
  const done = await until('the job is done', async () => {
    const job = await services.jobs.get(id);
    return job?.state === 'done' ? job : undefined;
  });
  expect(done.result).toMatchObject({ new: 0 });
  const [product] = products;
  if (product === undefined) throw new Error('nothing was published');
  await rm(fileOf(product.key));
  await settleProducts(services, GRID_PRODUCTS, signal);
  // The reanalysis of an archive is lost only until its files are back, such as when a disk is not mounted.
  const archived = 'forecast/reanalysis/2024-01-01T0000/cocip.B738.270-440.000000000000.nc';
  await services.database.execute(
    `INSERT INTO products (key, family, kind, sha256, size, reference_time_ms, valid_time_ms, created_ms, attributes, manifest)
     SELECT $1, family, kind, sha256, size, NULL, valid_time_ms, created_ms, attributes, manifest
     FROM products WHERE key = $2`,
    [archived, product.key],
  );
  expect(await repairProducts(services)).toEqual({ lost: 2, planned: 1 });
  const inAMonth = Date.now() + 30 * 86_400_000;
  await pruneProducts(services, GRID_PRODUCTS, { runs: 1, days: 7 }, inAMonth, signal);
  const lost = await createCatalogue(services.database).find({ family: lostGroup(PRODUCT_GROUP) });
  expect(lost.map(({ key }) => key)).toEqual([archived]);
});
