import { pino } from 'pino';
import type { TSchema } from 'typebox';
import { Type } from 'typebox';
import { test as base } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import type { Database } from '../../src/database/database.ts';
import { defineJob, handleJob } from '../../src/jobs/define.ts';
import type { Engine } from '../../src/jobs/engine.ts';
import type { JobHandler, JobKind, JobRecord, Jobs, Worker } from '../../src/jobs/jobs.ts';

/** One process on the queue under test. */
export interface Seat {
  readonly jobs: Jobs;
  readonly engine: Engine;
  readonly database: Database;
}

/** A fresh queue; each call of what it answers is another process on it. */
export type OpenQueue = () => Promise<() => Promise<Seat>>;

/** The queue of one test, seen from its first process. */
export interface QueueUnderTest extends Seat {
  join(): Promise<Seat>;
  /** A worker that is stopped when the test ends. */
  work(handlers: readonly JobHandler[], concurrency?: number, at?: Seat): Worker;
  /** Waits until no job is left to do. */
  idle(): Promise<void>;
}

export type JobsTest = ReturnType<typeof jobsTest>;

/** Tests with separate queues, so they may run at the same time. */
export function jobsTest(open: OpenQueue) {
  const withSeats = base.extend('openSeat', () => open());
  return withSeats.extend('queue', async ({ openSeat }, { onCleanup }): Promise<QueueUnderTest> => {
    const seats: Seat[] = [];
    const workers: Worker[] = [];
    const join = async () => {
      const seat = await openSeat();
      seats.push(seat);
      return seat;
    };
    onCleanup(async () => {
      await Promise.all(workers.map((worker) => worker.stop({ graceSeconds: 0 })));
      await Promise.all(seats.map((seat) => seat.jobs.close()));
      await Promise.all(seats.map((seat) => seat.database.close()));
    });
    const first = await join();
    return {
      ...first,
      join,
      work(handlers, concurrency = 1, at = first) {
        const worker = at.jobs.work(handlers, { concurrency, log });
        workers.push(worker);
        return worker;
      },
      async idle() {
        await until('no job is open', async () => {
          const { waiting, queued, running } = await first.jobs.counts();
          return waiting + queued + running === 0;
        });
      },
    };
  });
}

/** An id that no job has. */
export const UNKNOWN = '00000000-0000-4000-8000-000000000000';

export const log = pino({ level: process.env.JOBS_TEST_LOG ?? 'silent' });

/** Jobs named by a number, quick to retry. */
export const numbered = defineJob({
  name: 'test.numbered',
  payload: Type.Object({ n: Type.Integer() }),
  backoffSeconds: 0,
  leaseSeconds: 10,
});

export function like(kind: Partial<JobKind<typeof numbered.payload>>): typeof numbered {
  return defineJob({ ...numbered, ...kind });
}

/** A handler that notes the order of its runs. */
export function recording(
  seen: number[],
  kind: JobKind<typeof numbered.payload> = numbered,
): JobHandler<typeof numbered.payload> {
  return handleJob(kind, async ({ n }) => {
    seen.push(n);
    return { n };
  });
}

export async function reaching(jobs: Jobs, id: string, state: JobRecord['state']): Promise<JobRecord> {
  return until(`job ${id} is ${state}`, async () => {
    const job = await jobs.get(id);
    return job?.state === state && job;
  });
}

/** A handler that runs until its signal aborts, and tells that it has begun. */
export function endless<Payload extends TSchema>(kind: JobKind<Payload>) {
  let began: (reason?: undefined) => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    began = resolve;
  });
  let reason: unknown;
  const handler = handleJob(kind, async (_, { signal }) => {
    began();
    await new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        reason = signal.reason;
        reject(signal.reason);
      }),
    );
  });
  return { handler, started, reason: () => reason };
}
