import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { createCatalogue } from '../../../src/database/catalogue.ts';
import { checkProducts } from '../../../src/doctor/products.ts';
import { planKind } from '../../../src/families/forecast/plan/jobs.ts';
import { planLost } from '../../../src/families/forecast/plan/replan.ts';
import { auditProducts, countLost, settleProducts } from '../../../src/products/lost.ts';
import { LOST_FAMILY, PRODUCT_FAMILY } from '../../../src/products/manifest.ts';
import { pruneProducts } from '../../../src/products/prune.ts';
import { startForecastServer } from './support/forecast-server.ts';

const { signal } = new AbortController();
/** One aircraft, one hour. */
const SMALL = { CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738', CONTRAILS_FORECAST__HOURS: '1' };

async function publishedServer() {
  const forecast = await startForecastServer(SMALL);
  const plan = await forecast.publish();
  const validTimeMs = plan.parts[0]?.task.validTimeMs ?? 0;
  const products = await createCatalogue(forecast.parts.database).find({ family: PRODUCT_FAMILY });
  const fileOf = (key: string) => join(forecast.parts.store.location, key);
  return { ...forecast, time: new Date(validTimeMs).toISOString(), products, fileOf };
}

test('a request that meets a missing file is answered 404 with Retry-After, and the product is computed again', async () => {
  const { parts, products, fileOf, time, get } = await publishedServer();
  for (const { key, kind } of products) if (kind === 'regions.default') await rm(fileOf(key));
  const url = `/v1/regions?time=${time}`;
  const missing = await get(url);
  expect(missing.status).toBe(404);
  expect(Number(missing.headers['retry-after'])).toBeGreaterThan(0);
  expect(missing.problem().detail).toContain('on its way');
  expect(await countLost(parts.database)).toBeGreaterThan(0);

  const again = await until('the product is back', async () => {
    const answer = await get(url);
    return answer.status === 200 ? answer : undefined;
  });
  expect(again.json<{ features: unknown[] }>().features.length).toBeGreaterThan(0);
  expect(await countLost(parts.database)).toBe(0);
  expect((await auditProducts(parts)).lost).toEqual([]);
});

test('a damaged file is found by the doctor, set aside by the upkeep and computed again with the same bytes', async () => {
  const { parts, products, fileOf } = await publishedServer();
  const [first, second] = products.filter(({ kind }) => kind.startsWith('cocip.'));
  if (first === undefined || second === undefined) throw new Error('nothing was published');
  await writeFile(fileOf(first.key), 'something else');
  await rm(fileOf(second.key));
  const finding = await checkProducts(parts);
  expect(finding).toMatchObject({ state: 'warn', remedy: expect.stringContaining('doctor --repair') });
  expect(finding.message).toMatch(/^2 of \d+ stored products .* 1 missing, 1 damaged/);

  await planLost(parts.jobs, await settleProducts(parts, signal));
  for (const { key, sha256 } of [first, second]) {
    await until(`${key} is back`, async () => (await parts.store.head(key))?.sha256 === sha256);
  }
  await until('nothing is lost', async () => (await countLost(parts.database)) === 0);
  expect(await checkProducts(parts)).toMatchObject({ state: 'ok' });
});

test('files that come back are products again without being computed', async () => {
  const { parts, products, fileOf, get, time } = await publishedServer();
  const aside = products.map(({ key }) => key);
  const bytes = new Map<string, Buffer>();
  for (const key of aside) {
    const found = await parts.store.read(key);
    bytes.set(key, Buffer.concat(found ? await found.body.toArray() : []));
    await rm(fileOf(key));
  }
  expect((await settleProducts(parts, signal)).length).toBe(products.length);
  expect(await checkProducts(parts)).toMatchObject({ state: 'fail' });
  expect((await get(`/v1/regions?time=${time}`)).status).toBe(404);
  for (const key of aside) await writeFile(fileOf(key), bytes.get(key) ?? '');
  expect(await settleProducts(parts, signal)).toEqual([]);
  expect((await get(`/v1/regions?time=${time}`)).status).toBe(200);
});

test('planning again leaves alone what is stored, and pruning forgets what is lost for good, but no reanalysis', async () => {
  const { parts, products, fileOf } = await publishedServer();
  const { id } = await parts.jobs.enqueue(planKind, {}, { key: 'look again' });
  const done = await until('the job is done', async () => {
    const job = await parts.jobs.get(id);
    return job?.state === 'done' ? job : undefined;
  });
  expect(done.result).toMatchObject({ new: 0 });
  const [product] = products;
  if (product === undefined) throw new Error('nothing was published');
  await rm(fileOf(product.key));
  await settleProducts(parts, signal);
  // The reanalysis of an archive is lost only until its files are back, such as when a disk is not mounted.
  const archived = 'forecast/reanalysis/2024-01-01T0000/cocip.B738.270-440.000000000000.nc';
  await parts.database.execute(
    `INSERT INTO products (key, family, kind, sha256, size, reference_time_ms, valid_time_ms, created_ms, attributes, manifest)
     SELECT $1, family, kind, sha256, size, NULL, valid_time_ms, created_ms, attributes, manifest
     FROM products WHERE key = $2`,
    [archived, product.key],
  );
  const inAMonth = Date.now() + 30 * 86_400_000;
  await pruneProducts(parts, { runs: 1, days: 7 }, inAMonth, signal);
  const lost = await createCatalogue(parts.database).find({ family: LOST_FAMILY });
  expect(lost.map(({ key }) => key)).toEqual([archived]);
});
