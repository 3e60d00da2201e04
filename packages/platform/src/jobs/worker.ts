import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from './backoff.ts';
import type { Claim, Engine } from './engine.ts';
import type { JobContext, JobHandler, Worker, WorkOptions } from './jobs.ts';
import { beginRun, type Run } from './run.ts';
import { createWakeSignal } from './wake-signal.ts';

export interface WorkerServices {
  readonly engine: Engine;
  readonly fanOut: (claim: Claim) => JobContext['enqueueAll'];
  /** What else has to be done from time to time. */
  readonly onUpkeep: () => Promise<void>;
}

const MAX_PULSE_MS = 1_000;
const HAND_BACK_MS = 6_000;

/** Takes jobs and runs them until it is stopped; nothing that the database does ends it. */
export function startWorker(
  handlers: readonly JobHandler[],
  { concurrency, log }: WorkOptions,
  { engine, fanOut, onUpkeep }: WorkerServices,
): Worker {
  const byKind = new Map(handlers.map((handler) => [handler.kind.name, handler]));
  const runs = new Set<Run>();
  const renewedMs = new WeakMap<Run, number>();
  const deadline = new AbortController();
  const [jobSignal, pulseSignal, upkeepSignal] = [createWakeSignal(), createWakeSignal(), createWakeSignal()];
  const taking = createBackoff(log, 'take jobs from the queue');
  const settling = createBackoff(log, 'write the outcome of a job');
  const renewing = createBackoff(log, 'renew the leases of jobs');
  const upkeepBackoff = createBackoff(log, 'look after the queue');
  let stopping = false;
  let ended = false;
  let stopped: Promise<void> | undefined;

  const listener = engine.listen((change) => (change === 'queued' ? jobSignal : pulseSignal).wake());
  const loops = Promise.all([takeJobs(), keepLeases(), runUpkeep()]);

  async function takeJobs(): Promise<void> {
    while (!stopping) {
      const free = concurrency - runs.size;
      const claims = free > 0 ? ((await taking.try(() => engine.claim([...byKind.keys()], free))) ?? []) : [];
      for (const claim of claims) {
        const handler = byKind.get(claim.kind);
        if (handler !== undefined) begin(claim, handler);
      }
      if (stopping) return;
      if (free === 0) await jobSignal.wait(Number.POSITIVE_INFINITY);
      else if (claims.length < free) await jobSignal.wait(engine.pollMs);
    }
  }

  function begin(claim: Claim, handler: JobHandler): void {
    const around = { engine, log, backoff: settling, fanOut, deadline: deadline.signal };
    const run = beginRun(claim, handler, around);
    runs.add(run);
    renewedMs.set(run, performance.now());
    if (claim.leaseSeconds * 1000 < 3 * MAX_PULSE_MS) pulseSignal.wake();
    if (stopping) run.stop();
    void run.finished.then(() => {
      runs.delete(run);
      jobSignal.wake();
    });
  }

  async function keepLeases(): Promise<void> {
    while (!ended) {
      const leases = [...runs].map((run) => run.claim.leaseSeconds * 1000);
      await pulseSignal.wait(Math.min(MAX_PULSE_MS, ...leases.map((leaseMs) => leaseMs / 3)));
      if (runs.size > 0) await renewing.try(renew);
    }
  }

  async function renew(): Promise<void> {
    const held = new Set(runs);
    const losses = await engine.lost([...held].map((run) => run.claim));
    for (const run of held) {
      const loss = losses.get(run.claim.id);
      if (loss === undefined) continue;
      run.lose(loss);
      held.delete(run);
    }
    const nowMs = performance.now();
    const due = [...held].filter(
      (run) => nowMs - (renewedMs.get(run) ?? 0) >= (run.claim.leaseSeconds * 1000) / 4,
    );
    if (due.length === 0) return;
    await engine.renew(due.map((run) => run.claim));
    for (const run of due) renewedMs.set(run, nowMs);
  }

  async function runUpkeep(): Promise<void> {
    while (!ended) {
      await upkeepBackoff.try(() => engine.upkeep());
      if (!stopping) await upkeepBackoff.try(onUpkeep);
      if (!ended) await upkeepSignal.wait(engine.upkeepMs);
    }
  }

  async function stop(graceSeconds: number): Promise<void> {
    stopping = true;
    jobSignal.wake();
    taking.end();
    await within(graceSeconds * 1000, allFinished);
    for (const run of runs) run.stop();
    await within(HAND_BACK_MS, allFinished);
    deadline.abort();
    settling.end();
    ended = true;
    renewing.end();
    upkeepBackoff.end();
    pulseSignal.wake();
    upkeepSignal.wake();
    await loops;
    await allFinished();
    await listener.close();
  }

  async function allFinished(): Promise<void> {
    while (runs.size > 0) await Promise.all([...runs].map((run) => run.finished));
  }

  return {
    get running() {
      return runs.size;
    },
    stop: ({ graceSeconds = 30 } = {}) => {
      stopped ??= stop(graceSeconds);
      return stopped;
    },
  };
}

async function within(ms: number, work: () => Promise<void>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work(), sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}
