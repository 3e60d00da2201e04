import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineJob, handleJob, requestJob } from '@contrails/platform/jobs/define';
import type { JobHandler } from '@contrails/platform/jobs/jobs';
import type { Store } from '@contrails/platform/store/store';
import { Type } from 'typebox';

/** Hours of a day; each writes an object, and a merge that waits for all of them reads them. */
export const HOURS = 4;
/** The day, its hours and the merge. */
export const JOBS_PER_DAY = HOURS + 2;

const OBJECT_BYTES = 64 * 1024;
/** A worker that is killed spends an attempt, and here that is all that happens. */
const settings = { attempts: 1000, backoffSeconds: 0, leaseSeconds: 0.6 };

export const dayKind = defineJob({
  name: 'chaos.day',
  payload: Type.Object({ day: Type.Integer() }),
  ...settings,
});
const hourKind = defineJob({
  name: 'chaos.hour',
  payload: Type.Object({ day: Type.Integer(), hour: Type.Integer() }),
  ...settings,
});
const mergeKind = defineJob({
  name: 'chaos.merge',
  payload: Type.Object({ day: Type.Integer() }),
  ...settings,
});

export function chaosJobs(store: Store): JobHandler[] {
  return [
    handleJob(dayKind, async ({ day }, { attempt, enqueueAll }) => {
      const hours = hoursOf(day).map((hour) => requestJob(hourKind, { day, hour }));
      await enqueueAll([...hours, requestJob(mergeKind, { day }, { after: hours, priority: 1 })]);
      await sleep(Math.random() * 10);
      return { attempt };
    }),
    handleJob(hourKind, async ({ day, hour }, { attempt, progress, signal }) => {
      for (const part of [1, 2, 3]) {
        progress(part / 4, `part ${part}`);
        await sleep(Math.random() * 60, undefined, { signal });
      }
      const { sha256 } = await store.put(objectKey(day, hour), objectBytes(day, hour), { signal });
      return { attempt, sha256 };
    }),
    handleJob(mergeKind, async ({ day }, { attempt, signal }) => {
      const sums: string[] = [];
      for (const hour of hoursOf(day)) {
        const found = await store.read(objectKey(day, hour));
        if (found === undefined) throw new Error(`hour ${hour} of day ${day} was not written`);
        sums.push(sha256(await buffer(found.body)));
        signal.throwIfAborted();
      }
      await store.put(mergedKey(day), Buffer.from(JSON.stringify(sums)), { signal });
      return { attempt, sums };
    }),
  ];
}

export function hoursOf(_day: number): number[] {
  return Array.from({ length: HOURS }, (_, hour) => hour);
}

export function objectKey(day: number, hour: number): string {
  return `chaos/${day}/${hour}.bin`;
}

export function mergedKey(day: number): string {
  return `chaos/${day}/merged.json`;
}

/** Every byte depends on day and hour, so no part of another object can pass for it. */
export function objectBytes(day: number, hour: number): Buffer {
  return Buffer.alloc(OBJECT_BYTES, createHash('sha256').update(`${day}/${hour}`).digest());
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
