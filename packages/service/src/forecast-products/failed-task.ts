import type { JobRecord, Jobs } from '@contrails/platform/jobs';
import { taskKind } from './jobs.ts';
import { type ForecastTask, kindsOf } from './task.ts';

export interface WantedPart extends Pick<ForecastTask, 'referenceTimeMs' | 'validTimeMs'> {
  /** Of the product that is wanted. */
  readonly kind: string;
  readonly flightLevels: readonly number[];
}

const DEAD = ['failed', 'cancelled'] as const;
const ALIVE = ['running', 'queued', 'waiting'] as const;
const PAGE = 500;

/**
 * The job of a task that will not be computed: it failed permanently or was cancelled, and no other one makes the
 * task with other settings. There are few such jobs, so most requests read none.
 */
export async function failedTaskJob(
  jobs: Pick<Jobs, 'list'>,
  wanted: WantedPart,
): Promise<JobRecord | undefined> {
  const dead = await findJob(jobs, DEAD, wanted);
  return dead === undefined || (await findJob(jobs, ALIVE, wanted)) !== undefined ? undefined : dead;
}

async function findJob(
  jobs: Pick<Jobs, 'list'>,
  states: readonly JobRecord['state'][],
  wanted: WantedPart,
): Promise<JobRecord | undefined> {
  for await (const job of taskJobs(jobs, states)) {
    if (makes(job.payload as ForecastTask, wanted)) return job;
  }
  return undefined;
}

/** Tasks whose jobs are in one of some states. */
export async function listTasks(
  jobs: Pick<Jobs, 'list'>,
  states: readonly JobRecord['state'][],
): Promise<ForecastTask[]> {
  return Array.fromAsync(taskJobs(jobs, states), ({ payload }) => payload as ForecastTask);
}

async function* taskJobs(
  jobs: Pick<Jobs, 'list'>,
  states: readonly JobRecord['state'][],
): AsyncGenerator<JobRecord> {
  for (const state of states) {
    let cursor: string | undefined;
    do {
      const page = await jobs.list({ state, kind: taskKind.name, limit: PAGE, ...(cursor && { cursor }) });
      yield* page.jobs;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
}

function makes(task: ForecastTask, wanted: WantedPart): boolean {
  return (
    task.validTimeMs === wanted.validTimeMs &&
    task.referenceTimeMs === wanted.referenceTimeMs &&
    task.flightLevels.some((level) => wanted.flightLevels.includes(level)) &&
    kindsOf(task).includes(wanted.kind)
  );
}
