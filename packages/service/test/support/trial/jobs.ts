import { setTimeout as sleep } from 'node:timers/promises';
import { createCatalogue } from '@contrails/platform/database';
import { defineJob, handleJob, type JobHandler, requestJob } from '@contrails/platform/jobs';
import { Type } from 'typebox';
import type { Services } from '../../../src/services.ts';
import { productBytes, productKey } from './products.ts';

/** Services of a batch; a summary waits for all of them. */
const PARTS_PER_BATCH = 3;
/** The batch, its parts and the summary. */
export const JOBS_PER_BATCH = PARTS_PER_BATCH + 2;

const settings = { attempts: 1000, backoffSeconds: 0, leaseSeconds: 1 };
const payload = Type.Object({ n: Type.Integer() });

export const batchKind = defineJob({ name: 'trial.batch', payload, ...settings });
const taskKind = defineJob({ name: 'trial.part', payload, ...settings });
const summaryKind = defineJob({ name: 'trial.summary', payload, ...settings });
/** Takes its time and heeds its signal. */
export const slowKind = defineJob({
  name: 'trial.slow',
  payload: Type.Object({ ms: Type.Integer() }),
  ...settings,
});

export function partNumbers(batch: number): number[] {
  return Array.from({ length: PARTS_PER_BATCH }, (_, i) => batch * PARTS_PER_BATCH + i);
}

/** Jobs that fan out, write objects and enter them in the catalogue. */
export function trialJobs(services: Services): JobHandler[] {
  const publish = async (n: number, signal: AbortSignal): Promise<string> => {
    const key = productKey('job', n);
    const { sha256, size } = await services.store.put(key, productBytes(n), { signal });
    await enterProduct(services, key, sha256, size);
    return sha256;
  };
  return [
    handleJob(batchKind, async ({ n }, { enqueueAll }) => {
      const made = partNumbers(n).map((part) => requestJob(taskKind, { n: part }));
      await enqueueAll([...made, requestJob(summaryKind, { n }, { after: made, priority: 1 })]);
    }),
    handleJob(taskKind, async ({ n }, { signal, progress }) => {
      progress(0.5, 'half-way');
      await sleep(Math.random() * 80, undefined, { signal });
      return { sha256: await publish(n, signal) };
    }),
    handleJob(summaryKind, async ({ n }) => {
      const found = await Promise.all(
        partNumbers(n).map((part) => services.store.head(productKey('job', part))),
      );
      if (found.includes(undefined)) throw new Error(`a part of batch ${n} is missing`);
      return { sha256: found.map((info) => info?.sha256) };
    }),
    handleJob(slowKind, async ({ ms }, { signal }) => {
      await sleep(ms, undefined, { signal });
      return { slept: ms };
    }),
  ];
}

export async function enterProduct(
  { database }: Pick<Services, 'database'>,
  key: string,
  sha256: string,
  size: number,
): Promise<void> {
  await createCatalogue(database).put({
    key,
    family: 'trial',
    kind: 'product',
    validTimeMs: null,
    referenceTimeMs: null,
    attributes: {},
    sha256,
    size,
    createdMs: Date.now(),
    manifest: {},
  });
}
