/** Resident memory of weather that is read, used by threads and evicted again and again. */
import { HOUR_MS } from '@contrails/runtime';
import { kernelAt, openCompute } from '@contrails/runtime/compute';
import { expect, test } from 'vitest';
import { openMet } from '../../src/met.ts';
import { madeSource } from '../support/made-source.ts';

const MIB = 2 ** 20;
const MEMORY_MIB = 96;
const REQUESTS = 60;
const START = Date.UTC(2024, 0, 1);

const mean = kernelAt<typeof import('../support/mean.kernel.ts').default>(
  new URL('../support/mean.kernel.ts', import.meta.url),
);

const range = (from: number, to: number, step: number) =>
  Array.from({ length: (to - from) / step + 1 }, (_, i) => from + i * step);

test('two loads of more weather than there is memory stay within it, on threads too', async () => {
  const source = madeSource({
    longitude: range(-180, 178, 2),
    latitude: range(-90, 90, 2),
    levels: range(100, 450, 50),
    runs: [{ times: range(START, START + 600 * HOUR_MS, HOUR_MS) }],
  });
  const met = openMet({ sources: [source], memoryBytes: MEMORY_MIB * MIB, threads: 1 });
  const compute = openCompute({ threads: 2, maxQueue: 10, idleMs: 600_000 });
  const first = await met.openWeather(requestOf(0));
  await compute.run(mean, first.levels);
  first.release();
  const buffers = new Set<ArrayBufferLike>();
  const startBytes = process.memoryUsage.rss();
  let highestMib = 0;
  const load = async (first: number) => {
    for (let n = first; n < first + REQUESTS; n++) {
      const { levels, release } = await met.openWeather(requestOf(n));
      for (const { buffer } of levels.slabs) buffers.add(buffer);
      const before = await compute.run(mean, levels);
      await new Promise((resolve) => setImmediate(resolve));
      // What another load wrote into the memory of this one would show.
      expect(await compute.run(mean, levels)).toEqual(before);
      release();
      highestMib = Math.max(highestMib, (process.memoryUsage.rss() - startBytes) / MIB);
    }
  };
  try {
    await Promise.all([load(1), load(1 + REQUESTS)]);
    const { evictions, usedBytes } = met.statistics();
    expect(evictions).toBeGreaterThan(150);
    expect(usedBytes).toBeLessThanOrEqual(MEMORY_MIB * MIB);
    expect(buffers.size).toBe(1);
    expect(highestMib).toBeLessThan(MEMORY_MIB + MARGIN_MIB);
  } finally {
    await Promise.all([compute.close(), met.close()]);
  }
});

/** Heaps of three threads, what reading needs for a moment, and what the allocator keeps. */
const MARGIN_MIB = 150;

/** Windows of many sizes: what one leaves does not fit the next exactly. */
function requestOf(n: number) {
  const startMs = START + (n * 4 + 4) * HOUR_MS;
  return {
    for: 'drift',
    time: [startMs, startMs + 2 * HOUR_MS],
    level: [200, 300],
    latitude: [-85, 5 + 20 * (n % 5)],
    longitude: [-180, 60 + 20 * (n % 7)],
  } as const;
}
