import { setTimeout as sleep } from 'node:timers/promises';
import type { JobRecord, Jobs } from '@contrails/service/jobs';
import { openProgress, type Progress, type Tracker } from './progress.ts';

const ended = new Set(['done', 'failed', 'cancelled']);

/** Follows jobs, with a bar for each that runs, until all have ended; answers how they ended. */
export async function watchJobs(
  jobs: Jobs,
  chosen: readonly JobRecord[],
  progress: Progress = openProgress(),
  intervalMs = 500,
): Promise<JobRecord[]> {
  const latest = new Map(chosen.map((job) => [job.id, job]));
  const trackers = new Map<string, Tracker>();
  try {
    for (;;) {
      for (const job of latest.values()) show(job, trackers, progress);
      const open = [...latest.values()].filter(({ state }) => !ended.has(state));
      if (open.length === 0) return [...latest.values()];
      await sleep(intervalMs);
      for (const { id } of open) {
        const job = await jobs.get(id);
        // Housekeeping may forget an ended job between two looks.
        if (job === undefined) latest.delete(id);
        else latest.set(id, job);
      }
    }
  } finally {
    progress.close();
  }
}

function show(job: JobRecord, trackers: Map<string, Tracker>, progress: Progress): void {
  let tracker = trackers.get(job.id);
  if (tracker === undefined) {
    if (job.state !== 'running') return;
    tracker = progress.track(`${job.kind} ${job.id.slice(0, 8)}`, 100, '%');
    trackers.set(job.id, tracker);
  }
  tracker.to(job.state === 'done' ? 100 : job.progress * 100);
  if (ended.has(job.state)) tracker.end();
}
