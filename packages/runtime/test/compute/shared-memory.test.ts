import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { openCompute } from '../../src/compute/index.ts';
import { sharedFloat64 } from '../../src/shared-arrays.ts';
import { allocation, sum } from './kernels.ts';

const MIB = 2 ** 20;
const TASK_MIB = 16;

test('shared memory of tasks is bounded although threads are never idle, and returns after them', async () => {
  const compute = openCompute({ threads: 2, maxQueue: 100, idleMs: 600_000 });
  const before = process.memoryUsage().arrayBuffers;
  const heldMib = () => (process.memoryUsage().arrayBuffers - before) / MIB;
  let highestMib = 0;
  try {
    for (let n = 0; n < 100; n++) {
      const values = sharedFloat64((TASK_MIB * MIB) / 8);
      await compute.parallel(sum, { values, blockSize: 1000, sums: sharedFloat64(4) }, 4);
      highestMib = Math.max(highestMib, heldMib());
      await turn();
    }
    expect(highestMib).toBeLessThan(400);
    await until('the memory is back', async () => {
      return heldMib() < 2 * TASK_MIB;
    });
  } finally {
    await compute.close();
  }
});

test('what kernels allocate counts as well', async () => {
  const compute = openCompute({ threads: 1, maxQueue: 100, idleMs: 600_000 });
  const before = process.memoryUsage.rss();
  let highestMib = 0;
  try {
    for (let n = 0; n < 100; n++) {
      await compute.run(allocation, TASK_MIB * MIB);
      highestMib = Math.max(highestMib, (process.memoryUsage.rss() - before) / MIB);
      await turn();
    }
    expect(highestMib).toBeLessThan(400);
  } finally {
    await compute.close();
  }
});
