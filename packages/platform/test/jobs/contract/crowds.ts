import { ConflictError, NotFoundError } from '@contrails/runtime/errors';
import { describe, expect } from 'vitest';
import { times } from '../../../../../test/support/effort.ts';
import type { Engine } from '../../../src/jobs/engine.ts';
import type { Jobs } from '../../../src/jobs/jobs.ts';
import { type JobsTest, like } from '../fixture.ts';

const kind = like({ leaseSeconds: 3600, attempts: 2 });
const LANES = 12;
const STEPS = 25;

/** What many processes do at the same moment. */
export function describeCrowds(test: JobsTest): void {
  describe('crowds', () => {
    test('no job is forgotten when many are made, ended, cancelled, retried and pruned at once', async ({
      queue,
    }) => {
      const seats = [queue, await queue.join(), await queue.join()];
      const ids: string[] = [];
      const lanes = Array.from({ length: LANES }, async (_, lane) => {
        const seat = seats[lane % seats.length] ?? queue;
        for (let step = 0; step < times(STEPS); step++) await tolerant(() => act(seat, ids));
      });
      await Promise.all(lanes);
      for (const id of ids) await tolerant(() => queue.jobs.retry(id));
      await queue.jobs.retryFailed();
      while ((await endNext(queue.engine, () => 0)) !== undefined);
      const { done, ...others } = await queue.jobs.counts();
      expect(others).toEqual({ waiting: 0, queued: 0, running: 0, failed: 0, cancelled: 0 });
    });
  });
}

async function act({ jobs, engine }: { jobs: Jobs; engine: Engine }, ids: string[]): Promise<void> {
  // Of the last ones, to let several lanes meet at the same job.
  const recent = () => ids[ids.length - 1 - Math.floor(Math.random() * Math.min(8, ids.length))];
  const action = Math.random();
  const id = recent();
  if (id === undefined || action < 0.3) {
    const after = [recent(), recent(), recent()].filter((one) => one !== undefined);
    ids.push((await jobs.enqueue(kind, { n: ids.length }, { after })).id);
  } else if (action < 0.8) await endNext(engine, Math.random);
  else if (action < 0.87) await jobs.cancel(id);
  else if (action < 0.97) await jobs.retry(id);
  else await jobs.prune(Date.now());
}

/** Takes a job and completes it, or else fails it or hands it back. */
async function endNext(engine: Engine, random: () => number): Promise<string | undefined> {
  const [claim] = await engine.claim([kind.name], 1);
  if (claim === undefined) return undefined;
  const end = random();
  if (end < 0.6) await engine.complete(claim, null);
  else if (end < 0.9) await engine.fail(claim, 'no weather', end < 0.75);
  else await engine.release(claim);
  return claim.id;
}

/** What another lane did first is no fault. */
async function tolerant(step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof ConflictError || error instanceof NotFoundError)) throw error;
  }
}
