import type { JobState } from '../../src/jobs/jobs.ts';

export interface ModelJob {
  readonly id: string;
  readonly priority: number;
  readonly parents: readonly ModelJob[];
  state: JobState;
  /** The job because of which this one was given up. */
  cause: ModelJob | undefined;
}

const ENDED_BADLY: readonly JobState[] = ['failed', 'cancelled'];

/** What a queue has to do, in the plainest words there are: the oracle of the property tests. */
export class QueueModel {
  readonly jobs: ModelJob[] = [];

  add(id: string, priority: number, parents: readonly ModelJob[]): ModelJob {
    const job: ModelJob = { id, priority, parents, state: 'queued', cause: undefined };
    this.jobs.push(job);
    this.reset(job);
    this.spread();
    return job;
  }

  /** The job that has to be taken next. */
  next(): ModelJob | undefined {
    return this.inState('queued').reduce<ModelJob | undefined>(
      (best, job) => (best === undefined || job.priority > best.priority ? job : best),
      undefined,
    );
  }

  inState(...states: JobState[]): ModelJob[] {
    return this.jobs.filter((job) => states.includes(job.state));
  }

  complete(job: ModelJob): void {
    job.state = 'done';
    for (const child of this.inState('waiting')) this.reset(child);
  }

  end(job: ModelJob, state: 'failed' | 'cancelled'): void {
    job.state = state;
    this.spread();
  }

  canRetry(job: ModelJob): boolean {
    return ENDED_BADLY.includes(job.state) && job.cause === undefined;
  }

  retry(job: ModelJob): void {
    this.reset(job);
    for (const other of this.jobs) {
      if (other.cause !== job) continue;
      other.cause = undefined;
      this.reset(other);
    }
    this.spread();
  }

  private reset(job: ModelJob): void {
    job.state = job.parents.every((parent) => parent.state === 'done') ? 'queued' : 'waiting';
  }

  /** Gives up whatever waits for a job that ended badly, until nothing is left to give up. */
  private spread(): void {
    for (const job of this.jobs) {
      if (job.state !== 'waiting') continue;
      const causes = job.parents
        .filter((parent) => ENDED_BADLY.includes(parent.state))
        .map((parent) => parent.cause ?? parent);
      job.cause = this.jobs.find((other) => causes.includes(other));
      if (job.cause !== undefined) job.state = job.cause.state;
    }
  }
}
