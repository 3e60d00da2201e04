/** The thread that converts fetched files. */
import { parentPort, workerData } from 'node:worker_threads';
import { carryError } from '@contrails/runtime/threads';
import type { Era5Job } from './convert-era5.ts';
import type { IconJob } from './convert-icon.ts';
import type { UkmoJob } from './convert-ukmo.ts';
import { readLazily, type ThreadMessage } from './lazy-reads.ts';
import type { CheckJob } from './stored-field.ts';

export type ConversionJob = UkmoJob | Era5Job | IconJob | CheckJob;

const { job, lazy, shared } = workerData as {
  readonly job: ConversionJob;
  readonly lazy: readonly { readonly path: string; readonly bytes: number }[];
  readonly shared: Int32Array;
};

try {
  // Before the library is loaded.
  readLazily(lazy, shared);
  if (job.kind === 'ukmo') await (await import('./convert-ukmo.ts')).convertUkmo(job);
  else if (job.kind === 'icon-eu') await (await import('./convert-icon.ts')).convertIcon(job);
  else if (job.kind === 'era5') await (await import('./convert-era5.ts')).convertEra5(job);
  else (await import('./stored-field.ts')).checkVariables(job);
} catch (error) {
  parentPort?.postMessage({ error: carryError(error) } satisfies ThreadMessage);
}
