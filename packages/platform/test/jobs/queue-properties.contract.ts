import { MINUTE_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import type { Claim } from '../../src/jobs/engine.ts';
import { jobsTest, like, type OpenQueue, type Seat } from './fixture.ts';
import { type ModelJob, QueueModel } from './queue-model.ts';

const kind = like({ leaseSeconds: 3600, attempts: 2 });

type Step =
  | { readonly do: 'add'; readonly priority: number; readonly parents: readonly number[] }
  | { readonly do: 'take' }
  | { readonly do: 'complete' | 'fail' | 'release' | 'cancel' | 'retry'; readonly pick: number };

const pick = fc.nat(1000);
const add: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('add'),
  priority: fc.integer({ min: -2, max: 2 }),
  parents: fc.array(pick, { maxLength: 3 }),
});
const others: fc.Arbitrary<Step>[] = (['complete', 'fail', 'release', 'cancel', 'retry'] as const).map(
  (name) => fc.record({ do: fc.constant(name), pick }),
);
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: add },
    { weight: 6, arbitrary: fc.constant<Step>({ do: 'take' }) },
    ...others.map((arbitrary, index) => ({ weight: index === 0 ? 5 : 1, arbitrary })),
  ),
  { minLength: 5, maxLength: 60 },
);

/** Random histories of jobs that wait for each other, against the model. */
export function describeQueueProperties(name: string, open: OpenQueue, numRuns: number): void {
  const test = jobsTest(open);
  describe(`properties of the ${name} queue`, () => {
    test('any history of jobs leaves every job in the state that the model predicts', async ({ queue }) => {
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          await replay(queue, history);
          await queue.jobs.retryFailed();
          await endAll(queue);
        }),
        { numRuns: times(numRuns) },
      );
    });
  });
}

async function replay(seat: Seat, history: readonly Step[]): Promise<void> {
  const model = new QueueModel();
  const claims = new Map<ModelJob, Claim>();
  for (const step of history) {
    await perform(step, seat, model, claims);
    for (const job of model.jobs) {
      const record = await seat.jobs.get(job.id);
      expect(record).toMatchObject({ state: job.state });
      if (job.cause !== undefined) expect(record?.error).toContain(job.cause.id);
    }
  }
}

async function perform(
  step: Step,
  seat: Seat,
  model: QueueModel,
  claims: Map<ModelJob, Claim>,
): Promise<void> {
  if (step.do === 'add') {
    const parents = [...new Set(step.parents.flatMap((pick) => chosen(model.jobs, pick) ?? []))];
    const options = { priority: step.priority, after: parents.map((parent) => parent.id) };
    const { id } = await seat.jobs.enqueue(kind, { n: model.jobs.length }, options);
    model.add(id, step.priority, parents);
    return;
  }
  if (step.do === 'take') {
    const [claim] = await seat.engine.claim([kind.name], 1);
    const expected = model.next();
    expect(claim?.id).toBe(expected?.id);
    if (claim === undefined || expected === undefined) return;
    expected.state = 'running';
    claims.set(expected, claim);
    return;
  }
  if (step.do === 'cancel') {
    const job = chosen(model.inState('waiting', 'queued', 'running'), step.pick);
    if (job === undefined) return;
    await seat.jobs.cancel(job.id);
    model.end(job, 'cancelled');
    return;
  }
  if (step.do === 'retry') {
    const job = chosen(model.jobs, step.pick);
    if (job === undefined) return;
    if (model.canRetry(job)) {
      await seat.jobs.retry(job.id);
      model.retry(job);
    } else await expect(seat.jobs.retry(job.id)).rejects.toThrow(job.id);
    return;
  }
  await settle(step, seat, model, claims);
}

async function settle(
  step: Extract<Step, { pick: number }>,
  { engine }: Seat,
  model: QueueModel,
  claims: ReadonlyMap<ModelJob, Claim>,
): Promise<void> {
  const job = chosen(model.inState('running'), step.pick);
  const claim = job === undefined ? undefined : claims.get(job);
  if (job === undefined || claim === undefined) return;
  if (step.do === 'complete') {
    expect(await engine.complete(claim, null)).toBe(true);
    model.complete(job);
  } else if (step.do === 'release') {
    expect(await engine.release(claim)).toBe(true);
    job.state = 'queued';
  } else {
    const final = claim.attempt % 2 === 0;
    expect(await engine.fail(claim, 'refused', final)).toBe(true);
    if (final) model.end(job, 'failed');
    else job.state = 'queued';
  }
  expect(await engine.complete(claim, null)).toBe(false);
}

/** So that the next history begins with an empty queue. */
async function endAll({ jobs }: Seat): Promise<void> {
  for (const state of ['running', 'queued', 'waiting'] as const) {
    for (;;) {
      const [job] = (await jobs.list({ state, limit: 1 })).jobs;
      if (job === undefined) break;
      await jobs.cancel(job.id);
    }
  }
  await jobs.prune(Date.now() + MINUTE_MS);
}

function chosen<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % items.length];
}
