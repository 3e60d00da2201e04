import { createDisposables, type Disposables } from '@contrails/platform/disposables';
import {
  type JobHandler,
  type MaintenanceTask,
  maintenanceJob,
  maintenanceKind,
  type Worker,
} from '@contrails/platform/jobs';
import { forgetExpiredLeases } from '@contrails/platform/keys/leases';
import type { Log } from '@contrails/platform/log';
import { settleProducts } from '@contrails/platform/products/lost';
import { pruneProducts } from '@contrails/platform/products/prune';
import { endSoon, untilStopped } from '@contrails/platform/signals';
import { DAY_MS } from '@contrails/runtime';
import { ContrailsError } from '@contrails/runtime/errors';
import { collectDefaultMetrics } from 'prom-client';
import type { CoreConfig } from './config/core.ts';
import type { Config } from './configuration.ts';
import { families } from './families/index.ts';
import type { Family } from './family.ts';
import { createRegistry, startMetrics } from './metrics.ts';
import { openServices } from './open.ts';
import type { Services } from './services.ts';

/** Runs background jobs until a signal comes; what is not finished then goes back into the queue. */
export async function runWorker(
  config: Config,
  log: Log,
  announce: (line: string) => void,
  handlers?: (services: Services) => readonly JobHandler[],
): Promise<void> {
  const stopped = untilStopped(log);
  const services = await openServices(config, log);
  const disposables = createDisposables(log);
  try {
    await startWorkerMetrics(services, config, log, disposables);
    const work = await prepareWorker(services, config, log, handlers?.(services));
    const worker = await work();
    announce(`contrails worker is ready, ${config.workers.jobs} jobs at once`);
    await stopped;
    await stopWorker(worker, config);
  } finally {
    await disposables.close();
    await services.close();
  }
  endSoon(log);
}

/** A worker has no public port: unless off, metrics are served on their own address. */
async function startWorkerMetrics(
  services: Services,
  config: Config,
  log: Log,
  disposables: Disposables,
): Promise<void> {
  if (config.metrics.serve === 'off') return;
  const registry = createRegistry(services);
  collectDefaultMetrics({ register: registry });
  try {
    await startMetrics(registry, config.metrics, log, disposables);
  } catch (error) {
    // A server of the same machine and configuration has the port: jobs are more important than their metrics.
    if (!(error instanceof ContrailsError)) throw error;
    log.warn({ err: error }, 'this worker runs without metrics');
  }
}

/**
 * Registers what is done on a schedule, by whichever process gets to it first; the returned function starts the workers of
 * this process, and what families do in the background.
 */
export async function prepareWorker(
  services: Services,
  config: Config,
  log: Log,
  handlers: readonly JobHandler[] = [],
): Promise<() => Promise<Worker>> {
  const { jobs } = services;
  await jobs.schedule('maintenance', '7 * * * *', maintenanceKind, {});
  for (const family of families) await family.schedules?.(services, config);
  const ofFamilies = await Promise.all(families.map((family) => family.jobs?.(services, config) ?? []));
  const maintenance = maintenanceJob(maintenanceTasks(services, config, log));
  const all = [maintenance, ...ofFamilies.flat(), ...handlers].map((handler) =>
    withMemory(handler, services.reserve),
  );
  return async () => {
    const worker = jobs.work(all, { concurrency: config.workers.jobs, log });
    const background = await Promise.all(
      families.map((family) => family.background?.(services, config, log)),
    ).catch(async (error: unknown) => {
      await worker.stop({ graceSeconds: 0 });
      throw error;
    });
    return {
      get running() {
        return worker.running;
      },
      async stop(options) {
        await Promise.all([worker.stop(options), ...background.map((one) => one?.stop())]);
      },
    };
  };
}

/** Minimum memory of a job, without weather and flights [bytes]. */
const JOB_BYTES = 64 * 2 ** 20;

/** The job, which waits until there is memory for it; the first one always starts. */
export function withMemory(handler: JobHandler, reserve: Services['reserve']): JobHandler {
  return {
    ...handler,
    async run(payload, context) {
      const lease = await reserve('jobs', JOB_BYTES, context.signal);
      try {
        return await handler.run(payload, context);
      } finally {
        lease.release();
      }
    },
  };
}

/** What the hourly maintenance job does, by name; a name of a family begins with that of the family. */
export function maintenanceTasks(
  services: Services,
  config: CoreConfig,
  log: Log,
  all: readonly Family[] = families,
): Readonly<Record<string, MaintenanceTask>> {
  const { jobs, database, store } = services;
  const tasks: Record<string, MaintenanceTask> = {
    jobs: () => jobs.prune(Date.now() - config.jobs.retention_days * DAY_MS),
    limits: () => forgetExpiredLeases(database, Date.now()),
  };
  for (const family of all) {
    const { name, products } = family;
    const own = family.maintenance?.(services, config) ?? {};
    for (const [task, run] of Object.entries(own)) tasks[`${name}.${task}`] = run;
    if (products === undefined) continue;
    const { kinds } = products;
    tasks[`${name}.lost`] = async (signal) => {
      const lost = await settleProducts({ store, database }, kinds, signal);
      const planned = await products.recompute(services, lost);
      if (lost.length > 0) {
        log.warn(
          { family: name, products: lost.length, planned, first: lost[0]?.key },
          'stored products are missing or damaged',
        );
      }
      return lost.length;
    };
    tasks[`${name}.products`] = (signal) =>
      pruneProducts({ store, database }, kinds, products.keep(config), Date.now(), signal);
  }
  return tasks;
}

/** Handing jobs back takes a few seconds at worst, which have to fit into the time there is. */
const HAND_BACK_SECONDS = 6;

export function stopWorker(worker: Worker, { server }: Config): Promise<void> {
  return worker.stop({ graceSeconds: Math.max(0, server.shutdown_seconds - HAND_BACK_SECONDS) });
}
