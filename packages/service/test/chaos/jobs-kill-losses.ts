import { buffer } from 'node:stream/consumers';
import type { Database } from '@contrails/platform/database/database';
import type { JobRecord } from '@contrails/platform/jobs/jobs';
import type { Store } from '@contrails/platform/store/store';
import { completionLosses } from './jobs-audit.ts';
import { hoursOf, mergedKey, objectBytes, objectKey, sha256 } from './jobs-kill-kinds.ts';

export interface Aftermath {
  readonly database: Database;
  readonly store: Store;
  readonly records: readonly JobRecord[];
  readonly days: number;
  readonly expectedJobs: number;
}

/** Everything that is not as if no worker had been killed. */
export async function findLosses(aftermath: Aftermath): Promise<string[]> {
  return [
    ...jobLosses(aftermath),
    ...staleResults(aftermath),
    ...(await completionLosses(aftermath.database, aftermath.records)),
    ...(await objectLosses(aftermath)),
    ...(await leftovers(aftermath)),
  ];
}

function jobLosses({ records, expectedJobs }: Aftermath): string[] {
  const losses = records
    .filter((job) => job.state !== 'done')
    .map((job) => `job ${job.id} (${job.kind}) is ${job.state}: ${job.error}`);
  if (records.length !== expectedJobs) {
    losses.push(`there are ${records.length} jobs, not ${expectedJobs}`);
  }
  return losses;
}

/** A worker that had lost its job, and completed it all the same, would leave the result of an earlier run. */
function staleResults({ records }: Aftermath): string[] {
  return records
    .filter((job) => (job.result as { attempt?: number } | null)?.attempt !== job.attempt)
    .map((job) => `job ${job.id} (${job.kind}) has not the result of its run ${job.attempt}`);
}

async function objectLosses({ store, records, days }: Aftermath): Promise<string[]> {
  const losses: string[] = [];
  for (let day = 0; day < days; day += 1) {
    const sums = hoursOf(day).map((hour) => sha256(objectBytes(day, hour)));
    for (const hour of hoursOf(day)) {
      const found = await store.read(objectKey(day, hour));
      const whole = found !== undefined && sha256(await buffer(found.body)) === sums[hour];
      if (!whole) losses.push(`the object of hour ${hour} of day ${day} is missing or torn`);
    }
    const merged = await store.read(mergedKey(day));
    const text = merged === undefined ? '' : (await buffer(merged.body)).toString();
    if (text !== JSON.stringify(sums)) losses.push(`the merged object of day ${day} is missing or wrong`);
    const result = records.find(
      (job) => job.kind === 'chaos.merge' && (job.payload as { day: number }).day === day,
    )?.result;
    if (JSON.stringify((result as { sums?: string[] } | undefined)?.sums) !== JSON.stringify(sums))
      losses.push(`the result of day ${day} is wrong`);
  }
  return losses;
}

/** Objects that nobody asked for, such as half-written ones. */
async function leftovers({ store, days }: Aftermath): Promise<string[]> {
  const expected = new Set<string>();
  for (let day = 0; day < days; day += 1) {
    expected.add(mergedKey(day));
    for (const hour of hoursOf(day)) expected.add(objectKey(day, hour));
  }
  const losses: string[] = [];
  for await (const { key } of store.list('')) {
    if (!expected.has(key)) losses.push(`the store has an object ${key} that no job wrote`);
  }
  return losses;
}
