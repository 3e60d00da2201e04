/** Compute threads: what a task costs, what more threads gain, and how long a small task waits during a long one. */
import { kernelAt, openCompute } from '@contrails/engine/compute';

const echo = kernelAt<typeof import('./kernels/echo.kernel.ts').default>(
  new URL('./kernels/echo.kernel.ts', import.meta.url),
);
const saturation = kernelAt<typeof import('./kernels/saturation.kernel.ts').default>(
  new URL('./kernels/saturation.kernel.ts', import.meta.url),
);

const POINTS = 4_000_000;
const BLOCK_SIZE = 20_000;
const BLOCKS = POINTS / BLOCK_SIZE;

const shared = (length: number) => new Float64Array(new SharedArrayBuffer(length * 8));
const input = {
  temperaturesK: shared(POINTS),
  pressuresPa: shared(POINTS),
  blockSize: BLOCK_SIZE,
};
for (let i = 0; i < POINTS; i++) input.temperaturesK[i] = 200 + (i % 80);

console.table([...(await roundTrip()), ...(await scaling()), ...(await besideLongTask())]);

async function roundTrip() {
  const compute = openCompute({ threads: 1, maxQueue: 10_000 });
  const batchesUs: number[] = [];
  for (let batch = 0; batch < 60; batch++) {
    const startedMs = performance.now();
    for (let i = 0; i < 500; i++) await compute.run(echo, i);
    batchesUs.push(((performance.now() - startedMs) / 500) * 1000);
  }
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: 10_000 }, (_, i) => compute.run(echo, i)));
  const burstUs = ((performance.now() - startedMs) / 10_000) * 1000;
  await compute.close();
  return [
    { what: 'round trip of an empty task, µs', value: round(median(batchesUs)) },
    { what: 'each of 10,000 empty tasks at once, µs', value: round(burstUs) },
  ];
}

async function scaling() {
  const [one, two] = [await millisecondsWith(1), await millisecondsWith(2)];
  return [
    { what: `${POINTS / 1e6} M saturation pressures on 1 thread, ms`, value: round(one) },
    { what: `${POINTS / 1e6} M saturation pressures on 2 threads, ms`, value: round(two) },
    { what: 'gain of the second thread', value: round(one / two) },
  ];
}

async function millisecondsWith(threads: number): Promise<number> {
  const compute = openCompute({ threads, maxQueue: 10 });
  const runsMs: number[] = [];
  for (let run = 0; run < 12; run++) {
    const startedMs = performance.now();
    await compute.parallel(saturation, input, BLOCKS);
    runsMs.push(performance.now() - startedMs);
  }
  await compute.close();
  // The best one: what the threads can do when nothing else uses the machine.
  return Math.min(...runsMs);
}

async function besideLongTask() {
  const compute = openCompute({ threads: 'auto', maxQueue: 10 });
  const leaving = new AbortController();
  const long = compute.parallel(saturation, input, BLOCKS).then(async () => {
    while (!leaving.signal.aborted) await compute.parallel(saturation, input, BLOCKS);
  });
  const waitsMs: number[] = [];
  for (let i = 0; i < 200; i++) {
    const startedMs = performance.now();
    await compute.run(echo, i);
    waitsMs.push(performance.now() - startedMs);
  }
  leaving.abort();
  await long;
  await compute.close();
  const sorted = waitsMs.slice(20).sort((a, b) => a - b);
  return [
    { what: 'empty task beside a long one, median ms', value: round(median(sorted)) },
    {
      what: 'empty task beside a long one, 99th percentile ms',
      value: round(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
    },
  ];
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
