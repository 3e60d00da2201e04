import { once } from 'node:events';
import type { Compute } from '@contrails/engine/compute';
import type { MetStatistics } from '@contrails/met';
import type { Disposables } from '@contrails/platform/disposables';
import type { FamilyMetric } from '@contrails/platform/family';
import { createMetricsServer } from '@contrails/platform/http/metrics';
import { addressOf, type ListenAddress, listenAddress, listening } from '@contrails/platform/listen';
import type { Log } from '@contrails/platform/log';
import { Gauge, Registry } from 'prom-client';
import { families } from './families/index.ts';
import type { Services } from './services.ts';

/** A registry with the state of the services and the metrics of the families; the HTTP server adds its own. */
export function createRegistry({
  compute,
  requestCompute,
  jobs,
  met,
  database,
  results,
  memory,
}: Pick<
  Services,
  'compute' | 'requestCompute' | 'jobs' | 'met' | 'database' | 'results' | 'memory'
>): Registry {
  const registry = new Registry();
  const states = () => [compute.state(), requestCompute.state()] as const;
  const sum = (name: keyof ReturnType<Compute['state']>) =>
    states().reduce((total, state) => total + state[name], 0);
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('contrails_compute_threads', 'Compute threads that may run.', () => compute.threads);
  gauge('contrails_compute_threads_busy', 'Compute threads that work.', () => sum('busy'));
  gauge('contrails_compute_tasks', 'Computations accepted and not finished.', () => sum('tasks'));
  gauge('contrails_compute_crashes', 'Compute threads that crashed since the start.', () => sum('crashes'));
  new Gauge({
    name: 'contrails_memory_bytes',
    help: 'Resident memory of the process by kind; the kinds add up to all of it.',
    labelNames: ['kind'] as const,
    registers: [registry],
    collect() {
      const threads = { heapBytes: sum('heapBytes'), kernelBytes: sum('kernelBytes') };
      const kinds = memoryByKind(process.memoryUsage(), threads, met.statistics(), results.bytes);
      for (const [kind, bytes] of Object.entries(kinds)) this.set({ kind }, bytes);
    },
  });
  new Gauge({
    name: 'contrails_memory_reserved_bytes',
    help: 'Memory that work in progress has asked for, by owner; weather is what its arena takes.',
    labelNames: ['owner'] as const,
    registers: [registry],
    collect() {
      for (const [owner, bytes] of Object.entries(memory.usage())) this.set({ owner }, bytes);
    },
  });
  gauge(
    'contrails_memory_limit_bytes',
    'Resident memory beyond which new work waits or is refused.',
    () => memory.limitBytes,
  );
  gauge('contrails_memory_waiting', 'Work that waits for memory.', () => memory.statistics().waiting);
  gauge(
    'contrails_memory_refusals',
    'Work that was refused since the start because memory was short.',
    () => memory.statistics().refusals,
  );
  const weather = (name: string, help: string, read: (statistics: MetStatistics) => number) =>
    gauge(`contrails_weather_${name}`, help, () => {
      const statistics = met.statistics();
      return statistics === undefined ? 0 : read(statistics);
    });
  weather('memory_bytes', 'Memory that kept weather takes.', ({ usedBytes }) => usedBytes);
  weather('memory_budget_bytes', 'Memory that kept weather may take.', ({ budgetBytes }) => budgetBytes);
  weather('memory_leased_bytes', 'Memory of weather that is in use.', ({ leasedBytes }) => leasedBytes);
  weather('slabs', 'Hours of weather that are kept.', ({ slabs }) => slabs);
  weather('hits', 'Hours of weather that were found in memory.', ({ hits }) => hits);
  weather('misses', 'Hours of weather that had to be read.', ({ misses }) => misses);
  weather('evictions', 'Hours of weather that made room for others.', ({ evictions }) => evictions);
  weather('failures', 'Hours of weather that could not be read.', ({ failures }) => failures);
  weather('waiting', 'Requests that wait for memory.', ({ waiting }) => waiting);
  weather('reads', 'Reads of sources, of one or more hours each.', ({ reads }) => reads);
  weather('read_seconds', 'Time that reads of sources took.', ({ readMs }) => readMs / 1000);
  new Gauge({
    name: 'contrails_weather_file_quarantined',
    help: 'Weather files that are left out because reading them made no progress; always 1.',
    labelNames: ['source', 'file', 'reason'] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const { source, path, reason } of met.statistics()?.quarantined ?? []) {
        this.set({ source, file: path, reason }, 1);
      }
    },
  });
  new Gauge({
    name: 'contrails_jobs',
    help: 'Background jobs by state, of all processes together.',
    labelNames: ['state'] as const,
    registers: [registry],
    async collect() {
      for (const [state, count] of Object.entries(await jobs.counts())) this.set({ state }, count);
    },
  });
  for (const family of families) {
    for (const metric of family.metrics?.({ database }) ?? []) addGauge(registry, metric);
  }
  return registry;
}

function addGauge(registry: Registry, { name, help, label, read }: FamilyMetric): void {
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      const found = await read();
      if (typeof found === 'number') this.set(found);
      else if (label !== undefined) {
        for (const [value, number] of Object.entries(found)) this.set({ [label]: value }, number);
      }
    },
  });
}

/**
 * What resident memory is used for [bytes]. Results are in buffers of the main thread, whose other buffers are the
 * remainder; the runtime does not count the arena of weather there. `other` is code, stacks, and unreturned allocator memory.
 */
export function memoryByKind(
  { rss, heapTotal, external, arrayBuffers }: NodeJS.MemoryUsage,
  { kernelBytes, heapBytes }: Pick<ReturnType<Compute['state']>, 'kernelBytes' | 'heapBytes'>,
  met: Pick<MetStatistics, 'residentBytes' | 'threadBytes'> | undefined,
  results: number,
): Record<'weather' | 'results' | 'kernels' | 'threads' | 'buffers' | 'heap' | 'other', number> {
  const named = {
    weather: met?.residentBytes ?? 0,
    results,
    kernels: kernelBytes,
    threads: heapBytes + (met?.threadBytes ?? 0),
    buffers: Math.max(0, arrayBuffers - results) + Math.max(0, external - arrayBuffers),
    heap: heapTotal,
  };
  const sum = Object.values(named).reduce((total, bytes) => total + bytes, 0);
  return { ...named, other: Math.max(0, rss - sum) };
}

/** Answers `/metrics` on its own address until the disposables close. */
export async function startMetrics(
  registry: Registry,
  address: ListenAddress,
  log: Log,
  disposables: Disposables,
): Promise<void> {
  const server = createMetricsServer(registry).listen(listenAddress(address));
  await listening(once(server, 'listening'), address, 'metrics.port');
  server.on('error', (err) => log.warn({ err }, 'metrics cannot be served'));
  disposables.add('the metrics server', async () => {
    server.closeAllConnections();
    server.close();
  });
  log.info(`metrics are at ${addressOf(server)}/metrics`);
}
