import { createHash } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '@contrails/platform/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { type Mirror, startMirror } from '../../../../met/test/support/mirror.ts';
import { loadConfig } from '../../../src/configuration.ts';
import { familyRoutes } from '../../../src/families/index.ts';
import { openServices } from '../../../src/open.ts';
import { syncWeather } from '../../../src/weather/sync.ts';
import { startServer } from '../../support/server.ts';
import { fleetBody, flightBody } from '../trajectory/support.ts';

const now = Date.now;
let mirror: Mirror;
beforeAll(async () => {
  mirror = await startMirror({ copy: true });
  // The mirror has the runs of one day.
  const shiftMs = Date.parse('2026-09-14T13:00Z') - now();
  Date.now = () => now() + shiftMs;
});
afterAll(() => {
  Date.now = now;
  mirror.close();
});

/** Flights over several hours of weather, apart from each other: what is read for one does not serve the others. */
const FLIGHTS = [-50, -20, 20, 50].map((latitude, k) =>
  fleetBody([
    flightBody({
      start: '2026-09-14T07:10:00Z',
      waypoints: 31,
      stepS: 360,
      longitude: -150 + 80 * k,
      latitude,
      eastward: 0.6,
    }),
  ]),
);
const PATHS = ['/v0/trajectory/cocip', '/v0/trajectory/issr'];

test('requests before, while and after a newer run replaces one see one of the two runs each, and none fails', async () => {
  const data = await temporaryDirectory();
  const [later, aside] = ['06z', '06z-aside'].map((name) => join(mirror.tree, 'ecmwf/20260914', name)) as [
    string,
    string,
  ];
  renameSync(later, aside);
  const settings = { hours: 12, roots: [`${mirror.url}/ecmwf`] };
  const config = loadConfig({
    environment: {
      CONTRAILS_DATA: data,
      CONTRAILS_LOG__LEVEL: 'error',
      CONTRAILS_MET__SYNC__KEEP: '1h',
      CONTRAILS_MET__SYNC__SOURCES: JSON.stringify([{ source: 'ecmwf', ...settings }]),
    },
    directory: data,
  });
  const services = await openServices(config, createLog(config.log));
  const server = await startServer({ families: familyRoutes(services, config) });
  const ask = async (path: string, flight: (typeof FLIGHTS)[number]) => {
    const { status, text } = await server.send({
      method: 'POST',
      url: path,
      headers: { 'x-api-key': server.key },
      payload: flight,
    });
    return status === 200 ? createHash('sha256').update(text).digest('hex') : `${status} ${text}`;
  };
  const askAll = () => Promise.all(PATHS.flatMap((path) => FLIGHTS.map((flight) => ask(path, flight))));
  const folder = (run: string) => existsSync(join(data, 'met/sync/ecmwf', run, 'manifest.json'));
  try {
    await syncWeather(config, 'ecmwf', settings);
    const before = await askAll();
    expect(before.filter((one) => one.length !== 64)).toEqual([]);

    const rounds: string[][] = [];
    let isDone = false;
    const asking = (async () => {
      while (!isDone) rounds.push(await askAll());
    })();
    renameSync(aside, later);
    const [result] = await syncWeather(config, 'ecmwf', settings);
    expect(result).toMatchObject({ state: 'synced', deletedRuns: ['20260914T00'] });
    // Descriptions of sources are looked at again after some seconds.
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    isDone = true;
    await asking;
    const after = await askAll();

    expect([folder('20260914T00'), folder('20260914T06')]).toEqual([false, true]);
    expect(before.filter((one, k) => one === after[k])).toEqual([]);
    const strange = rounds.flatMap((round) =>
      round.filter((one, k) => one !== before[k] && one !== after[k]),
    );
    expect(strange).toEqual([]);
    expect(rounds.length).toBeGreaterThan(1);
  } finally {
    await server.close();
    await services.close();
  }
}, 170_000);
