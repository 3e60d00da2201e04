import { createLog } from '@contrails/platform/log';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { until } from '../../../../../test/support/until.ts';
import { type Config, loadConfig } from '../../../src/configuration.ts';
import { withDemoWeather } from '../../../src/demo.ts';
import { inventoryHandlers, lookForDates } from '../../../src/families/inventory/run/plan.ts';
import { findDate } from '../../../src/families/inventory/run/state.ts';
import { startFeeds } from '../../../src/families/telemetry/feeds/feeds.ts';
import { buildDueHours, telemetryRules } from '../../../src/families/telemetry/index.ts';
import { readRunManifest } from '../../../src/inventory-store/manifest.ts';
import { listHours } from '../../../src/telemetry-store/table.ts';
import { openWarmServices } from '../../support/warm-services.ts';

const nowMs = Date.now();
const yesterdayMs = Math.floor(nowMs / DAY_MS) * DAY_MS - DAY_MS;
const yesterday = new Date(yesterdayMs).toISOString().slice(0, 10);

/** The settings of the demo with less traffic, from yesterday on, coarser weather, and contrails of two hours. */
async function demoConfig(): Promise<Config> {
  const directory = await temporaryDirectory();
  const environment = {
    CONTRAILS_DATA: directory,
    CONTRAILS_LOG__LEVEL: 'error',
    CONTRAILS_WORKERS__THREADS: '1',
  };
  const { met, telemetry, inventory, ...others } = withDemoWeather(loadConfig({ environment, directory }));
  return {
    ...others,
    met: { ...met, sources: [{ name: 'demo', kind: 'synthetic', resolution: 10, seed: 1 }] },
    inventory: { ...inventory, shards: 1, max_age_hours: 2 },
    telemetry: {
      ...telemetry,
      sources: telemetry.sources.map((source) => ({
        ...source,
        legs_per_day: 20,
        backfill: `${Math.floor((nowMs - yesterdayMs) / HOUR_MS)}h`,
      })),
    },
  };
}

const config = await demoConfig();
const log = createLog(config.log);
const services = await openWarmServices(config, log);
afterAll(() => services.close());
const { database, jobs, store } = services;
const rules = telemetryRules(config.telemetry);
const look = () => lookForDates(services, config, nowMs);

async function work(): Promise<void> {
  const worker = jobs.work(inventoryHandlers(services, config), { concurrency: 2, log });
  await until('the queue is empty', async () => {
    const { queued, running, waiting } = await jobs.counts();
    return queued + running + waiting === 0;
  });
  await worker.stop();
}

test("traffic of the demo becomes hours, and those yesterday's inventory", async () => {
  const feeds = await startFeeds(services, rules, log);
  await until('all hours of yesterday have reports', async () => {
    const hours = await listHours(database, yesterdayMs, yesterdayMs + DAY_MS);
    return hours.length === 24 && hours.every(({ pending }) => pending > 0);
  });
  await feeds.stop();
  expect(await look()).toEqual({ [yesterday]: 'waiting' });
  expect(await findDate(database, yesterday)).toMatchObject({
    message: `24 hours of telemetry of ${yesterday} are not published yet; the day is computed when they are`,
  });

  // Late enough for the last hour of yesterday, and no later: hours that are not over would be built empty.
  const dueMs = Math.max(nowMs, yesterdayMs + DAY_MS + HOUR_MS);
  await buildDueHours(services, rules, { nowMs: () => dueMs });
  expect(await look()).toEqual({ [yesterday]: 'computing' });
  await work();
  expect(await findDate(database, yesterday)).toMatchObject({ state: 'published' });
  const manifest = await readRunManifest(store, yesterday);
  expect(manifest?.completeness.flights.computed).toBeGreaterThan(5);
  expect(manifest?.completeness.telemetry).toMatchObject({ hours_present: 24, hours_expected: 24 });

  const { jobs: before } = await jobs.list({ limit: 100 });
  expect(await look()).toEqual({ [yesterday]: 'published' });
  expect((await jobs.list({ limit: 100 })).jobs).toHaveLength(before.length);
}, 300_000);
