import { setTimeout as sleep } from 'node:timers/promises';
import type { JobRecord, Jobs } from '@contrails/platform/jobs/jobs';
import { openProgress, type Progress, type Tracker } from './progress.ts';

const ended = new Set(['done', 'failed', 'cancelled']);

/** More jobs than this share one bar. */
const MAX_BARS = 4;

/** Follows jobs, with a bar for each that runs or one for many, until all have ended; returns how they ended. */
export async function watchJobs(
  jobs: Pick<Jobs, 'get'>,
  chosen: readonly JobRecord[],
  progress: Progress = openProgress(),
  intervalMs = 500,
): Promise<JobRecord[]> {
  const { loadSubjects } = await import('@contrails/service/services');
  const subjectOf = await loadSubjects();
  const latest = new Map(chosen.map((job) => [job.id, job]));
  const show = chosen.length > MAX_BARS ? showTogether(chosen, progress) : showEach(progress, subjectOf);
  try {
    for (;;) {
      show([...latest.values()]);
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

type Show = (latest: readonly JobRecord[]) => void;

function showEach(progress: Progress, subjectOf: (job: JobRecord) => string): Show {
  const trackers = new Map<string, Tracker>();
  return (latest) => {
    for (const job of latest) {
      let tracker = trackers.get(job.id);
      if (tracker === undefined) {
        if (job.state !== 'running') continue;
        tracker = progress.track(`${job.kind} ${subjectOf(job) || job.id.slice(0, 8)}`, 100, '%');
        trackers.set(job.id, tracker);
      }
      tracker.to(job.state === 'done' ? 100 : job.progress * 100);
      if (ended.has(job.state)) tracker.end();
    }
  };
}

function showTogether(chosen: readonly JobRecord[], progress: Progress): Show {
  const kinds = [...new Set(chosen.map(({ kind }) => kind))];
  const tracker = progress.track(kinds.join(', '), chosen.length, 'jobs');
  return (latest) => {
    const forgotten = chosen.length - latest.length;
    const shares = latest.map(({ state, progress: share }) => (ended.has(state) ? 1 : share));
    tracker.to(shares.reduce((sum, share) => sum + share, forgotten));
  };
}
