import { createCatalogue } from '@contrails/platform/database/catalogue';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { forecastMetrics } from '../../../src/families/forecast/metrics.ts';
import { BOX_GROUP, PRODUCT_GROUP } from '../../../src/forecast-products/manifest.ts';
import { rememberRun } from '../../../src/forecast-products/planned-runs.ts';
import { openDatabase } from '../../../src/migrations.ts';

const RUN = Date.UTC(2026, 0, 1, 6);
const HOUR = 3_600_000;

async function open() {
  const database = await openDatabase({ database: 'embedded', directory: await temporaryDirectory() });
  onTestFinished(() => database.close());
  const put = (key: string, more: { family?: string; edition?: string; source?: string; hour?: number }) =>
    createCatalogue(database).put({
      key,
      family: more.family ?? PRODUCT_GROUP,
      kind: 'cocip.B738',
      validTimeMs: RUN + (more.hour ?? 1) * HOUR,
      referenceTimeMs: more.family === BOX_GROUP ? null : RUN,
      attributes: { levels: '330-380', edition: more.edition ?? 'one', source: more.source ?? 'trial' },
      sha256: key,
      size: 10,
      createdMs: 0,
      manifest: {},
    });
  const read = async (name: string) =>
    forecastMetrics(database)
      .find((metric) => metric.name === `contrails_forecast_${name}`)
      ?.read();
  const plan = (parts: number) =>
    rememberRun(database, {
      source: 'trial',
      referenceTimeMs: RUN,
      firstValidMs: RUN + HOUR,
      lastValidMs: RUN + 2 * HOUR,
      parts,
      kinds: ['cocip.B738'],
      plannedMs: RUN,
    });
  return { put, read, plan };
}

test('a task that is stored in two editions, or of another source too, is published once', async () => {
  const { put, read, plan } = await open();
  await plan(2);
  await put('a', {});
  await put('b', { edition: 'two' });
  await put('c', { source: 'other', edition: 'three' });
  expect(await read('parts')).toEqual({ planned: 2, published: 1 });
});

test('never more tasks are published than planned', async () => {
  const { put, read, plan } = await open();
  await plan(1);
  await plan(1);
  await put('a', { hour: 1 });
  await put('b', { hour: 2 });
  expect(await read('parts')).toEqual({ planned: 2, published: 2 });
});

test('boxes are counted among the stored products', async () => {
  const { put, read } = await open();
  await put('a', {});
  await put('b', { family: BOX_GROUP });
  expect(await read('products')).toEqual({ files: 2, bytes: 20 });
});
