import { copyFile, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generationOfTimes } from '@contrails/met';
import { createCatalogue } from '@contrails/platform/database/catalogue';
import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { adoptPlan } from '../../../src/families/forecast/plan/plan.ts';
import { taskKind } from '../../../src/forecast-products/jobs.ts';
import { PRODUCT_GROUP, storedProduct } from '../../../src/forecast-products/manifest.ts';
import { startGridServer } from '../grid/support/grid-server.ts';
import { type ForecastServer, startForecastServer } from './support/forecast-server.ts';

/** Two models whose runs start at the same time. */
const TWO_MODELS = {
  CONTRAILS_MET__SOURCES: JSON.stringify([
    { name: 'one', kind: 'synthetic', resolution: 10, seed: 1 },
    { name: 'two', kind: 'synthetic', resolution: 10, seed: 2 },
  ]),
  CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738',
};

async function sourcesOf({ services }: ForecastServer): Promise<string[]> {
  const products = await createCatalogue(services.database).find({
    family: PRODUCT_GROUP,
    kind: 'cocip.B738',
  });
  return products.map((product) => storedProduct(product).manifest.weather.source ?? '');
}

test('two models with the same reference time have their own products', async () => {
  const forecast = await startForecastServer(TWO_MODELS);
  const first = await forecast.publish({ source: 'one', leadHours: [1, 1] }, 350);
  const time = new Date(first.tasks[0]?.task.validTimeMs ?? 0).toISOString();
  const url = `/v1/grids?time=${time}&flight_level=350&units=ef_per_m`;
  const ofOne = await forecast.get(url);
  const second = await forecast.publish({ source: 'two', leadHours: [1, 1] }, 350);
  expect(second.referenceTimeMs).toBe(first.referenceTimeMs);
  const ofTwo = await forecast.get(url);
  expect((await sourcesOf(forecast)).sort()).toEqual(['one', 'two']);
  expect([ofOne.status, ofTwo.status]).toEqual([200, 200]);
  expect(ofTwo.bytes.equals(ofOne.bytes)).toBe(false);
});

test('levels of one model do not fill the gaps of another', async () => {
  const forecast = await startForecastServer(TWO_MODELS);
  const [one, two] = [
    await forecast.plan({ source: 'one', leadHours: [1, 1] }),
    await forecast.plan({ source: 'two', leadHours: [1, 1] }),
  ];
  const task = (plan: typeof one, level: number) => {
    const found = plan.tasks.find(({ task: { flightLevels } }) => flightLevels.includes(level));
    if (found === undefined) throw new Error(`flight level ${level} is not planned`);
    return found;
  };
  const some = [
    { ...one, tasks: [task(one, 350)] },
    { ...two, tasks: [task(two, 300), task(two, 440)] },
  ];
  for (const plan of some) {
    const jobs = await forecast.services.jobs.enqueueAll(
      await adoptPlan(forecast.services.database, plan, Date.now()),
    );
    for (const { id } of jobs) await untilDone(forecast, id);
  }
  const time = new Date(task(one, 350).task.validTimeMs).toISOString();
  const cocip = `/v0/grid/cocip?time=${time}&aircraft_type=B738`;
  expect((await forecast.get(`${cocip}&flight_level=350`)).status).toBe(200);
  expect((await forecast.get(`${cocip}&flight_level=300,440`)).status).toBe(200);
  expect((await forecast.get(cocip)).status).toBe(404);
  expect((await forecast.get(`/v1/grids?time=${time}`)).status).toBe(404);
  expect((await forecast.get('/v0/grid/availability')).json<{ cocip: string[] }>().cocip).toEqual([]);
});

test('a product names the weather it was computed from, also where the plan knew another', async () => {
  const forecast = await startForecastServer(TWO_MODELS);
  const plan = await forecast.plan({ source: 'one', leadHours: [1, 1] });
  const [planned] = plan.tasks;
  if (planned === undefined) throw new Error('nothing was planned');
  const stale = { ...planned.task, weather: 'before the files were replaced' };
  const { id } = await forecast.services.jobs.enqueue(taskKind, stale);
  await untilDone(forecast, id);
  const [product] = await createCatalogue(forecast.services.database).find({ family: PRODUCT_GROUP });
  expect(product && storedProduct(product).manifest.weather.generation).toBe(planned.task.weather);
  const again = await forecast.services.jobs.enqueue(taskKind, planned.task);
  await untilDone(forecast, again.id);
  expect((await forecast.services.jobs.get(again.id))?.result).toEqual({ skipped: 'published before' });
});

test('a file with other bytes, or one that is added for the same hours, is other weather, a later date is not', async () => {
  const { services, weather } = await startGridServer();
  const { catalogue } = await services.met.open();
  const [entry] = await catalogue.list();
  if (entry === undefined || 'error' in entry) throw new Error('the weather cannot be read');
  const { source } = entry;
  const timeMs = Date.UTC(2024, 5, 12, 3);
  const generation = async () => {
    const description = await source.describe();
    const [run] = description.runs;
    if (run === undefined) throw new Error('there is no run');
    return generationOfTimes(description, run, [timeMs]);
  };
  const first = await generation();
  const file = join(weather, 'wide.nc');
  expect(await generation()).toBe(first);
  await utimes(file, new Date(), new Date(Date.now() - 60_000));
  expect(await generation()).toBe(first);
  const bytes = await readFile(file);
  // The last byte of the file is padding, so it stays readable.
  await writeFile(file, Buffer.concat([bytes, Buffer.alloc(1)]));
  const second = await generation();
  expect(second).not.toBe(first);
  await copyFile(file, join(weather, 'copy.nc'));
  expect(await generation()).not.toBe(second);
});

async function untilDone({ services }: ForecastServer, id: string): Promise<void> {
  await until(`job ${id} is done`, async () => (await services.jobs.get(id))?.state === 'done');
}
