import { join } from 'node:path';
import type { Compute } from '@contrails/engine/compute';
import type { GridGpu } from '@contrails/engine/gpu/grid-gpu';
import type { Database } from '@contrails/platform/database';
import { embeddedPath, isBlank } from '@contrails/platform/database/open';
import { createDisposables, type Disposables } from '@contrails/platform/disposables';
import { BODIES } from '@contrails/platform/http/overload';
import { createResults, type Results } from '@contrails/platform/http/results';
import type { Jobs } from '@contrails/platform/jobs';
import {
  createKeyring,
  createKeys,
  createLimits,
  createUsageRecorder,
  type Keyring,
  type Keys,
  type Limits,
  type Scopes,
  type UsageRecorder,
} from '@contrails/platform/keys';
import type { Log } from '@contrails/platform/log';
import { workMemoryBytes } from '@contrails/platform/memory-limit';
import type { Store } from '@contrails/platform/store';
import { holdsObjects } from '@contrails/platform/store/directory/layout';
import { MemoryBudget, MINUTE_MS, type Reserve, type WaitLimit } from '@contrails/runtime';
import type { CoreConfig } from './config/core.ts';
import { createLazyMet, type LazyMet, weatherMemoryBytes } from './weather/lazy-met.ts';

const MEBIBYTE = 2 ** 20;

/** Everything a server or worker is wired from. */
export interface Services {
  readonly database: Database;
  readonly store: Store;
  readonly jobs: Jobs;
  readonly keys: Keys;
  readonly keyring: Keyring;
  readonly limits: Limits;
  readonly usage: UsageRecorder;
  /** The memory of the process: work takes of it before it starts. */
  readonly memory: MemoryBudget;
  readonly reserve: Reserve;
  /** Threads of jobs. */
  readonly compute: Compute;
  /** Threads of requests, which the system runs before those of jobs. They start when a request first needs them. */
  readonly requestCompute: Compute;
  readonly met: LazyMet;
  /** Cached results. */
  readonly results: Results;
  close(): Promise<void>;
}

/** Opens all services, or none: when one cannot be opened, those before it are closed again. */
export async function createServices(
  config: CoreConfig,
  log: Log,
  openDatabase: () => Promise<Database>,
  scopes: Scopes,
): Promise<Services> {
  const disposables = createDisposables(log);
  try {
    const database = await openDatabase();
    disposables.add('the database', () => database.close());
    const store = await openConfiguredStore(config);
    disposables.add('the store', () => store.close());
    const jobs = await openJobQueue(config, database, log, disposables);
    const keys = createKeys(database, scopes);
    const limits = createLimits(database);
    disposables.add('the limits', () => limits.close());
    const usage = createUsageRecorder(database, {
      onError: (error) => log.warn({ err: error }, 'usage is counted, but cannot be written now'),
    });
    disposables.add('the usage record', () => usage.close());
    const { GridGpu } = await import('@contrails/engine/gpu/grid-gpu');
    const gpu = new GridGpu({
      device: config.compute.device,
      adapters: config.compute.gpu_adapters,
      memoryMib: config.compute.gpu_memory_mib,
      onNotice: (text) => log.info(text),
    });
    disposables.add('the GPU', () => gpu.close());
    const compute = await openComputePool(config, log, NICENESS.jobs, gpu);
    disposables.add('the compute threads', () => compute.close(0));
    const requestCompute = await openComputePool(config, log, NICENESS.requests, gpu);
    disposables.add('the compute threads of requests', () => requestCompute.close(0));
    const met = createLazyMet(config, log);
    disposables.add('the weather', () => met.close());
    const memory: MemoryBudget = new MemoryBudget({
      limitBytes: workMemoryBytes(config),
      onShortage: (owner) => {
        // Bodies leave nothing to collect, and requests would wait for it.
        for (const threads of owner === BODIES ? [] : [compute, requestCompute]) threads.shrink();
        reportShortage(memory.usage());
      },
    });
    const reportShortage = shortageReporter(log);
    const checking = setInterval(() => memory.check(), MEMORY_CHECK_MS).unref();
    disposables.add('the check of memory', async () => clearInterval(checking));
    const weatherBytes = weatherMemoryBytes(config);
    memory.addFixed('weather', {
      usedBytes: () => met.statistics()?.residentBytes ?? 0,
      limitBytes: () => (met.statistics() === undefined ? 0 : weatherBytes),
    });
    return {
      database,
      store,
      jobs,
      keys,
      keyring: createKeyring(keys),
      limits,
      usage,
      memory,
      reserve: reserveOf(memory),
      compute,
      requestCompute,
      met,
      results: createResults(config.grid.results_mib * MEBIBYTE),
      close: () => disposables.close(),
    };
  } catch (error) {
    await disposables.close();
    throw error;
  }
}

