import { memoryFile } from '@contrails/platform/http/files';
import { createJobs } from '@contrails/platform/jobs/create';
import { createEmbeddedEngine } from '@contrails/platform/jobs/embedded/engine';
import { LostProductError } from '@contrails/platform/products/read';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { withoutLost } from '../../../src/forecast-products/lost.ts';
import type { StoredProduct } from '../../../src/forecast-products/manifest.ts';
import { openDatabase } from '../../../src/migrations.ts';

const product = (key: string): StoredProduct => ({
  key,
  family: 'forecast',
  kind: 'regions.default',
  validTimeMs: 0,
  referenceTimeMs: 0,
  attributes: {},
  sha256: key,
  size: 1,
  createdMs: 0,
  manifest: {
    cells_per_degree: 1,
    flight_levels: [350],
    attributes: {},
    weather: { source: 'trial' },
    model: { version: '1', settings: 'one' },
  },
});

async function services() {
  const database = await openDatabase({ database: 'embedded', directory: await temporaryDirectory() });
  const jobs = createJobs(database, createEmbeddedEngine(database));
  onTestFinished(async () => {
    await jobs.close();
    await database.close();
  });
  return { database, jobs };
}

test('two lost products that come up in turns end the search', async () => {
  const attempted: string[] = [];
  const attempt = async () => {
    const key = attempted.length % 2 === 0 ? 'one' : 'other';
    attempted.push(key);
    if (attempted.length > 10) return memoryFile(new Uint8Array(), 0);
    throw new LostProductError(product(key));
  };
  await expect(withoutLost(await services(), attempt)).rejects.toThrow(LostProductError);
  expect(attempted).toEqual(['one', 'other', 'one']);
});

test('a product that is lost does not keep the next one from being served', async () => {
  let attempts = 0;
  const file = await withoutLost(await services(), async () => {
    attempts += 1;
    if (attempts < 4) throw new LostProductError(product(`product ${attempts}`));
    return memoryFile(Buffer.from('next'), 0);
  });
  expect(String(await file.open(undefined))).toBe('next');
});
