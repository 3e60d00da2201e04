import type { JobPage, JobQuery, JobRecord, JobState } from './jobs.ts';

/**
 * What each of the two queues implements; everything else (checks, workers, schedules) is written once on top of it.
 * Every method may reject with `UnavailableError`, and can then be called again.
 */
export interface Engine {
  /**
   * Makes the jobs that do not exist yet, all or none; returns the ids it made. A job waits for those of
   * `after` that are not done; rejects with `NotFoundError` when one of them does not exist.
   */
  enqueue(jobs: readonly NewJob[]): Promise<ReadonlySet<string>>;
  /**
   * Makes jobs of another queue, those that have not ended queued and the others as they ended; leaves alone what
   * exists. Returns how many it made.
   */
  adopt(records: readonly JobRecord[]): Promise<number>;
  get(id: string): Promise<JobRecord | undefined>;
  list(query: JobQuery & { limit: number }): Promise<JobPage>;
  counts(): Promise<Partial<Record<JobState, number>>>;
  cancel(id: string): Promise<void>;
  retry(id: string): Promise<void>;
  /** Ids of failed jobs that ran themselves. */
  failedIds(kind: string | undefined): Promise<string[]>;
  prune(endedBeforeMs: number): Promise<number>;

  /** Takes up to `count` jobs of these kinds, best first. */
  claim(kinds: readonly string[], count: number): Promise<Claim[]>;
  /** Which of these are no longer held, and why. */
  lost(claims: readonly Claim[]): Promise<Map<string, Loss>>;
  renew(claims: readonly Claim[]): Promise<void>;
  progress(claim: Claim, fraction: number, note: string | null): Promise<void>;
  /** The next three change nothing and return false when the lease is no longer held. */
  complete(claim: Claim, result: unknown): Promise<boolean>;
  /** Queues it for the next attempt, or ends it when `final` is set or none is left. */
  fail(claim: Claim, error: string, final: boolean): Promise<boolean>;
  /** Back into the queue as if it had not been taken. */
  release(claim: Claim): Promise<boolean>;

  /** Takes jobs from workers that died, and repairs what a crash left half-way; every worker calls it. */
  upkeep(): Promise<void>;
  readonly upkeepMs: number;
  /** How often a worker asks for jobs when nothing wakes it. */
  readonly pollMs: number;
  /** Calls when jobs were queued or cancelled here or, as far as the queue knows, elsewhere. */
  listen(onChange: (change: Change) => void): Listener;
  close(): Promise<void>;
}

export interface NewJob {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly owner: string | null;
  readonly priority: number;
  readonly runAtMs: number | null;
  readonly after: readonly string[];
  readonly attempts: number;
  readonly backoffSeconds: number;
  readonly leaseSeconds: number;
}

/** Settings of jobs that come from another queue; they are those of every kind. */
export const ADOPTED = { backoffSeconds: 5, leaseSeconds: 20 } as const;

/** A job that this worker holds until its lease runs out. */
export interface Claim {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly owner: string | null;
  readonly attempt: number;
  /** Names this one holding of the job; no other has it. */
  readonly lease: string;
  readonly leaseSeconds: number;
  readonly backoffSeconds: number;
}

export type Loss = 'cancelled' | 'taken over';
export type Change = 'queued' | 'cancelled';

export interface Listener {
  close(): Promise<void>;
}
