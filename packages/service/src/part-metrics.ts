import { once } from 'node:events';
import type { MetStatistics } from '@contrails/met';
import { Gauge, Registry } from 'prom-client';
import type { Closers } from './closers.ts';
import { addForecastMetrics } from './forecast/metrics.ts';
import { createMetricsServer } from './http/metrics.ts';
import { addressOf, type ListenAddress, listenAddress, listening } from './listen.ts';
import type { Log } from './log.ts';
import type { Parts } from './parts.ts';

/** A registry with the state of the parts; the HTTP server adds its own. */
export function createRegistry({
  compute,
  jobs,
  met,
  database,
}: Pick<Parts, 'compute' | 'jobs' | 'met' | 'database'>): Registry {
  const registry = new Registry();
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
  gauge('contrails_compute_threads_busy', 'Compute threads that work.', () => compute.state().busy);
  gauge('contrails_compute_tasks', 'Computations accepted and not finished.', () => compute.state().tasks);
  gauge(
    'contrails_compute_crashes',
    'Compute threads that crashed since the start.',
    () => compute.state().crashes,
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
    name: 'contrails_jobs',
    help: 'Background jobs by state, of all processes together.',
    labelNames: ['state'] as const,
    registers: [registry],
    async collect() {
      for (const [state, count] of Object.entries(await jobs.counts())) this.set({ state }, count);
    },
  });
  addForecastMetrics(registry, database);
  return registry;
}

/** Answers `/metrics` on an address of its own until the closers close. */
export async function startMetrics(
  registry: Registry,
  address: ListenAddress,
  log: Log,
  closers: Closers,
): Promise<void> {
  const server = createMetricsServer(registry).listen(listenAddress(address));
  await listening(once(server, 'listening'), address, 'metrics.port');
  closers.add('the metrics server', async () => {
    server.closeAllConnections();
    server.close();
  });
  log.info(`metrics are at ${addressOf(server)}/metrics`);
}
