import { openCompute } from '@contrails/engine/compute';
import { binaryRequest } from '@contrails/engine/grid/request';
import { type MetSource, openMet } from '@contrails/met';
import { memoryFile } from '@contrails/platform/http/files';
import { HOUR_MS } from '@contrails/runtime';
import { openSynthetic } from '@contrails/testbed/weather';
import { expect, onTestFinished, test, vi } from 'vitest';
import { obtainGrid } from '../../../src/families/grid/obtain.ts';

const START = Date.UTC(2026, 0, 1, 12);

test('a run that arrives while a grid is asked for is not kept under the name of the one before', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let nowMs = START;
  const synthetic = openSynthetic({ name: 'trial', resolutionDeg: 10, threads: 1, now: () => nowMs });
  const runsRead = new Set<number | undefined>();
  const source: MetSource = {
    ...synthetic,
    read: (window, options) => {
      runsRead.add(window.referenceTime);
      return synthetic.read(window, options);
    },
  };
  const met = openMet({ sources: [source], memoryBytes: 2 ** 26, threads: 1 });
  const compute = openCompute({ threads: 1, maxQueue: 1, heapMb: 256 });
  onTestFinished(async () => {
    vi.useRealTimers();
    await Promise.all([compute.close(), met.close()]);
  });
  const newestRun = async () => (await synthetic.describe()).runs.at(-1)?.referenceTime;
  const before = await newestRun();
  const request = binaryRequest(
    'issr',
    {
      time: START + 20 * HOUR_MS,
      flight_level: [350],
      bbox: { minLon: 0, minLat: 40, maxLon: 10, maxLat: 50, crossesAntimeridian: false },
      format: 'netcdf',
      layout: 'default',
      interiors: true,
      simplify: 3,
      convex_hull: false,
      buffer: 0,
      met_source: undefined,
      humidity_scaling: undefined,
      rhi_adj: undefined,
      rhi_boost_exponent: undefined,
      level_type: undefined,
    },
    'none',
  );
  const keys: string[] = [];
  const results = {
    bytes: 0,
    obtain: async (key: string, signal: AbortSignal, make: (signal: AbortSignal) => Promise<unknown>) => {
      keys.push(key);
      nowMs += 6 * HOUR_MS;
      vi.advanceTimersByTime(60_000);
      await make(signal);
      return memoryFile(new Uint8Array(), 0);
    },
  };
  const { signal } = new AbortController();
  await obtainGrid({ met: { open: async () => met }, compute, results }, request, { signal });
  expect(await newestRun()).not.toBe(before);
  expect(keys[0]).toContain(String(before));
  expect([...runsRead]).toEqual([before]);
});
