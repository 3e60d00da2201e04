import type { Static, TSchema } from 'typebox';
import type { Log } from '../log.ts';

/** Also the priority of what finds out what there is to do: it takes a moment, and what is queued may be outdated. */
export const MAX_PRIORITY = 1000;

/**
 * `waiting` for other jobs, `queued` for a worker (or for its time), `running`, and three ends: `done`,
 * `failed` (for good, with its error; the dead letters) and `cancelled`.
 */
export type JobState = 'waiting' | 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export const JOB_STATES: readonly JobState[] = [
  'waiting',
  'queued',
  'running',
  'done',
  'failed',
  'cancelled',
];

/** What a sort of job is called, what it is given and how it is retried; made by `defineJob`. */
export interface JobKind<Payload extends TSchema = TSchema> {
  readonly name: string;
  readonly payload: Payload;
  /** How often it runs before it fails for good; a worker that dies with it counts as one. */
  readonly attempts: number;
  /** Wait before the second attempt; it doubles, with some chance added, for each further one. */
  readonly backoffSeconds: number;
  /** A worker without a sign of life for so long has lost the job to the next one. */
  readonly leaseSeconds: number;
  /** Longest one attempt may take. */
  readonly timeLimitSeconds: number;
  /**
   * Among queued jobs the higher number runs first, from −1000 to 1000 (`MAX_PRIORITY`); 0 unless given. It only matters relative
   * to other kinds: a test of the service lists their order.
   */
  readonly priority: number;
  /** Whether requests start such jobs; their keys see them. False unless given: then the service starts them for itself. */
  readonly client: boolean;
  /** What a job is about, for people, since jobs of one kind look alike; empty unless given. */
  subject(payload: Static<Payload>): string;
}

/**
 * The work of one kind. It may be run more than once, also twice at the same moment when a stalled worker
 * wakes up: make its effects idempotent (immutable objects under a key made from the payload). What it returns
 * is kept with the job, exactly once, from the one run that still held the lease.
 */
export interface JobHandler<Payload extends TSchema = TSchema> {
  readonly kind: JobKind<Payload>;
  run(payload: Static<Payload>, context: JobContext): Promise<unknown>;
}

export interface JobContext {
  readonly id: string;
  readonly owner: string | null;
  /** 1 for the first run. */
  readonly attempt: number;
  /** Aborts when the job is cancelled, its lease or time is lost, or the worker stops. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** How much is done, 0 to 1, and what is being done. Cheap: written about once a second. */
  progress(fraction: number, note?: string): void;
  /**
   * Fan-out. The same kind and payload from the same job is the same job, so a second run of the
   * handler adds nothing twice.
   */
  enqueueAll(requests: readonly JobRequest[]): Promise<Enqueued[]>;
}

/** One job that is to be made; `requestJob` checks the payload's type. */
export interface JobRequest {
  readonly kind: JobKind;
  readonly payload: unknown;
  readonly options: JobOptions;
}

export interface JobOptions {
  /** That of its kind unless given; equal ones run in the order of their creation. */
  readonly priority?: number;
  /** It waits until these are done: ids, or requests that are made in the same call. */
  readonly after?: readonly (string | JobRequest)[];
  /**
   * The same kind, owner and key is the same job: the second request returns the id of the first, whatever
   * became of it, until the job is pruned.
   */
  readonly key?: string;
  /** It does not start before. */
  readonly runAtMs?: number;
  /** The API key it belongs to. */
  readonly owner?: string;
}

export interface Enqueued {
  readonly id: string;
  /** False when a job with this key stood already. */
  readonly created: boolean;
}

export interface JobRecord {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  readonly priority: number;
  readonly payload: unknown;
  readonly owner: string | null;
  /** Runs so far, without those that a stopping worker handed back. */
  readonly attempt: number;
  /** The run after which it fails for good. */
  readonly attempts: number;
  /** 0 to 1. */
  readonly progress: number;
  readonly note: string | null;
  /** What the handler returned; null until it is done. */
  readonly result: unknown;
  /** Why it failed, also while it waits for the next attempt; why it was not run. */
  readonly error: string | null;
  readonly createdMs: number;
  readonly runAtMs: number;
  readonly startedMs: number | null;
  readonly finishedMs: number | null;
}

export interface JobQuery {
  readonly state?: JobState;
  readonly kind?: string;
  readonly owner?: string;
  /** 100 without. */
  readonly limit?: number;
  /** The `cursor` of the page before. */
  readonly cursor?: string;
}

export interface JobPage {
  /** Newest first. */
  readonly jobs: JobRecord[];
  /** Set when there are more. */
  readonly cursor?: string;
}

export interface WorkOptions {
  /** Jobs run at once. */
  readonly concurrency: number;
  readonly log: Log;
}

export interface Worker {
  /** How many jobs run now. */
  readonly running: number;
  /**
   * Takes no more jobs, gives running ones `graceSeconds` (default 30) to finish, then aborts them and hands back the
   * rest without spending an attempt.
   */
  stop(options?: { graceSeconds?: number }): Promise<void>;
}

/** Background jobs: on the embedded database for one machine, on PostgreSQL for any number of them. */
export interface Jobs {
  enqueue<Payload extends TSchema>(
    kind: JobKind<Payload>,
    payload: Static<Payload>,
    options?: JobOptions,
  ): Promise<Enqueued>;
  /** All of them or none; the results are in the order of the requests. */
  enqueueAll(requests: readonly JobRequest[]): Promise<Enqueued[]>;
  /** Takes over jobs of another queue with their ids: see `exportJobs`. Returns how many are new here. */
  adopt(records: readonly JobRecord[]): Promise<number>;
  get(id: string): Promise<JobRecord | undefined>;
  list(query?: JobQuery): Promise<JobPage>;
  counts(): Promise<Record<JobState, number>>;
  /**
   * Ends a job that has not ended: at once if it does not run, otherwise the worker that runs it is notified
   * within two seconds and can no longer complete it. Jobs that wait for it are cancelled too.
   * `NotFoundError` without such a job, `ConflictError` when it has ended.
   */
  cancel(id: string): Promise<void>;
  /**
   * Queues a failed or cancelled job again with all its attempts, and revives the jobs that were given up
   * because of it. `NotFoundError` without such a job; `ConflictError` when it has not failed, or was given up
   * because of another job (that one has to be retried).
   */
  retry(id: string): Promise<void>;
  /** Retries every failed job (of a kind); returns how many were queued again. */
  retryFailed(kind?: string): Promise<number>;
  /** Any number of workers in any number of processes may work at once. */
  work(handlers: readonly JobHandler[], options: WorkOptions): Worker;
  /**
   * Makes a job at each time of the cron expression (five fields, or six with seconds first; UTC), once however
   * many workers there are. The same name replaces. Times missed while no worker ran are made up by one job.
   */
  schedule<Payload extends TSchema>(
    name: string,
    cron: string,
    kind: JobKind<Payload>,
    payload: Static<Payload>,
    options?: { priority?: number },
  ): Promise<void>;
  unschedule(name: string): Promise<boolean>;
  /** Forgets jobs that ended before this time and that no job waits for; returns how many. */
  prune(endedBeforeMs: number): Promise<number>;
  /** Stops the workers that were started here (see `stop`) and lets go of the database. */
  close(): Promise<void>;
}