const MEMORY_CHECK_MS = 5000;

/** No single piece of work asks for more than half of the memory: what it needs is estimated, and it has to run somewhere. */
export function reserveOf(memory: MemoryBudget, waitLimit?: () => WaitLimit): Reserve {
  return (owner, bytes, signal) =>
    memory.reserve(owner, Math.min(bytes, memory.limitBytes / 2), { signal, waitLimit: waitLimit?.() });
}

function shortageReporter(log: Log): (usage: Readonly<Record<string, number>>) => void {
  let reportedMs = Number.NEGATIVE_INFINITY;
  return (usage) => {
    if (performance.now() - reportedMs < MINUTE_MS) return;
    reportedMs = performance.now();
    log.warn({ usage }, 'memory is short (server.memory_mib): new work waits or is refused');
  };
}

/** Where the database is. */
export function databaseOptions(config: CoreConfig): {
  readonly database: string;
  readonly directory: string;
} {
  return { database: databaseText(config), directory: dataDirectory(config) };
}

/** The file of the embedded database; undefined when the database is a server. */
export function embeddedFile(config: CoreConfig): string | undefined {
  return config.database.kind === 'embedded' ? embeddedPath(dataDirectory(config)) : undefined;
}

/**
 * Why the embedded database cannot be the one of its store: it is gone or empty, and the store is not. Started as new, the
 * service would lose its keys and telemetry without a word.
 */
export async function strandedStore(
  config: CoreConfig,
): Promise<{ readonly message: string; readonly remedy: string } | undefined> {
  const file = embeddedFile(config);
  if (file === undefined || !isBlank(file)) return undefined;
  const store = storePath(config.data.kind === 'directory' ? config.data.path : '');
  if (!(await holdsObjects(store))) return undefined;
  return {
    message: `the database file ${file} is missing or empty, but ${store} holds files of an earlier database`,
    remedy: `run "contrails restore" with the last backup, check that data names the right directory, or move ${store} away to start with nothing`,
  };
}

/** In a directory, objects have their own folder next to the database. */
function storePath(directory: string): string {
  return join(directory, 'store');
}

export async function openConfiguredStore({ data, s3 }: CoreConfig): Promise<Store> {
  const { openStore } = await import('@contrails/platform/store');
  if (data.kind === 'directory') return openStore({ kind: 'directory', path: storePath(data.path) });
  return openStore(data, {
    endpoint: s3.endpoint,
    region: s3.region,
    forcePathStyle: s3.path_style,
    accessKeyId: s3.access_key_id?.reveal(),
    secretAccessKey: s3.secret_access_key?.reveal(),
  });
}

export async function openJobQueue(
  config: CoreConfig,
  database: Database,
  log: Log,
  disposables: Disposables,
): Promise<Jobs> {
  const { openJobs } = await import('@contrails/platform/jobs');
  const jobs = await openJobs(database, { log, database: databaseText(config) });
  disposables.add('the jobs', () => jobs.close());
  return jobs;
}

/**
 * Requests for what is stored do not wait behind what is computed, and what a client waits for is computed before what a job
 * computes: with these values a thread of a request gets six times the processor time of a thread of a job.
 */
const NICENESS = { requests: 4, jobs: 12 } as const;

async function openComputePool(
  config: CoreConfig,
  log: Log,
  niceness: number,
  gpu: GridGpu,
): Promise<Compute> {
  const { openCompute } = await import('@contrails/engine/compute');
  const { workers } = config;
  return openCompute({
    threads: workers.threads,
    maxQueue: workers.queue,
    heapMb: workers.heap_mib,
    memoryBytes: workMemoryBytes(config),
    niceness,
    gpu,
    onCrash: (error) => log.error({ err: error }, 'a compute thread crashed and is replaced'),
  });
}

function databaseText({ database }: CoreConfig): string {
  return database.kind === 'embedded' ? 'embedded' : database.url.reveal();
}

/** Only the embedded database needs it, and the configuration refuses that one with a bucket. */
function dataDirectory({ data }: CoreConfig): string {
  return data.kind === 'directory' ? data.path : '';
}
