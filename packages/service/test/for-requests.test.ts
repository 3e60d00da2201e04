import { setTimeout as sleep } from 'node:timers/promises';
import { openCompute } from '@contrails/engine/compute';
import { HOUR_MS, MemoryBudget } from '@contrails/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary.ts';
import { spin } from '../../runtime/test/compute/kernels.ts';
import { loadConfig } from '../src/configuration.ts';
import { forRequests } from '../src/for-requests.ts';
import { createLazyMet } from '../src/weather/lazy-met.ts';
import { startServer } from './support/server.ts';

const MEBIBYTE = 2 ** 20;
const WAIT_MS = 2000;
const EACH_MS = 900;

/** Two of them do not fit into the memory for weather. */
const WEATHER = {
  for: 'formation',
  time: [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1) + HOUR_MS],
  level: [200, 400],
  latitude: [-90, 90],
  longitude: [-180, 180],
} as const;
const OTHER_WEATHER = { ...WEATHER, time: WEATHER.time.map((ms) => ms + 6 * HOUR_MS) as [number, number] };

test('a request that waits for memory, weather and threads in turn gets 503 when it has waited long enough in all', async () => {
  const memory = new MemoryBudget({ limitBytes: MEBIBYTE, residentBytes: () => 0 });
  const compute = openCompute({ threads: 1, maxQueue: 8 });
  onTestFinished(() => compute.close(0));
  const met = createLazyMet(
    loadConfig({
      environment: {
        CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'demo', kind: 'synthetic', resolution: 1 }]),
        CONTRAILS_MET__MEMORY_MIB: '64',
      },
      directory: await temporaryDirectory(),
    }),
  );
  onTestFinished(() => met.close());
  const requests = forRequests({ memory, requestCompute: compute, met }, WAIT_MS);
  const reached: Record<string, number> = {};
  const server = await startServer({
    families: [
      requests.limitWaits((app) => {
        app.get('/v0/waits', { config: { scope: 'public' } }, async () => {
          const { reserve, met, compute } = requests.services;
          const lease = await reserve('flights', MEBIBYTE / 2);
          reached.memory = performance.now();
          const { release } = await (await met.open()).openWeather(OTHER_WEATHER);
          reached.weather = performance.now();
          release();
          lease.release();
          await compute.run(spin, { ms: 1 });
          reached.threads = performance.now();
          return {};
        });
      }),
    ],
  });
  onTestFinished(() => server.close());

  // The first two waits take 900 ms each, so 200 ms are left for the third.
  const held = memory.take('flights', MEBIBYTE);
  const weather = await (await met.open()).openWeather(WEATHER);
  const busy = expect(compute.run(spin, { ms: 4 * WAIT_MS, polite: true })).rejects.toThrow('stopping');
  const answer = server.send('/v0/waits');
  await sleep(EACH_MS);
  held.release();
  await sleep(EACH_MS);
  weather.release();
  const { status, headers } = await answer;
  const answeredMs = performance.now();
  expect(Object.keys(reached)).toEqual(['memory', 'weather']);
  expect(status).toBe(503);
  expect(headers['retry-after']).toBeDefined();
  expect(answeredMs - (reached.weather ?? 0)).toBeLessThan(0.75 * WAIT_MS);
  await compute.close(0);
  await busy;
});
