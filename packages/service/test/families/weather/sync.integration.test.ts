import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '@contrails/platform/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { until } from '../../../../../test/support/until.ts';
import { type Mirror, startMirror } from '../../../../met/test/support/mirror.ts';
import { loadConfig } from '../../../src/configuration.ts';
import { families, familyRoutes } from '../../../src/families/index.ts';
import { syncHandler } from '../../../src/families/weather/jobs.ts';
import { openServices } from '../../../src/open.ts';
import { syncStates } from '../../../src/weather/sync-state.ts';
import { startServer } from '../../support/server.ts';

const now = Date.now;
let mirror: Mirror;
beforeAll(async () => {
  mirror = await startMirror();
  // The mirror has the runs of one day.
  const shiftMs = Date.parse('2026-09-14T13:00Z') - now();
  Date.now = () => now() + shiftMs;
});
afterAll(() => {
  Date.now = now;
  mirror.close();
});

const weatherFamily = families.find(({ name }) => name === 'weather');

test('a worker brings a run, plans its forecast, and the status and the metrics show it', async () => {
  const data = await temporaryDirectory();
  const environment = {
    CONTRAILS_DATA: data,
    CONTRAILS_LOG__LEVEL: 'error',
    CONTRAILS_MET__SYNC__SOURCES: JSON.stringify([
      { source: 'ecmwf', hours: 24, roots: [`${mirror.url}/ecmwf`] },
      { source: 'gfs', hours: 6, roots: [`${mirror.url}/nothing`] },
    ]),
  };
  const config = loadConfig({ environment, directory: data });
  expect(config.met.sources.map(({ name }) => name)).toEqual(['ecmwf', 'gfs']);
  const log = createLog(config.log);
  const services = await openServices(config, log);
  const manifest = join(data, 'met/sync/ecmwf/20260914T00/manifest.json');
  const worker = services.jobs.work([syncHandler(services, config)], { concurrency: 2, log });
  try {
    await weatherFamily?.schedules?.(services, config);
    const hours = async () => {
      const text = await readFile(manifest, 'utf8').catch(() => undefined);
      return text === undefined ? undefined : (JSON.parse(text) as { flags: { hours: number } }).flags.hours;
    };
    expect(await until('the first hours are there', hours)).toBe(12);
    await until('the whole run is there', async () => (await hours()) === 24);
    const states = await until('both sources were looked for', async () => {
      const found = await syncStates(services.database);
      return found.length === 2 ? found : undefined;
    });
    expect(states).toMatchObject([
      { source: 'ecmwf', runMs: Date.parse('2026-09-14T00:00Z'), errorsTotal: 0, error: null },
      { source: 'gfs', runMs: null, errorsTotal: 1, error: expect.stringMatching(/no complete run of gfs/) },
    ]);
    await until('the forecast is planned for the first hours and for the whole run', async () => {
      const { jobs } = await services.jobs.list({ limit: 50 });
      return jobs.filter(({ kind }) => kind === 'forecast.plan').length === 2;
    });

    const server = await startServer({ families: familyRoutes(services, config) });
    const { text } = await server.send({ url: '/v0/status', headers: { 'x-api-key': server.key } });
    expect(JSON.parse(text).sync).toMatchObject([
      {
        source: 'ecmwf',
        run: '2026-09-14T00:00:00Z',
        missing: ['specific_cloud_ice_water_content', 'top_net_solar_radiation'],
        error: null,
      },
      { source: 'gfs', run: null },
    ]);
    const metrics = weatherFamily?.metrics?.(services) ?? [];
    const values = Object.fromEntries(
      await Promise.all(metrics.map(async (metric) => [metric.name, await metric.read()] as const)),
    );
    expect(values).toMatchObject({
      contrails_met_sync_run_time_seconds: { ecmwf: Date.parse('2026-09-14T00:00Z') / 1000, gfs: 0 },
      contrails_met_sync_errors_total: { ecmwf: 0, gfs: 1 },
    });
  } finally {
    await worker.stop({ graceSeconds: 0 });
    await services.close();
  }
});
