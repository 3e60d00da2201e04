/** Computes again what was published and lost since: a file that is missing or damaged. */

import type { Database } from '@contrails/platform/database/database';
import { type JobRequest, type Jobs, requestJob } from '@contrails/platform/jobs';
import { jobId } from '@contrails/platform/jobs/identity';
import { areStored, type LostProduct } from '@contrails/platform/products/lost';
import { HOUR_MS } from '@contrails/runtime';
import { planKind, taskKind } from './jobs.ts';
import type { ProductManifest } from './manifest.ts';
import { type ForecastTask, productKeys } from './task.ts';

/**
 * Plans the hours of lost products again; returns how many products the new jobs are for. The same loss reported twice within
 * an hour is one job, because a key names one job for ever; later it is planned again, in case the first job failed or its
 * products were lost too. Reanalysis has no plan: requests and `contrails grid publish` compute it.
 */
export async function planLost(
  jobs: Pick<Jobs, 'enqueueAll'>,
  lost: readonly Omit<LostProduct, 'reason'>[],
  nowMs: number,
): Promise<number> {
  const hours = new Map<string, { readonly request: JobRequest; readonly products: number }>();
  const attempt = Math.floor(nowMs / HOUR_MS);
  for (const { manifest, referenceTimeMs, validTimeMs, createdMs } of lost) {
    const source = (manifest as Partial<ProductManifest>).weather?.source;
    if (source === undefined || referenceTimeMs === null || validTimeMs === null) continue;
    const lead = (validTimeMs - referenceTimeMs) / HOUR_MS;
    const key = `lost/${source}/${referenceTimeMs}/${validTimeMs}/${createdMs}/${attempt}`;
    const payload = { source, referenceTimeMs, leadHours: [lead, lead] };
    const request = requestJob(planKind, payload, { key });
    hours.set(key, { request, products: (hours.get(key)?.products ?? 0) + 1 });
  }
  const planned = [...hours.values()];
  const jobsOfHours = await jobs.enqueueAll(planned.map(({ request }) => request));
  return planned.reduce((sum, { products }, k) => sum + (jobsOfHours[k]?.created ? products : 0), 0);
}

/**
 * New jobs for tasks whose job is done and whose products are gone. A key names one job for ever, so the new one is
 * named after the end of the old one: concurrent planners make the same job.
 */
export async function lostJobs(
  { database, jobs }: { readonly database: Database; readonly jobs: Pick<Jobs, 'get'> },
  requests: readonly JobRequest[],
  /** Products of earlier hours are pruned, not lost [ms since 1970]. */
  prunedBeforeMs: number,
): Promise<JobRequest[]> {
  const again: JobRequest[] = [];
  for (const request of requests) {
    const task = request.payload as ForecastTask;
    if (task.validTimeMs < prunedBeforeMs || (await areStored(database, productKeys(task)))) continue;
    const key = await unusedKey(jobs, request.options.key ?? '');
    if (key !== undefined) again.push(requestJob(taskKind, task, { ...request.options, key }));
  }
  return again;
}

/** Undefined while a job is to make the task, or when none should: it failed, was cancelled or superseded. */
async function unusedKey(jobs: Pick<Jobs, 'get'>, first: string): Promise<string | undefined> {
  for (let key = first; ; ) {
    const job = await jobs.get(jobId(taskKind.name, null, key));
    if (job === undefined) return key;
    const { skipped } = (job.result ?? {}) as { skipped?: string };
    if (job.state !== 'done' || skipped?.startsWith('superseded')) return undefined;
    key = `${first}/after/${job.finishedMs}`;
  }
}
