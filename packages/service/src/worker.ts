import { collectDefaultMetrics } from 'prom-client';
import { type Closers, createClosers } from './disposables.ts';
import type { Config } from './config/load.ts';
import { ContrailsError } from './errors.ts';
import { forgetResults } from './families/jobs/results.ts';
import { trajectoryHandler } from './families/trajectory/job.ts';
import { forecastHandlers } from './families/forecast/publish/handlers.ts';
import { historicalHandler } from './families/forecast/historical.ts';
import { planLost } from './families/forecast/plan/replan.ts';
import { forgetRuns } from './families/forecast/plan/planned-runs.ts';
import { scheduleForecast } from './families/forecast/plan/schedule.ts';
import { type JobHandler, maintenanceJob, maintenanceKind, type Worker } from './jobs/index.ts';
import { forgetExpiredLeases } from './keys/leases.ts';
import type { Log } from './log.ts';
import { createRegistry, startMetrics } from './metrics.ts';
import { openParts, type Parts } from './services.ts';
import { settleProducts } from './products/lost.ts';
import { pruneProducts } from './products/prune.ts';
import { endSoon, untilStopped } from './signals.ts';

const MS_PER_DAY = 86_400_000;
/** No weather run reaches further ahead. */
const RUN_DAYS = 16;

/** Runs background jobs until a signal comes; what is not finished then goes back into the queue. */
export async function runWorker(
  config: Config,
  log: Log,
  announce: (line: string) => void,
  handlers?: (parts: Parts) => readonly JobHandler[],
): Promise<void> {
  const stopped = untilStopped(log);
  const parts = await openParts(config, log);
  const closers = createClosers(log);
  try {
    await startWorkerMetrics(parts, config, log, closers);
    const worker = await startWorker(parts, config, log, handlers?.(parts));
    announce(`contrails worker is ready, ${config.workers.jobs} jobs at once`);
    await stopped;
    await stopWorker(worker, config);
  } finally {
    await closers.close();
    await parts.close();
  }
  endSoon(log);
}

/** A worker has no public port: whatever is not off is served on the metrics' own address. */
async function startWorkerMetrics(parts: Parts, config: Config, log: Log, closers: Closers): Promise<void> {
  if (config.metrics.serve === 'off') return;
  const registry = createRegistry(parts);
  collectDefaultMetrics({ register: registry });
  try {
    await startMetrics(registry, config.metrics, log, closers);
  } catch (error) {
    // A server of the same machine and configuration has the port: jobs are more important than their metrics.
    if (!(error instanceof ContrailsError)) throw error;
    log.warn({ err: error }, 'this worker runs without metrics');
  }
}

/** The workers of this process, and what is to be done on a schedule by whichever process gets to it first. */
export async function startWorker(
  parts: Parts,
  config: Config,
  log: Log,
  handlers: readonly JobHandler[] = [],
): Promise<Worker> {
  const { jobs, database, store } = parts;
  await jobs.schedule('maintenance', '7 * * * *', maintenanceKind, {});
  await scheduleForecast(jobs, config, Date.now());
  const forgetJobs = () => jobs.prune(Date.now() - config.jobs.retention_days * MS_PER_DAY);
  const forgetLeases = () => forgetExpiredLeases(database, Date.now());
  const forgetOld = (signal: AbortSignal) => forgetResults(store, Date.now(), signal);
  const { keep_runs, keep_days } = config.forecast;
  const forgetProducts = (signal: AbortSignal) =>
    pruneProducts({ store, database }, { runs: keep_runs, days: keep_days }, Date.now(), signal);
  const settleLost = async (signal: AbortSignal) => {
    const lost = await settleProducts({ store, database }, signal);
    await planLost(jobs, lost);
    if (lost.length > 0) {
      log.warn(
        { products: lost.length, first: lost[0]?.key },
        'stored products are missing or damaged; they are computed again',
      );
    }
    return lost.length;
  };
  const forgetOldRuns = () => forgetRuns(database, Date.now() - (keep_days + RUN_DAYS) * MS_PER_DAY);
  const upkeep = maintenanceJob({
    jobs: forgetJobs,
    limits: forgetLeases,
    results: forgetOld,
    lost: settleLost,
    products: forgetProducts,
    runs: forgetOldRuns,
  });
  const ofRequests = [historicalHandler(parts), trajectoryHandler(parts)];
  return jobs.work([upkeep, ...forecastHandlers(parts, config), ...ofRequests, ...handlers], {
    concurrency: config.workers.jobs,
    log,
  });
}

/** Handing jobs back takes a few seconds at worst, which have to fit into the time there is. */
const HAND_BACK_SECONDS = 6;

export function stopWorker(worker: Worker, { server }: Config): Promise<void> {
  return worker.stop({ graceSeconds: Math.max(0, server.shutdown_seconds - HAND_BACK_SECONDS) });
}
