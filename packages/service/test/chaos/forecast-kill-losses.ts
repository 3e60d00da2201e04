import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { createCatalogue } from '@contrails/platform/database/catalogue';
import type { JobRecord } from '@contrails/platform/jobs';
import { PRODUCT_GROUP } from '../../src/forecast-products/manifest.ts';
import {
  cocipKind,
  type ForecastTask,
  indexKind,
  productKey,
  regionsKind,
} from '../../src/forecast-products/task.ts';
import type { Services } from '../../src/services.ts';

/** Compares what is stored with what was planned: every product once, whole, with its checksum, and nothing else. */
export async function forecastLosses(
  { database, store }: Pick<Services, 'database' | 'store'>,
  planned: readonly ForecastTask[],
  records: readonly JobRecord[],
): Promise<{ products: number; losses: string[] }> {
  const losses = records
    .filter(({ state }) => state !== 'done')
    .map(({ id, error }) => `job ${id}: ${error}`);
  if (records.length !== planned.length) {
    losses.push(`${records.length} jobs for ${planned.length} parts`);
  }
  const products = await createCatalogue(database).find({ family: PRODUCT_GROUP });
  const expected = new Set(planned.flatMap(keysOf));
  const catalogued = new Set(products.map(({ key }) => key));
  for (const key of expected) if (!catalogued.has(key)) losses.push(`${key} was not published`);
  for (const key of catalogued) if (!expected.has(key)) losses.push(`${key} was not planned`);
  for await (const { key } of store.list(`${PRODUCT_GROUP}/`)) {
    if (!catalogued.has(key)) losses.push(`${key} is in the store alone`);
  }
  for (const { key, sha256, size } of products) {
    const opened = await store.read(key);
    const bytes = opened === undefined ? undefined : await buffer(opened.body);
    const actual = bytes && createHash('sha256').update(bytes).digest('hex');
    if (actual !== sha256 || bytes?.length !== size) losses.push(`${key} is not what the catalogue lists`);
  }
  return { products: products.length, losses };
}

function keysOf(task: ForecastTask): string[] {
  const { aircraftClass } = task;
  return [
    productKey(task, cocipKind(task), 'nc'),
    ...(aircraftClass === undefined
      ? []
      : [
          productKey(task, indexKind(aircraftClass), 'nc'),
          productKey(task, regionsKind(aircraftClass), 'geojson'),
        ]),
  ];
}
