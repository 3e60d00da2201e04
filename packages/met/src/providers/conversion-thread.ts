/** A thread that converts fetched files, one at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import { carryError } from '@contrails/runtime/threads';
import type { Era5Job } from './convert-era5.ts';
import type { IconJob } from './convert-icon.ts';
import type { UkmoJob } from './convert-ukmo.ts';
import { readLazily, type ThreadMessage } from './lazy-reads.ts';
import type { CheckJob } from './stored-field.ts';

export type ConversionJob = UkmoJob | Era5Job | IconJob | CheckJob;

/** A job for the thread. */
export interface ThreadWork {
  readonly job: ConversionJob;
  readonly lazy: readonly { readonly path: string; readonly bytes: number }[];
}

// Before the library is loaded.
const useLazily = readLazily(workerData as Int32Array);

parentPort?.on('message', async ({ job, lazy }: ThreadWork) => {
  useLazily(lazy);
  const answer = await convert(job).then(
    (times) => ({ isDone: true, times }) as const,
    (error: unknown) => ({ error: carryError(error) }),
  );
  parentPort?.postMessage(answer satisfies ThreadMessage);
});

/** How many times a file has that is kept as it is. */
async function convert(job: ConversionJob): Promise<number | undefined> {
  if (job.kind === 'ukmo') await (await import('./convert-ukmo.ts')).convertUkmo(job);
  else if (job.kind === 'icon-eu') await (await import('./convert-icon.ts')).convertIcon(job);
  else if (job.kind === 'era5') await (await import('./convert-era5.ts')).convertEra5(job);
  else return (await import('./stored-field.ts')).checkVariables(job);
  return undefined;
}
