import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ConflictError,
  NotFoundError,
  UnavailableError,
  UsageError,
  ValidationError,
} from '../../src/errors.ts';
import { defineJob, handleJob, requestJob } from '../../src/jobs/define.ts';
import type { JobHandler, Worker } from '../../src/jobs/jobs.ts';
import { FinalJobError } from '../../src/jobs/outcome.ts';
import { createSchedules } from '../../src/jobs/schedules.ts';
import { WORKER_DIED } from '../../src/jobs/sentences.ts';
import {
  endless,
  like,
  log,
  numbered,
  type QueueUnderTest,
  reaching,
  recording,
  type Seat,
  until,
} from './fixture.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** What every queue of the service has to do; run against each of them. */
export function describeJobs(name: string, open: () => Promise<QueueUnderTest>): void {
  describe(`${name} queue`, { timeout: 60_000 }, () => {
    let queue: QueueUnderTest;
    let seat: Seat;
    let workers: Worker[];

    beforeEach(async () => {
      queue = await open();
      seat = await queue.join();
      workers = [];
    });
    afterEach(async () => {
      await Promise.all(workers.map((worker) => worker.stop({ graceSeconds: 0 })));
      await queue.close();
    });

    const work = (handlers: readonly JobHandler[], concurrency = 1, at = seat): Worker => {
      const worker = at.jobs.work(handlers, { concurrency, log });
      workers.push(worker);
      return worker;
    };
    const idle = () =>
      until(async () => {
        const { waiting, queued, running } = await seat.jobs.counts();
        return waiting + queued + running === 0;
      });

    describe('running', () => {
      test('a job runs once and keeps what its handler returned', async () => {
        const { id, created } = await seat.jobs.enqueue(numbered, { n: 7 }, { owner: 'k1', priority: 3 });
        expect(created).toBe(true);
        work([handleJob(numbered, async ({ n }) => ({ squared: n * n }))]);
        expect(await reaching(seat.jobs, id, 'done')).toMatchObject({
          id,
          kind: 'test.numbered',
          payload: { n: 7 },
          owner: 'k1',
          priority: 3,
          attempt: 1,
          attempts: 5,
          progress: 1,
          result: { squared: 49 },
          error: null,
        });
      });

      test('a handler that returns nothing leaves null', async () => {
        const { id } = await seat.jobs.enqueue(numbered, { n: 1 });
        work([handleJob(numbered, async () => undefined)]);
        expect((await reaching(seat.jobs, id, 'done')).result).toBeNull();
      });

      test('a worker in another process takes a job that is queued while it waits', async () => {
        const other = await queue.join();
        const seen: number[] = [];
        work([recording(seen)], 1, other);
        await sleep(100);
        const { id } = await seat.jobs.enqueue(numbered, { n: 1 });
        await reaching(seat.jobs, id, 'done');
        expect(seen).toEqual([1]);
      });

      test('several workers share the jobs, each of them run once', async () => {
        const runs: number[] = [];
        const numbers = Array.from({ length: 60 }, (_, n) => n);
        await seat.jobs.enqueueAll(numbers.map((n) => requestJob(numbered, { n })));
        for (let i = 0; i < 3; i += 1) work([recording(runs)], 4, await queue.join());
        await idle();
        expect(runs.sort((a, b) => a - b)).toEqual(numbers);
      });

      test('higher priority runs first, and equal ones in the order of their making', async () => {
        for (const [n, priority] of [0, 5, -5, 5, 0, -5].entries()) {
          await seat.jobs.enqueue(numbered, { n }, { priority });
        }
        const seen: number[] = [];
        work([recording(seen)]);
        await idle();
        expect(seen).toEqual([1, 3, 0, 4, 2, 5]);
      });

      test('priority holds across kinds', async () => {
        const other = like({ name: 'test.other' });
        await seat.jobs.enqueue(numbered, { n: 1 });
        await seat.jobs.enqueue(other, { n: 2 }, { priority: 1 });
        const seen: number[] = [];
        work([recording(seen), recording(seen, other)]);
        await idle();
        expect(seen).toEqual([2, 1]);
      });

      test('a job does not start before its time', async () => {
        const runAtMs = Date.now() + 700;
        const { id } = await seat.jobs.enqueue(numbered, { n: 1 }, { runAtMs });
        work([recording([])]);
        const { startedMs } = await reaching(seat.jobs, id, 'done');
        expect(startedMs).toBeGreaterThanOrEqual(runAtMs);
      });

      test('a worker leaves kinds that it does not know to others', async () => {
        const unknown = like({ name: 'test.unknown' });
        const { id } = await seat.jobs.enqueue(unknown, { n: 1 }, { priority: 9 });
        const known = await seat.jobs.enqueue(numbered, { n: 2 });
        work([recording([])]);
        await reaching(seat.jobs, known.id, 'done');
        expect(await seat.jobs.get(id)).toMatchObject({ state: 'queued', attempt: 0 });
        work([recording([], unknown)], 1, await queue.join());
        expect(await reaching(seat.jobs, id, 'done')).toMatchObject({ attempt: 1 });
      });

      test('progress and note can be read while the job runs', async () => {
        const { id } = await seat.jobs.enqueue(numbered, { n: 1 });
        const job = handleJob(numbered, async (_, { progress, signal }) => {
          progress(0.25, 'hour 6');
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        });
        work([job]);
        const record = await until(async () => {
          const found = await seat.jobs.get(id);
          return found?.progress === 0.25 && found;
        });
        expect(record).toMatchObject({ state: 'running', note: 'hour 6' });
        await seat.jobs.cancel(id);
      });

      test('two handlers of one kind are refused', () => {
        expect(() => seat.jobs.work([recording([]), recording([])], { concurrency: 1, log })).toThrow(
          UsageError,
        );
      });
    });

    describe('what may be enqueued', () => {
      test('a payload that its kind does not allow is refused by the name of its fault', async () => {
        const wrong = seat.jobs.enqueue(numbered, { n: 1.5 });
        await expect(wrong).rejects.toThrow(ValidationError);
        await expect(wrong).rejects.toThrow(/test\.numbered.*\bn\b/);
        expect((await seat.jobs.list()).jobs).toEqual([]);
      });

      test('text that not every database can store is refused', async () => {
        const texts = defineJob({ name: 'test.text', payload: Type.String() });
        await expect(seat.jobs.enqueue(texts, 'a\0b')).rejects.toThrow(ValidationError);
        await expect(seat.jobs.enqueue(texts, 'half \ud800')).rejects.toThrow(ValidationError);
        const { id } = await seat.jobs.enqueue(texts, 'a backslash \\u0000 and a whole 😀 \\ud800');
        expect((await seat.jobs.get(id))?.payload).toBe('a backslash \\u0000 and a whole 😀 \\ud800');
      });

      test.each([{ priority: 1001 }, { priority: 0.5 }, { runAtMs: Number.NaN }, { key: '' }])(
        '%j is refused',
        async (options) => {
          await expect(seat.jobs.enqueue(numbered, { n: 1 }, options)).rejects.toThrow(ValidationError);
        },
      );

      test('all requests of a call are made, or none', async () => {
        const requests = [
          requestJob(numbered, { n: 1 }),
          requestJob(numbered, { n: 2 }, { after: [UNKNOWN] }),
        ];
        await expect(seat.jobs.enqueueAll(requests)).rejects.toThrow(NotFoundError);
        expect((await seat.jobs.list()).jobs).toEqual([]);
      });

      test('no requests make no jobs', async () => {
        expect(await seat.jobs.enqueueAll([])).toEqual([]);
      });
    });

    describe('idempotency keys', () => {
      test('the same key is the same job, also when it has ended', async () => {
        const first = await seat.jobs.enqueue(numbered, { n: 1 }, { key: 'day' });
        expect(await seat.jobs.enqueue(numbered, { n: 2 }, { key: 'day' })).toEqual({
          id: first.id,
          created: false,
        });
        const seen: number[] = [];
        work([recording(seen)]);
        await reaching(seat.jobs, first.id, 'done');
        expect((await seat.jobs.enqueue(numbered, { n: 3 }, { key: 'day' })).created).toBe(false);
        await idle();
        expect(seen).toEqual([1]);
      });

      test('keys of different kinds and owners do not meet', async () => {
        const other = like({ name: 'test.other' });
        const made = [
          await seat.jobs.enqueue(numbered, { n: 1 }, { key: 'day' }),
          await seat.jobs.enqueue(numbered, { n: 1 }, { key: 'day', owner: 'k1' }),
          await seat.jobs.enqueue(numbered, { n: 1 }, { key: 'day', owner: 'k2' }),
          await seat.jobs.enqueue(other, { n: 1 }, { key: 'day' }),
        ];
        expect(new Set(made.map((job) => job.id)).size).toBe(4);
        expect(made.every((job) => job.created)).toBe(true);
      });

      test('of many who ask at once one makes the job', async () => {
        const seats = [seat, await queue.join(), await queue.join()];
        const asked = Array.from({ length: 12 }, (_, i) =>
          seats[i % 3]?.jobs.enqueue(numbered, { n: 1 }, { key: 'once' }),
        );
        const answers = await Promise.all(asked);
        expect(answers.filter((answer) => answer?.created)).toHaveLength(1);
        expect(new Set(answers.map((answer) => answer?.id)).size).toBe(1);
      });

      test('callers who make the same jobs in opposite order both get an answer', async () => {
        const other = await queue.join();
        const requests = Array.from({ length: 20 }, (_, n) => requestJob(numbered, { n }, { key: `${n}` }));
        const [there, back] = await Promise.all([
          seat.jobs.enqueueAll(requests),
          other.jobs.enqueueAll(requests.toReversed()),
        ]);
        expect([...there, ...back].filter((job) => job.created)).toHaveLength(20);
      });

      test('a key twice in one call makes one job', async () => {
        const twins = [1, 1].map((n) => requestJob(numbered, { n }, { key: 'twin' }));
        const [a, b] = await seat.jobs.enqueueAll(twins);
        expect([a?.created, b?.created, a?.id === b?.id]).toEqual([true, false, true]);
      });

      test('a key for two different jobs in one call is refused', async () => {
        const twins = [1, 2].map((n) => requestJob(numbered, { n }, { key: 'twin' }));
        await expect(seat.jobs.enqueueAll(twins)).rejects.toThrow(ValidationError);
      });
    });

    describe('dependencies', () => {
      test('a day fans out to hours, and a later job waits for all of them', async () => {
        const seen: number[] = [];
        const hours = Array.from({ length: 24 }, (_, n) => requestJob(numbered, { n }));
        const merge = requestJob(numbered, { n: 99 }, { after: hours, priority: 100 });
        const made = await seat.jobs.enqueueAll([merge, ...hours]);
        expect(await seat.jobs.get(made[0]?.id ?? '')).toMatchObject({ state: 'waiting' });
        work([recording(seen)], 6, await queue.join());
        await idle();
        expect(seen).toHaveLength(25);
        expect(seen.at(-1)).toBe(99);
      });

      test('a chain runs from end to end', async () => {
        const chain = [requestJob(numbered, { n: 0 })];
        for (let n = 1; n < 12; n += 1) chain.push(requestJob(numbered, { n }, { after: chain.slice(-1) }));
        await seat.jobs.enqueueAll(chain);
        const seen: number[] = [];
        work([recording(seen)], 4);
        await idle();
        expect(seen).toEqual(Array.from({ length: 12 }, (_, n) => n));
      });

      test('a job may wait for one that stands already: done, queued or running', async () => {
        const seen: number[] = [];
        const done = await seat.jobs.enqueue(numbered, { n: 1 });
        const worker = work([recording(seen)]);
        await reaching(seat.jobs, done.id, 'done');
        await worker.stop();
        const queued = await seat.jobs.enqueue(numbered, { n: 2 });
        const both = await seat.jobs.enqueue(
          numbered,
          { n: 3 },
          { after: [queued.id, done.id], priority: 9 },
        );
        expect((await seat.jobs.get(both.id))?.state).toBe('waiting');
        const one = await seat.jobs.enqueue(numbered, { n: 4 }, { after: [done.id], priority: 5 });
        expect((await seat.jobs.get(one.id))?.state).toBe('queued');
        const slow = like({ name: 'test.slow' });
        const finish = Promise.withResolvers<void>();
        const running = await seat.jobs.enqueue(slow, { n: 0 }, { priority: 99 });
        work([recording(seen), handleJob(slow, () => finish.promise)], 2);
        await reaching(seat.jobs, running.id, 'running');
        const last = await seat.jobs.enqueue(numbered, { n: 5 }, { after: [running.id] });
        await reaching(seat.jobs, both.id, 'done');
        expect((await seat.jobs.get(last.id))?.state).toBe('waiting');
        finish.resolve();
        await idle();
        expect(seen).toEqual([1, 4, 2, 3, 5]);
      });

      test('a job may wait for the one that makes it', async () => {
        const seen: string[] = [];
        const parent = like({ name: 'test.parent' });
        const { id } = await seat.jobs.enqueue(parent, { n: 1 });
        work(
          [
            handleJob(numbered, async () => seen.push('child')),
            handleJob(parent, async (_, context) => {
              await context.enqueueAll([requestJob(numbered, { n: 2 }, { after: [context.id] })]);
              await sleep(100);
              seen.push('parent');
            }),
          ],
          2,
        );
        await reaching(seat.jobs, id, 'done');
        await idle();
        expect(seen).toEqual(['parent', 'child']);
      });

      test('a fan-out that is run again makes nothing twice', async () => {
        const parent = like({ name: 'test.parent' });
        const seen: number[] = [];
        const fanOut = handleJob(parent, async (_, { enqueueAll, attempt }) => {
          const hours = [1, 2, 3].map((n) => requestJob(numbered, { n }));
          await enqueueAll([...hours, requestJob(numbered, { n: 99 }, { after: hours })]);
          if (attempt < 3) throw new Error('after the fan-out');
        });
        await seat.jobs.enqueue(parent, { n: 0 }, { owner: 'k1' });
        work([fanOut, recording(seen)], 2);
        await idle();
        expect(seen.sort((a, b) => a - b)).toEqual([1, 2, 3, 99]);
        const { jobs } = await seat.jobs.list({ kind: 'test.numbered' });
        expect(jobs.map((job) => job.owner)).toEqual(['k1', 'k1', 'k1', 'k1']);
      });

      test('a job that waits for one that failed fails with its name, and so do those behind it', async () => {
        const fails = like({ name: 'test.fails', attempts: 1 });
        const a = requestJob(fails, { n: 1 });
        const b = requestJob(numbered, { n: 2 }, { after: [a] });
        const c = requestJob(numbered, { n: 3 }, { after: [b] });
        const [first, second, third] = await seat.jobs.enqueueAll([a, b, c]);
        work([
          recording([]),
          handleJob(fails, async () => {
            throw new Error('no weather');
          }),
        ]);
        for (const made of [second, third]) {
          const { error, attempt } = await reaching(seat.jobs, made?.id ?? '', 'failed');
          expect(attempt).toBe(0);
          expect(error).toContain(first?.id);
          expect(error).toContain('no weather');
        }
        const late = await seat.jobs.enqueue(numbered, { n: 4 }, { after: [third?.id ?? ''] });
        expect(await seat.jobs.get(late.id)).toMatchObject({ state: 'failed' });
      });

      test('retrying the job that failed revives all that were given up because of it', async () => {
        let broken = true;
        const fails = like({ name: 'test.fails', attempts: 1 });
        const a = requestJob(fails, { n: 1 });
        const b = requestJob(numbered, { n: 2 }, { after: [a] });
        const c = requestJob(numbered, { n: 3 }, { after: [b, a] });
        const made = await seat.jobs.enqueueAll([a, b, c]);
        const [first, second, third] = made.map((job) => job.id) as [string, string, string];
        const seen: number[] = [];
        work([
          recording(seen),
          handleJob(fails, async () => {
            if (broken) throw new Error('no weather');
          }),
        ]);
        await reaching(seat.jobs, third, 'failed');
        await expect(seat.jobs.retry(second)).rejects.toThrow(first);
        broken = false;
        await seat.jobs.retry(first);
        await reaching(seat.jobs, third, 'done');
        expect(seen).toEqual([2, 3]);
        expect(await seat.jobs.get(second)).toMatchObject({ state: 'done', error: null });
      });

      test('a job behind two that failed is revived only by both', async () => {
        let broken = true;
        const fails = like({ name: 'test.fails', attempts: 1 });
        const parents = [1, 2].map((n) => requestJob(fails, { n }));
        const made = await seat.jobs.enqueueAll([
          ...parents,
          requestJob(numbered, { n: 3 }, { after: parents }),
        ]);
        const [one, two, child] = made.map((job) => job.id) as [string, string, string];
        work([
          recording([]),
          handleJob(fails, async () => {
            if (broken) throw new Error('no weather');
          }),
        ]);
        await reaching(seat.jobs, one, 'failed');
        await reaching(seat.jobs, two, 'failed');
        broken = false;
        await seat.jobs.retry(one);
        await reaching(seat.jobs, one, 'done');
        expect((await seat.jobs.get(child))?.state).toBe('failed');
        await seat.jobs.retry(two);
        await reaching(seat.jobs, child, 'done');
      });
    });

    describe('failing', () => {
      test('a job is tried again until it works, and shows its last error meanwhile', async () => {
        const attempts: number[] = [];
        const { id } = await seat.jobs.enqueue(numbered, { n: 1 });
        const job = handleJob(numbered, async (_, { attempt }) => {
          attempts.push(attempt);
          if (attempt === 2) expect((await seat.jobs.get(id))?.error).toBe('failed once');
          if (attempt < 3) throw new Error(attempt === 1 ? 'failed once' : 'failed twice');
        });
        work([job]);
        expect(await reaching(seat.jobs, id, 'done')).toMatchObject({ attempt: 3, error: null });
        expect(attempts).toEqual([1, 2, 3]);
      });

      test('the next attempt waits at least for the backoff', async () => {
        const starts: number[] = [];
        const patient = like({ name: 'test.patient', backoffSeconds: 1 });
        const { id } = await seat.jobs.enqueue(patient, { n: 1 });
        const job = handleJob(patient, async (_, { attempt }) => {
          starts.push(Date.now());
          if (attempt === 1) throw new Error('not yet');
        });
        work([job]);
        await reaching(seat.jobs, id, 'done');
        expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(999);
      });

      test('after the last attempt it has failed for good, with its error', async () => {
        const kind = like({ name: 'test.fails', attempts: 3 });
        const { id } = await seat.jobs.enqueue(kind, { n: 1 });
        let runs = 0;
        const job = handleJob(kind, async () => {
          runs += 1;
          throw new TypeError(`fault ${runs} with a NUL \0`);
        });
        work([job]);
        expect(await reaching(seat.jobs, id, 'failed')).toMatchObject({
          attempt: 3,
          attempts: 3,
          result: null,
          error: 'TypeError: fault 3 with a NUL \ufffd',
        });
        expect(runs).toBe(3);
      });

      test('a retried job has all its attempts again', async () => {
        const kind = like({ name: 'test.fails', attempts: 2 });
        const { id } = await seat.jobs.enqueue(kind, { n: 1 });
        let runs = 0;
        const job = handleJob(kind, async () => {
          runs += 1;
          if (runs < 4) throw new Error('not yet');
        });
        work([job]);
        await reaching(seat.jobs, id, 'failed');
        await seat.jobs.retry(id);
        expect(await reaching(seat.jobs, id, 'done')).toMatchObject({ attempt: 4 });
      });

      test('all failed jobs of a kind can be retried at once', async () => {
        let broken = true;
        const kind = like({ name: 'test.fails', attempts: 1 });
        const fails = [1, 2, 3].map((n) => requestJob(kind, { n }));
        await seat.jobs.enqueueAll([...fails, requestJob(kind, { n: 4 }, { after: fails })]);
        const job = handleJob(kind, async () => {
          if (broken) throw new Error('no');
        });
        work([job]);
        await until(async () => (await seat.jobs.counts()).failed === 4);
        broken = false;
        expect(await seat.jobs.retryFailed('test.other')).toBe(0);
        expect(await seat.jobs.retryFailed()).toBe(3);
        await until(async () => (await seat.jobs.counts()).done === 4);
      });

      test('an error that is final, or a wrong payload, spends no further attempt', async () => {
        const kind = like({ name: 'test.fails' });
        const { id } = await seat.jobs.enqueue(kind, { n: 1 });
        const job = handleJob(kind, async () => {
          throw new FinalJobError('there is no such day');
        });
        const worker = work([job]);
        expect(await reaching(seat.jobs, id, 'failed')).toMatchObject({
          attempt: 1,
          error: 'there is no such day',
        });
        await worker.stop();
        const later = defineJob({ ...kind, payload: Type.Object({ m: Type.Integer() }) });
        const old = await seat.jobs.enqueue(kind, { n: 2 });
        work([handleJob(later, async () => undefined)]);
        expect(await reaching(seat.jobs, old.id, 'failed')).toMatchObject({ attempt: 1 });
      });

      test('a result that is no JSON fails the job', async () => {
        const { id } = await seat.jobs.enqueue(numbered, { n: 1 });
        work([handleJob(numbered, async () => ({ big: 1n }))]);
        expect((await reaching(seat.jobs, id, 'failed')).error).toContain('JSON');
      });

      test('a job that takes longer than its limit fails', async () => {
        const kind = like({ name: 'test.slow', attempts: 1, timeLimitSeconds: 0.2 });
        const { id } = await seat.jobs.enqueue(kind, { n: 1 });
        work([endless(kind).handler]);
        expect((await reaching(seat.jobs, id, 'failed')).error).toContain('0.2 s');
      });
    });

    describe('cancelling', () => {
      test('a queued job, and those that wait for it, are cancelled at once', async () => {
        const a = requestJob(numbered, { n: 1 });
        const [first, second] = await seat.jobs.enqueueAll([
          a,
          requestJob(numbered, { n: 2 }, { after: [a] }),
        ]);
        await seat.jobs.cancel(first?.id ?? '');
        expect(await seat.jobs.get(first?.id ?? '')).toMatchObject({ state: 'cancelled', attempt: 0 });
        const dependant = await seat.jobs.get(second?.id ?? '');
        expect(dependant).toMatchObject({ state: 'cancelled' });
        expect(dependant?.error).toContain(first?.id);
        const seen: number[] = [];
        work([recording(seen)]);
        await seat.jobs.enqueue(numbered, { n: 3 });
        await idle();
        expect(seen).toEqual([3]);
      });

      test('the signal of a running job aborts, whoever runs it, and it cannot be completed', async () => {
        const { id } = await seat.jobs.enqueue(numbered, { n: 1 });
        const { handler, started, reason } = endless(numbered);
        const worker = work([handler], 1, await queue.join());
        await started;
        await seat.jobs.cancel(id);
        await until(() => reason() !== undefined);
        await until(() => worker.running === 0);
        expect(await seat.jobs.get(id)).toMatchObject({ state: 'cancelled', attempt: 1 });
      });

      test('a cancelled job can be retried', async () => {
        const a = requestJob(numbered, { n: 1 });
        const made = await seat.jobs.enqueueAll([a, requestJob(numbered, { n: 2 }, { after: [a] })]);
        await seat.jobs.cancel(made[0]?.id ?? '');
        await seat.jobs.retry(made[0]?.id ?? '');
        const seen: number[] = [];
        work([recording(seen)]);
        await idle();
        expect(seen).toEqual([1, 2]);
      });

      test('a job that does not exist or has ended cannot be cancelled, nor one retried that has not failed', async () => {
        await expect(seat.jobs.cancel(UNKNOWN)).rejects.toThrow(NotFoundError);
        await expect(seat.jobs.cancel("no id'; --")).rejects.toThrow(NotFoundError);
        await expect(seat.jobs.retry(UNKNOWN)).rejects.toThrow(NotFoundError);
        const { id } = await seat.jobs.enqueue(numbered, { n: 1 });
        await expect(seat.jobs.retry(id)).rejects.toThrow(ConflictError);
        work([recording([])]);
        await reaching(seat.jobs, id, 'done');
        await expect(seat.jobs.cancel(id)).rejects.toThrow(ConflictError);
        await expect(seat.jobs.retry(id)).rejects.toThrow(ConflictError);
      });
    });

    describe('workers that stop or die', () => {
      test('a stopping worker lets its jobs finish', async () => {
        const { id } = await seat.jobs.enqueue(numbered, { n: 1 });
        const finish = Promise.withResolvers<void>();
        const worker = work([handleJob(numbered, () => finish.promise)]);
        await reaching(seat.jobs, id, 'running');
        const stopped = worker.stop({ graceSeconds: 30 });
        finish.resolve();
        await stopped;
        expect(await seat.jobs.get(id)).toMatchObject({ state: 'done', attempt: 1 });
      });

      test('what a stopping worker cannot finish is handed back without spending an attempt', async () => {
        const kind = like({ attempts: 1 });
        const { id } = await seat.jobs.enqueue(kind, { n: 1 });
        const { handler, started } = endless(kind);
        const worker = work([handler]);
        await started;
        await worker.stop({ graceSeconds: 0 });
        expect(await seat.jobs.get(id)).toMatchObject({ state: 'queued', attempt: 0 });
        work([recording([])], 1, await queue.join());
        expect(await reaching(seat.jobs, id, 'done')).toMatchObject({ attempt: 1 });
      });

      test('a worker that is stopped takes no more jobs', async () => {
        const worker = work([recording([])]);
        await worker.stop();
        await worker.stop();
        const { id } = await seat.jobs.enqueue(numbered, { n: 1 });
        await sleep(400);
        expect((await seat.jobs.get(id))?.state).toBe('queued');
      });

      test('the job of a worker that died is taken over', async () => {
        const { id } = await seat.jobs.enqueue(like({ leaseSeconds: 1 }), { n: 1 });
        const dead = await queue.join();
        const { handler, started } = endless(numbered);
        work([handler], 1, dead);
        await started;
        await dead.database.close();
        work([recording([])]);
        expect(await reaching(seat.jobs, id, 'done')).toMatchObject({ attempt: 2 });
      });

      test('a worker that lost its lease can neither complete, fail nor hand back the job', async () => {
        const kind = like({ leaseSeconds: 1 });
        const { id } = await seat.jobs.enqueue(kind, { n: 1 });
        const [stalled] = await seat.engine.claim([kind.name], 1);
        if (stalled === undefined) throw new Error('nothing was claimed');
        const [taken] = await until(async () => {
          await seat.engine.upkeep();
          const claims = await seat.engine.claim([kind.name], 1);
          return claims.length > 0 && claims;
        });
        if (taken === undefined) throw new Error('nothing was taken over');
        expect(taken).toMatchObject({ id, attempt: 2 });
        expect(await seat.engine.complete(stalled, 'stale')).toBe(false);
        expect(await seat.engine.fail(stalled, 'stale', true)).toBe(false);
        expect(await seat.engine.release(stalled)).toBe(false);
        await seat.engine.progress(stalled, 0.9, 'stale');
        expect(await seat.engine.lost([stalled])).toEqual(new Map([[id, 'taken over']]));
        expect(await seat.engine.lost([taken])).toEqual(new Map());
        expect(await seat.engine.complete(taken, 'fresh')).toBe(true);
        expect(await seat.engine.complete(taken, 'twice')).toBe(false);
        expect(await seat.jobs.get(id)).toMatchObject({ state: 'done', result: 'fresh', note: null });
      });

      test('a job whose worker dies at the last attempt has failed, with those that wait for it', async () => {
        const kind = like({ leaseSeconds: 1, attempts: 1 });
        const a = requestJob(kind, { n: 1 });
        const made = await seat.jobs.enqueueAll([a, requestJob(kind, { n: 2 }, { after: [a] })]);
        await seat.engine.claim([kind.name], 1);
        work([]);
        expect(await reaching(seat.jobs, made[0]?.id ?? '', 'failed')).toMatchObject({ error: WORKER_DIED });
        const dependant = await reaching(seat.jobs, made[1]?.id ?? '', 'failed');
        expect(dependant.error).toContain(WORKER_DIED);
      });

      test('a lease that is renewed is not lost', async () => {
        const kind = like({ leaseSeconds: 1 });
        const { id } = await seat.jobs.enqueue(kind, { n: 1 });
        const finish = Promise.withResolvers<void>();
        work([handleJob(kind, () => finish.promise)]);
        work([recording([])], 1, await queue.join());
        await reaching(seat.jobs, id, 'running');
        await sleep(queueLeaseMs(seat) * 1.5);
        finish.resolve();
        expect(await reaching(seat.jobs, id, 'done')).toMatchObject({ attempt: 1, result: null });
      });
    });

    describe('listing and pruning', () => {
      test('jobs are listed newest first, in pages, by state and kind', async () => {
        const other = like({ name: 'test.other' });
        for (let n = 0; n < 5; n += 1) await seat.jobs.enqueue(n === 2 ? other : numbered, { n });
        const pages: unknown[][] = [];
        let cursor: string | undefined;
        do {
          const page = await seat.jobs.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
          pages.push(page.jobs.map((job) => (job.payload as { n: number }).n));
          cursor = page.cursor;
        } while (cursor !== undefined);
        expect(pages).toEqual([[4, 3], [2, 1], [0]]);
        expect((await seat.jobs.list({ kind: 'test.other' })).jobs).toHaveLength(1);
        await seat.jobs.cancel((await seat.jobs.list()).jobs[0]?.id ?? '');
        expect((await seat.jobs.list({ state: 'cancelled' })).jobs).toMatchObject([{ payload: { n: 4 } }]);
        expect((await seat.jobs.list({ state: 'queued', kind: 'test.numbered' })).jobs).toHaveLength(3);
        expect(await seat.jobs.counts()).toEqual({
          waiting: 0,
          queued: 4,
          running: 0,
          done: 0,
          failed: 0,
          cancelled: 1,
        });
      });

      test('jobs that were made in one call are paged without loss', async () => {
        await seat.jobs.enqueueAll(Array.from({ length: 25 }, (_, n) => requestJob(numbered, { n })));
        const ids = new Set<string>();
        let cursor: string | undefined;
        do {
          const page = await seat.jobs.list({ limit: 7, ...(cursor === undefined ? {} : { cursor }) });
          for (const job of page.jobs) ids.add(job.id);
          cursor = page.cursor;
        } while (cursor !== undefined);
        expect(ids.size).toBe(25);
      });

      test.each([{ limit: 0 }, { limit: 1001 }, { cursor: "1'; DROP TABLE jobs" }])(
        'a page of %j is refused',
        async (query) => {
          await expect(seat.jobs.list(query)).rejects.toThrow(ValidationError);
        },
      );

      test('an unknown id is no job', async () => {
        expect(await seat.jobs.get(UNKNOWN)).toBeUndefined();
        expect(await seat.jobs.get('../../etc/passwd')).toBeUndefined();
      });

      test('pruning forgets what has ended, and frees its key', async () => {
        const fails = like({ name: 'test.fails', attempts: 1 });
        const done = await seat.jobs.enqueue(numbered, { n: 1 }, { key: 'k' });
        const failed = await seat.jobs.enqueue(fails, { n: 2 });
        const job = handleJob(fails, async () => {
          throw new Error('no');
        });
        const worker = work([recording([]), job]);
        await idle();
        await worker.stop();
        const queued = await seat.jobs.enqueue(numbered, { n: 3 }, { after: [done.id] });
        const waiting = await seat.jobs.enqueue(numbered, { n: 4 }, { after: [queued.id] });
        const before = Date.now() - 60_000;
        expect(await seat.jobs.prune(before)).toBe(0);
        expect(await seat.jobs.prune(Date.now() + 60_000)).toBe(2);
        expect(await seat.jobs.get(done.id)).toBeUndefined();
        expect(await seat.jobs.get(failed.id)).toBeUndefined();
        expect((await seat.jobs.enqueue(numbered, { n: 1 }, { key: 'k' })).created).toBe(true);
        work([recording([])]);
        await reaching(seat.jobs, waiting.id, 'done');
      });
    });

    describe('schedules', () => {
      test('however many workers there are, each time makes one job', async () => {
        await seat.jobs.schedule('tick', '* * * * * *', numbered, { n: 1 }, { priority: 4 });
        const seats = [seat, await queue.join(), await queue.join()];
        await sleep(1_100);
        const ticking = seats.map((each) => createSchedules(each.database, each.engine));
        await Promise.all([...ticking, ...ticking].map((schedules) => schedules.tick()));
        const { jobs } = await seat.jobs.list();
        expect(jobs).toMatchObject([{ kind: 'test.numbered', payload: { n: 1 }, priority: 4 }]);
      });

      test('workers run what is scheduled until it is unscheduled', async () => {
        await seat.jobs.schedule('tick', '* * * * * *', numbered, { n: 1 });
        work([recording([])]);
        work([recording([])], 1, await queue.join());
        await until(async () => (await seat.jobs.counts()).done >= 2);
        expect(await seat.jobs.unschedule('tick')).toBe(true);
        expect(await seat.jobs.unschedule('tick')).toBe(false);
        await idle();
        const { jobs } = await seat.jobs.list();
        const seconds = jobs.map((job) => Math.floor(job.createdMs / 1000));
        expect(jobs.length).toBeLessThanOrEqual((seconds[0] ?? 0) - (seconds.at(-1) ?? 0) + 1);
      });

      test('setting a schedule again, as every worker does at its start, does not delay it', async () => {
        const next = async () =>
          (await seat.database.query<{ next_ms: number }>('SELECT next_ms FROM job_schedules'))[0]?.next_ms;
        await seat.jobs.schedule('tick', '0 3 * * *', numbered, { n: 1 });
        await seat.database.execute('UPDATE job_schedules SET next_ms = 5');
        await seat.jobs.schedule('tick', '0 3 * * *', numbered, { n: 2 });
        expect(await next()).toBe(5);
        await seat.jobs.schedule('tick', '0 4 * * *', numbered, { n: 2 });
        expect(new Date((await next()) ?? 0).toISOString()).toMatch(/T04:00:00/);
      });

      test('times missed are made up by one job', async () => {
        await seat.jobs.schedule('tick', '0 * * * *', numbered, { n: 1 });
        await seat.database.execute('UPDATE job_schedules SET next_ms = next_ms - $1', [7 * 3_600_000]);
        const schedules = createSchedules(seat.database, seat.engine);
        await schedules.tick();
        await schedules.tick();
        expect((await seat.jobs.list()).jobs).toHaveLength(1);
      });

      test.each(['', 'hourly', '61 * * * *', '* * * *'])('the schedule %j is refused', async (cron) => {
        await expect(seat.jobs.schedule('tick', cron, numbered, { n: 1 })).rejects.toThrow(UsageError);
      });
    });

    test('a closed database is unavailable, not broken', async () => {
      const other = await queue.join();
      await other.database.close();
      await expect(other.jobs.enqueue(numbered, { n: 1 })).rejects.toThrow(UnavailableError);
    });
  });
}

/** The shortest lease that the queue grants. */
function queueLeaseMs(seat: Seat): number {
  return seat.database.dialect === 'sqlite' ? 1_000 : 10_000;
}
