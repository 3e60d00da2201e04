import { CancelledError } from '@contrails/runtime/errors';
import type { Log } from '../log.ts';
import type { Backoff } from './backoff.ts';
import { subjectOf } from './define.ts';
import type { Claim, Engine, Loss } from './engine.ts';
import type { JobContext, JobHandler } from './jobs.ts';
import { done, failed, type Outcome, storable } from './outcome.ts';
import { parsePayload } from './prepare.ts';
import { createProgress } from './progress.ts';

/** One attempt at one job on this worker. */
export interface Run {
  readonly claim: Claim;
  /** Never rejects. */
  readonly finished: Promise<void>;
  /** The lease of the job is lost: its outcome will be dropped. */
  lose(loss: Loss): void;
  /** Ends it to hand it back, unless it finishes all the same. */
  stop(): void;
}

export interface RunSurroundings {
  readonly engine: Engine;
  readonly log: Log;
  readonly backoff: Backoff;
  readonly fanOut: (claim: Claim) => JobContext['enqueueAll'];
  /** Aborts when the worker can no longer wait for the database. */
  readonly deadline: AbortSignal;
}

/** A handler that has not ended so long after its signal is left to itself. */
const ABANDON_MS = 5_000;

export function beginRun(claim: Claim, handler: JobHandler, around: RunSurroundings): Run {
  const { engine, deadline } = around;
  const subject = subjectOf(handler.kind, claim.payload);
  const log = around.log.child({
    job: claim.id,
    kind: claim.kind,
    ...(subject === '' ? {} : { subject }),
    attempt: claim.attempt,
  });
  const startedMs = performance.now();
  const controller = new AbortController();
  let fate: Loss | 'stopped' | undefined;

  const attempt = async (): Promise<Outcome> => {
    const progress = createProgress((fraction, note) => engine.progress(claim, fraction, note));
    const limit = setTimeout(
      () => controller.abort(new Error(`it took longer than ${handler.kind.timeLimitSeconds} s`)),
      handler.kind.timeLimitSeconds * 1000,
    );
    const context: JobContext = {
      id: claim.id,
      owner: claim.owner,
      attempt: claim.attempt,
      signal: controller.signal,
      log,
      progress: (fraction, note) =>
        progress.report(fraction, note === undefined ? undefined : storable(note)),
      enqueueAll: around.fanOut(claim),
    };
    try {
      const payload = parsePayload(handler.kind, claim.payload);
      return done(await Promise.race([handler.run(payload, context), unheeded(controller.signal)]));
    } catch (error) {
      return failed(controller.signal.aborted ? (controller.signal.reason ?? error) : error);
    } finally {
      clearTimeout(limit);
      progress.close();
    }
  };

  const settle = async (outcome: Outcome): Promise<void> => {
    if (fate === 'cancelled' || fate === 'taken over') {
      log.info(`the job was ${fate} while it ran`);
      return;
    }
    const step = (): Promise<boolean> => {
      if (outcome.type === 'done') return engine.complete(claim, outcome.result);
      if (fate === 'stopped') return engine.release(claim);
      return engine.fail(claim, outcome.message, outcome.final);
    };
    const seconds = Number(((performance.now() - startedMs) / 1000).toFixed(3));
    if (outcome.type === 'failed' && fate !== 'stopped') {
      log.warn({ seconds, err: outcome.error }, 'the job failed');
    }
    let held = await around.backoff.try(step);
    while (held === undefined && !deadline.aborted) held = await around.backoff.try(step);
    if (held === false) log.info('the job was taken over while it ran');
    else if (held && outcome.type === 'done')
      log.info({ seconds, ...skipped(outcome.result) }, 'the job is done');
  };

  return {
    claim,
    finished: attempt().then(settle),
    lose(loss) {
      fate = loss;
      controller.abort(new CancelledError(`the job was ${loss}`));
    },
    stop() {
      fate ??= 'stopped';
      controller.abort(new CancelledError('the worker is stopping'));
    },
  };
}

/** Why a job had nothing to do, where its handler reports it. */
function skipped(result: unknown): { skipped?: string } {
  const reason = (result as { skipped?: unknown } | null)?.skipped;
  return typeof reason === 'string' ? { skipped: reason } : {};
}

/** Rejects some time after the signal, for handlers that do not heed it. */
function unheeded(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason), ABANDON_MS).unref());
  });
}
